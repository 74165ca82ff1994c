"""Fetches files with aioquic over HTTP/3. Run by its path, with aioquic on PYTHONPATH.

  aioquic_fetch.py ORIGIN PORT ADDRESS CERTIFICATE [INITIAL_RTT_MS]

Every fetch has a connection, a socket and a configuration of its own. One that is not to be fresh resumes an earlier
session by the newest ticket, once its server gave one, with the request as early data. Times are by the monotonic
clock, ms, from when the first packet is about to leave: until the handshake is complete (the client's Finished leaves;
early data leaves with the first packet), until the head of the answer is there, until its last byte is.
"""

import asyncio
import hashlib
import os
import sys
import time
from collections import deque

import aioquic
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, HandshakeCompleted
from aioquic.quic.packet import QuicProtocolVersion
from aioquic.tls import SessionTicket
from lines import FetchFailed, answer_all

VERSIONS = [QuicProtocolVersion.VERSION_1]
"""Not version 2 beside it: where that is offered LSQUIC's server takes it, and then cannot read early data, which are
in version 1 (RFC 9369, 4)."""


class RequestConnection(QuicConnectionProtocol):
    """One request on one connection."""

    http: H3Connection  # begun when it is known from a ticket what may be sent as early data

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.finished = asyncio.get_running_loop().create_future()
        self.moments, self.status, self.size, self.alpn = {}, None, 0, None
        self.early_data = False
        self.digest = hashlib.sha256()

    def connect(self, *given, **named):
        self.moments["begin"] = time.monotonic()
        super().connect(*given, **named)
        self.http = H3Connection(self._quic)

    async def wait_closed(self):
        """Not for three times the time-out of a probe (RFC 9000, 10.2), as other clients do not: the file is there."""

    def ask(self, authority, path):
        stream = self._quic.get_next_available_stream_id()
        head = [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", authority), (b":path", path)]
        self.http.send_headers(stream, head, end_stream=True)
        self.transmit()

    def quic_event_received(self, event):
        if isinstance(event, HandshakeCompleted):
            self.alpn, self.early_data = event.alpn_protocol, event.early_data_accepted
            self.moments["connect"] = self.moments["begin"] if self.early_data else time.monotonic()
        if isinstance(event, ConnectionTerminated) and not self.finished.done():
            why = f"the connection ended: {event.reason_phrase or hex(event.error_code)}"
            self.finished.set_exception(FetchFailed(why))
        for one in self.http.handle_event(event):
            self.take(one)

    def take(self, event):
        if isinstance(event, HeadersReceived):
            self.moments.setdefault("first", time.monotonic())
            self.status = int(dict(event.headers)[b":status"])
        if isinstance(event, DataReceived):
            self.digest.update(event.data)
            self.size += len(event.data)
        if isinstance(event, HeadersReceived | DataReceived) and event.stream_ended and not self.finished.done():
            self.moments["last"] = time.monotonic()
            self.finished.set_result(None)


async def fetch(origin, port, address, certificate, path, chosen, keep=None):
    """One request; what came of it. `chosen`: settings besides the usual ones; `keep` is called with each ticket."""
    configuration = QuicConfiguration(alpn_protocols=H3_ALPN, server_name=origin, supported_versions=VERSIONS, **chosen)
    early = chosen.get("session_ticket") is not None
    configuration.load_verify_locations(cafile=certificate)
    secrets = open(os.environ["SSLKEYLOGFILE"], "a") if "SSLKEYLOGFILE" in os.environ else None  # noqa: SIM115
    configuration.secrets_log_file = secrets
    try:
        async with connect(
            address,
            port,
            configuration=configuration,
            create_protocol=RequestConnection,
            session_ticket_handler=keep,
            wait_connected=not early,
        ) as protocol:
            protocol.ask(f"{origin}:{port}".encode(), path.encode())
            await protocol.finished
            return told(protocol)
    except ConnectionError as error:
        raise FetchFailed(f"no connection: {error!r}") from None
    finally:
        if secrets is not None:
            secrets.close()


def told(download):
    """The fields of an answer."""
    at = {name: round((moment - download.moments["begin"]) * 1e3, 3) for name, moment in download.moments.items()}
    sender = download._quic._loss
    return {
        "status": download.status,
        "protocol": download.alpn,
        "port": download._transport.get_extra_info("sockname")[1],
        "size": download.size,
        "sha256": download.digest.hexdigest(),
        "connect_ms": at["connect"],
        "ttfb_ms": at["first"],
        "ttlb_ms": at["last"],
        "early_data": download.early_data,
        "smoothed_rtt_ms": round(sender._rtt_smoothed * 1e3, 3),
    }


def main(origin, port, address, certificate, initial_rtt_ms=None):
    chosen: dict[str, object] = {} if initial_rtt_ms is None else {"initial_rtt": float(initial_rtt_ms) / 1e3}
    tickets: deque[SessionTicket] = deque(maxlen=1)  # of a session that was resumed none may come before its end

    def one(path, timeout_s, fresh):
        newest = None if fresh or not tickets else tickets[-1]
        own, keep = chosen | {"session_ticket": newest}, None if fresh else tickets.append
        try:
            return asyncio.run(
                asyncio.wait_for(fetch(origin, int(port), address, certificate, path, own, keep), timeout_s)
            )
        except TimeoutError:
            raise FetchFailed(f"not finished within {timeout_s:g} s") from None

    answer_all(aioquic.__version__, one)


if __name__ == "__main__":
    main(*sys.argv[1:])
