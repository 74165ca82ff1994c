"""How much more a QUIC server may send of its answers before its client's flow control stops it (RFC 9000, 4.1).

From a capture beside the server: what it has sent, and the limits that have come. TCP's is in the kernel's trace
(tcp_probe.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.probe.capture import fields
from longlook.probe.quic_packets import Packet
from longlook.probe.stream_frames import StreamFrames

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["time_s", "allowed_bytes"]
NAMES = ("tls.quic.parameter.initial_max_data", "tls.quic.parameter.initial_max_stream_data_bidi_local")


@dataclass(frozen=True)
class Limits:
    """A client's first ones, bytes: of the connection, and of each stream that it opens."""

    connection: int
    stream: int


def first_limits(pcap: Path, port: int) -> Limits | None:
    """Of the first connection to a server's port, from its ClientHello; None where that cannot be read."""
    for connection, stream in fields(pcap, NAMES, ("-Y", f"udp.dstport == {port} && {NAMES[0]} && {NAMES[1]}")):
        return Limits(int(connection.split(",")[0]), int(stream.split(",")[0]))
    return None


def follow(packets: Sequence[Packet], first: Limits) -> pd.DataFrame:
    """Columns COLUMNS, a row wherever it changes: the least that the connection and a stream with an answer under way
    allow. Pure."""
    import pandas as pd

    return pd.DataFrame(_rows(packets, first), columns=COLUMNS)


def _rows(packets: Sequence[Packet], first: Limits) -> Iterator[tuple[float, int]]:
    frames = StreamFrames(packets)
    limit, limits, ends = first.connection, dict[int, int](), dict[int, int]()
    for packet in packets:
        if packet.from_server:
            for stream, offset, length in frames.of(packet):
                ends[stream] = max(ends.get(stream, 0), offset + length)
        else:
            limit = max(limit, packet.max_data)
            limits |= {stream: max(most, limits.get(stream, first.stream)) for stream, most in packet.max_stream_data}
        own = [limits.get(stream, first.stream) - end for stream, end in ends.items() if stream % 4 == 0]
        if own and (packet.from_server or packet.max_data or packet.max_stream_data):
            yield packet.time_s, max(min(limit - sum(ends.values()), *own), 0)
