"""Serves a tree of files with aioquic over HTTP/3. Run by its path, with aioquic on PYTHONPATH.

  aioquic_serve.py ROOT ADDRESS PORT CERTIFICATE KEY CONTROLLER LOG TICKETS [INITIAL_RTT_MS]

TICKETS: `tickets`, so that sessions can be resumed with early data, or `none`.

When it listens it says what new connections get, one line of JSON: `version`, `cca`, `initial_window_bytes`. LOG gets
a line per connection when its handshake is complete, read from that connection. The folder that the variable
QLOGDIR names, if there is one, gets a qlog per connection (`recovery_log.py`).
"""

import asyncio
import json
import re
import sys
from functools import partial

import aioquic
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.asyncio.server import serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import HandshakeCompleted, ProtocolNegotiated
from files import Files
from recovery_log import recovery_log

try:
    from aioquic.quic.congestion.base import create_congestion_control
except ImportError:  # before 1.0 there was one controller, New Reno, without a name
    from aioquic.quic.recovery import QuicCongestionControl

    create_congestion_control = None


def sender(control):
    """Controller and window of a sender, as they are now: `RenoCongestionControl` is `reno`."""
    name = re.sub("CongestionControl$", "", type(control).__name__).lower()
    return {"cca": "reno" if name == "quic" else name, "initial_window_bytes": control.congestion_window}


class ServedConnection(QuicConnectionProtocol):
    """One connection."""

    def __init__(self, *given, files, log, **named):
        super().__init__(*given, **named)
        self.files, self.log = files, log
        self.http: H3Connection | None = None
        self.began = sender(self._quic._loss._cc)

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        if isinstance(event, HandshakeCompleted):
            name = self._quic.original_destination_connection_id.hex()
            self.log({"connection": name, "early_data": event.early_data_accepted} | self.began)
        if self.http is not None:
            for one in self.http.handle_event(event):
                if isinstance(one, HeadersReceived):
                    self.answer(self.http, one.stream_id, dict(one.headers)[b":path"].decode())
            self.transmit()

    def answer(self, http, stream, target):
        status, body, kind = self.files.get(target)
        head = {
            ":status": str(status),
            "content-type": kind,
            "content-length": str(len(body)),
            "cache-control": "no-store,no-cache",
        }
        http.send_headers(stream, [(name.encode(), value.encode()) for name, value in head.items()])
        http.send_data(stream, body, end_stream=True)


def new_sender(configuration, controller):
    """That a connection will begin with."""
    if create_congestion_control is None:
        return QuicCongestionControl()
    return create_congestion_control(controller, max_datagram_size=configuration.max_datagram_size)


class Tickets(dict):
    """Those that were given, by their label. As with other servers here one may come back more than once: a client that
    resumes has its answer before the next ticket, which a server gives at the end of a handshake."""

    def callbacks(self):
        return {
            "session_ticket_fetcher": self.get,
            "session_ticket_handler": lambda ticket: self.update({ticket.ticket: ticket}),
        }


async def main(root, address, port, certificate, key, controller, log, tickets, initial_rtt_ms=None):
    chosen = {} if create_congestion_control is None else {"congestion_control_algorithm": controller}
    if initial_rtt_ms is not None:
        chosen["initial_rtt"] = float(initial_rtt_ms) / 1e3
    chosen["quic_logger"] = recovery_log()
    configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN, **chosen)
    configuration.load_cert_chain(certificate, key)
    with open(log, "a", encoding="ascii") as stream:

        def write(record):
            stream.write(json.dumps(record) + "\n")
            stream.flush()

        session = partial(ServedConnection, files=Files(root), log=write)
        resuming = Tickets().callbacks() if tickets == "tickets" else {}
        await serve(address, int(port), configuration=configuration, create_protocol=session, **resuming)
        new = new_sender(configuration, controller)
        print(json.dumps({"version": aioquic.__version__} | sender(new)), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
