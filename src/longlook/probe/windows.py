"""Flow control windows that a client grants a server, from a capture beside the server and the client's keys.

A window is what the receiver allows less what has been sent: of QUIC by MAX_DATA and MAX_STREAM_DATA (RFC 9000, 4.1),
of HTTP/2 by SETTINGS and WINDOW_UPDATE (RFC 9113, 5.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.probe.allowance import Limits, first_limits
from longlook.probe.capture import fields
from longlook.probe.quic_packets import Packet, read_packets
from longlook.probe.stream_frames import StreamFrames

HTTP2_NAMES = (
    *("tcp.dstport", "http2.type", "http2.streamid", "http2.length"),
    *("http2.settings.initial_window_size", "http2.window_update.window_size_increment"),
)
DATA, HEADERS, SETTINGS, WINDOW_UPDATE = 0, 1, 4, 8
DEFAULT = 65535
"""Bytes: HTTP/2's windows where nothing else is said (RFC 9113, 6.9.2)."""


@dataclass(frozen=True)
class Windows:
    """Of one connection with one answer, bytes."""

    stream: int
    """Of the answer's stream, when it is asked for."""
    stream_most: int
    """Ever."""
    connection: int
    connection_most: int


class _Kept:
    """One window as it goes on: `limit` less `sent`, and the most that it was."""

    def __init__(self, limit: int):
        self.limit, self.sent, self.first, self.most = limit, 0, limit, limit

    def grant(self, limit: int) -> None:
        self.limit = max(self.limit, limit)
        self.most = max(self.most, self.limit - self.sent)


def of_quic(pcap: Path, keys: Path, port: int) -> Windows:
    """Of the one connection to a server's port; without a ClientHello that can be read a `LonglookError`."""
    first = first_limits(pcap, port)
    if first is None:
        raise LonglookError(f"{pcap}: no ClientHello to port {port} with flow control in it")
    return follow_quic(list(read_packets(pcap, keys, port)), first)


def follow_quic(packets: Sequence[Packet], first: Limits) -> Windows:
    """From its packets, in order; the answer is on stream 0."""
    frames = StreamFrames(packets)
    stream, connection = _Kept(first.stream), _Kept(first.connection)
    ends: dict[int, int] = {}
    for packet in packets:
        if packet.from_server:
            for number, offset, length in frames.of(packet):
                ends[number] = max(ends.get(number, 0), offset + length)
            stream.sent, connection.sent = ends.get(0, 0), sum(ends.values())
            continue
        connection.grant(packet.max_data)
        for number, limit in packet.max_stream_data:
            if number == 0:
                stream.grant(limit)
    return Windows(stream.first, stream.most, connection.first, connection.most)


@dataclass(frozen=True)
class Frame:
    """One of HTTP/2 that moves a window."""

    up: bool
    """Towards the server."""
    kind: int
    stream: int
    size: int = 0
    """Payload, bytes."""
    given: int | None = None
    """SETTINGS_INITIAL_WINDOW_SIZE, or the increment of a WINDOW_UPDATE."""


def of_http2(pcap: Path, keys: Path, port: int) -> Windows:
    """Of the one connection to a server's port."""
    options = ("-o", f"tls.keylog_file:{keys}", "-Y", f"http2 && tcp.port == {port}")
    return follow_http2(one for row in fields(pcap, HTTP2_NAMES, options) for one in frames_of(row, port))


def frames_of(row: Sequence[str], port: int) -> Iterator[Frame]:
    """The frames of one line of tshark's fields; SETTINGS that name the window first, which clients send first."""
    target, *lists = row
    kinds, streams, sizes, initial, increments = ([int(one) for one in text.split(",") if one] for text in lists)
    up, steps = int(target) == port, iter(increments)
    for size in initial:
        yield Frame(up, SETTINGS, 0, given=size)
    for kind, stream, size in zip(kinds, streams, sizes, strict=False):
        if kind == WINDOW_UPDATE:
            yield Frame(up, kind, stream, size, next(steps))
        elif kind in (DATA, HEADERS):
            yield Frame(up, kind, stream, size)


def follow_http2(frames: Iterable[Frame]) -> Windows:
    """From its frames, in order; the answer is on the stream of the client's first HEADERS. The window of a stream that
    is not open yet is the one of SETTINGS."""
    stream, connection, asked = _Kept(DEFAULT), _Kept(DEFAULT), None
    for one in frames:
        if not one.up:
            if one.kind == DATA:
                connection.sent += one.size
                stream.sent += one.size if one.stream == asked else 0
        elif one.kind == HEADERS:
            asked = one.stream if asked is None else asked
        elif one.kind == WINDOW_UPDATE:
            step = one.given or 0
            window = connection if one.stream == 0 else stream
            window.grant(window.limit + step)
        elif one.given is not None:
            stream = _Kept(one.given)
        if asked is None:
            connection.first = connection.limit
    if asked is None:
        raise LonglookError("a connection of HTTP/2 without a request")
    return Windows(stream.first, stream.most, connection.first, connection.most)
