"""Prints how much a client sends before anybody answers: the sizes of its first datagrams, or of what it first writes.

first_flight.py udp|tcp     listens on a port of 127.0.0.1, prints its number; then, once something has come and nothing
                            more has for a while, the bytes of each datagram (or of all together), and ends

Standard library only; run on a host.
"""

import contextlib
import socket
import sys
import time

WHOLE_S = 0.08
"""What belongs to the first flight comes within this time; a client that hears nothing repeats itself later than that
(QUIC: after three times an assumed round trip of 100 ms; TCP's handshake is answered by the kernel)."""


def sizes(sock: socket.socket) -> list[int]:
    """Bytes of each piece that comes within `WHOLE_S` of the first; whoever started this bounds the wait for that."""
    found = [len(sock.recv(65536))]
    end = time.monotonic() + WHOLE_S
    with contextlib.suppress(TimeoutError, BlockingIOError):
        while (left := end - time.monotonic()) > 0:
            sock.settimeout(left)
            piece = sock.recv(65536)
            if not piece:
                break
            found.append(len(piece))
    return found


def main() -> None:
    """Of the first client."""
    kind = {"udp": socket.SOCK_DGRAM, "tcp": socket.SOCK_STREAM}[sys.argv[1]]
    with socket.socket(socket.AF_INET, kind) as sock:
        sock.bind(("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            sock.listen()
        print(sock.getsockname()[1], flush=True)
        if kind == socket.SOCK_DGRAM:
            print(*sizes(sock), flush=True)
            return
        connection, _ = sock.accept()
        with connection:
            print(sum(sizes(connection)), flush=True)


if __name__ == "__main__":
    main()
