"""The same over HTTP/3, by aioquic. As aioquic_serve.py, on PYTHONPATH beside aioquic; FAULT and WRONG come first."""

import asyncio
import sys

import aioquic_serve

INTERNAL_ERROR = 0x102


class WrongSession(aioquic_serve.ServedConnection):
    fault, wrong = sys.argv[1:3]

    def answer(self, http, stream, target):
        if target != self.wrong or self.fault == "none":
            super().answer(http, stream, target)
        elif self.fault in ("cut short", "reset at its end"):
            _, body, kind = self.files.get(target)
            head = [(b":status", b"200"), (b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
            http.send_headers(stream, head)
            http.send_data(stream, body[: len(body) // (2 if self.fault == "cut short" else 1)], end_stream=False)
            self.transmit()  # or the reset would overtake it
            asyncio.get_running_loop().call_later(0.1, self.reset, stream)
        elif self.fault == "reset":
            self.reset(stream)

    def reset(self, stream):
        self._quic.reset_stream(stream, INTERNAL_ERROR)
        self.transmit()


if __name__ == "__main__":
    aioquic_serve.ServedConnection = WrongSession
    asyncio.run(aioquic_serve.main(*sys.argv[3:]))
