"""How much of what a server answers has been acknowledged over time, as its client's ACKs left it.

Every byte counts once, from the first ACK that names it, in order or not: a QUIC packet's data with the packet (RFC
9000, 13.1), TCP's by number or by a SACK block (RFC 2018). Of QUIC these are the bytes of the streams that the client
opened for both directions, with HTTP/3's framing; of TCP all after the handshake of TLS, with the framing of HTTP/2 and
of TLS records. Of QUIC, whose packets are read beside the server, ACKs that never came there are missing.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.probe.capture import fields
from longlook.probe.quic_packets import Packet
from longlook.probe.stream_frames import StreamFrames

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["time_s", "acked_bytes"]
NAMES = (
    *("frame.time_epoch", "tcp.srcport", "tcp.dstport", "tcp.flags.syn", "tcp.seq", "tcp.ack", "tcp.len"),
    *("tcp.options.sack_le", "tcp.options.sack_re"),
)
NUMBERS = 1 << 32
"""TCP's sequence numbers begin anew after so many bytes."""


class Covered:
    """Which bytes of a stream are in, as ranges that neither meet nor overlap."""

    def __init__(self) -> None:
        self._begins: list[int] = []
        self._ends: list[int] = []
        self.total = 0

    def add(self, begin: int, end: int) -> None:
        """From `begin` up to `end`, which is not in."""
        if end <= begin:
            return
        first, last = bisect.bisect_left(self._ends, begin), bisect.bisect_right(self._begins, end)
        if first < last:
            begin, end = min(begin, self._begins[first]), max(end, self._ends[last - 1])
            pairs = zip(self._begins[first:last], self._ends[first:last], strict=True)
            self.total -= sum(until - since for since, until in pairs)
        self._begins[first:last], self._ends[first:last] = [begin], [end]
        self.total += end - begin


def of_quic(packets: Sequence[Packet], at_client: Mapping[str, float]) -> pd.DataFrame:
    """Columns COLUMNS, a row for each ACK that names something new; `at_client` as of rtt_parts.seen_at_client."""
    frames, carried = StreamFrames(packets), dict[int, list[tuple[int, int, int]]]()
    streams: dict[int, Covered] = {}
    rows = []
    for packet in packets:
        if packet.from_server:
            carried[packet.number] = [one for one in frames.of(packet) if one[0] % 4 == 0]  # RFC 9000, 2.1
            continue
        new = [number for low, high in packet.acked for number in _within(carried, low, high)]
        for stream, offset, length in (one for number in new for one in carried.pop(number)):
            streams.setdefault(stream, Covered()).add(offset, offset + length)
        if new and packet.prefix in at_client:
            rows.append((at_client[packet.prefix], sum(one.total for one in streams.values())))
    return _rising(rows)


def _within(numbers: Mapping[int, object], low: int, high: int) -> list[int]:
    """Those of `numbers` from `low` to `high`, by whichever is fewer."""
    if high - low < len(numbers):
        return [number for number in range(low, high + 1) if number in numbers]
    return [number for number in numbers if low <= number <= high]


@dataclass(frozen=True)
class Segment:
    """One of TCP between a client and a server, its numbers as they were sent."""

    time_s: float
    """Unix time at the client."""
    client_port: int
    up: bool
    """Towards the server."""
    syn: bool
    seq: int
    ack: int
    size: int
    """Payload, bytes."""
    sacked: tuple[tuple[int, int], ...] = ()


def segments(pcap: Path, port: int) -> Iterator[Segment]:
    """TCP from and to one server's port; headers are enough."""
    options = ("-o", "tcp.relative_sequence_numbers:FALSE", "-Y", f"tcp.port == {port}")
    for row in fields(pcap, NAMES, options):
        yield parse_row(row, port)


def parse_row(row: Sequence[str], port: int) -> Segment:
    """One line of tshark's fields."""
    at, source, target, syn, seq, ack, size, *blocks = row
    up = int(target) == port
    lows, highs = ([int(one) for one in text.split(",")] if text else [] for text in blocks)
    sacked = tuple(zip(lows, highs, strict=True))
    client = int(source if up else target)
    return Segment(float(at), client, up, syn in ("1", "True"), int(seq), int(ack or 0), int(size), sacked)


def of_tcp(seen: Iterable[Segment]) -> pd.DataFrame:
    """Columns COLUMNS, a row for each ACK that names something new; of the connection that carried most."""
    by_port: dict[int, list[Segment]] = {}
    for one in seen:
        by_port.setdefault(one.client_port, []).append(one)
    found = [_rising(_of_connection(own)) for own in by_port.values()]
    return max(found, key=lambda table: table["acked_bytes"].max() if len(table) else 0, default=_rising([]))


def _of_connection(seen: Sequence[Segment]) -> Iterator[tuple[float, int]]:
    """The request comes with, or right after, the client's first data that answers the server: what the server had sent
    until then is TLS's handshake."""
    first: int | None = None
    covered: Covered | None = None
    for one in seen:
        if not one.up:
            if one.syn:
                first = (one.seq + 1) % NUMBERS
            continue
        if first is None or one.syn:
            continue
        if covered is None:
            if not one.size or one.ack == first:
                continue
            first, covered = one.ack, Covered()
        for begin, end in ((first, one.ack), *one.sacked):
            since = (begin - first) % NUMBERS
            length = (end - begin) % NUMBERS
            if since < NUMBERS // 2 and length < NUMBERS // 2:  # nothing from before the request
                covered.add(since, since + length)
        yield one.time_s, covered.total


def _rising(rows: Iterable[tuple[float, int]]) -> pd.DataFrame:
    """In the order of time; only where it grows."""
    import pandas as pd

    table = pd.DataFrame(sorted(rows), columns=COLUMNS)
    return table[table["acked_bytes"] > table["acked_bytes"].cummax().shift(fill_value=0)].reset_index(drop=True)
