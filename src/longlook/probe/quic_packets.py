"""QUIC v1 from outside: what the server had in flight, what it sent again and which of that was needless.

A capture beside the server, decrypted with the client's keys, tells. A packet is declared lost, at the latest, when its
stream data is sent again; the loss was spurious if the packet is acknowledged all the same (RFC 9002, A.10 and 6.2.4).
Only 1-RTT packets are counted.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.probe.capture import fields

if TYPE_CHECKING:
    import pandas as pd

NAMES = (
    *("frame.time_epoch", "udp.srcport", "udp.length", "quic.packet_number"),
    *("quic.ack.largest_acknowledged", "quic.ack.first_ack_range", "quic.ack.gap", "quic.ack.ack_range"),
    *("quic.ack.ack_delay", "quic.stream.stream_id", "quic.stream.off", "quic.stream.offset", "udp.payload"),
    *("quic.dcid", "quic.stream.length", "quic.md.maximum_data", "quic.msd.stream_id", "quic.msd.maximum_stream_data"),
    *("quic.packet_length", "quic.crypto.length", "quic.nci.connection_id.length"),
)
UDP_HEADER = 8
PREFIX_HEX = 80
"""Hex digits that tell a packet from all others; a capture of headers holds more."""
ACK_DELAY_EXPONENT = 3
SLIVER = 16
"""Bytes: lengths are known to that only, where a frame fills its packet and does not state its own."""
NEW_ID = 20
"""Bytes of a NEW_CONNECTION_ID frame beside the id: type, two numbers below 64, length, token (RFC 9000, 19.15). With
an id of 8 bytes it is longer than `SLIVER`."""
OVERHEAD = 26
"""Bytes of a packet that are no stream data: header, tag and frame header."""
COLUMNS = ["time_s", "bytes_in_flight", "latest_rtt_ms", "lost", "spurious", "packets_sent"]


@dataclass(frozen=True)
class Packet:
    """One UDP datagram that ends in a 1-RTT packet."""

    time_s: float
    from_server: bool
    size: int
    """QUIC bytes of the datagram."""
    number: int
    acked: tuple[tuple[int, int], ...] = ()
    """Ranges of packet numbers that it acknowledges, both ends included."""
    ack_delay_ms: float = 0.0
    streams: tuple[tuple[int, int], ...] = ()
    """(stream, offset) of its STREAM frames."""
    lengths: tuple[int, ...] = ()
    """Bytes of stream data in each of `streams` that states them: all, or all but the last, which fills the packet."""
    prefix: str = ""
    """Beginning of its ciphertext, hex: the same at every place where it is captured."""
    id_bytes: int = 0
    """Of the receiver's connection id, which stands in front of it: browsers have none, gtlsclient's has 17."""
    max_data: int = 0
    """Bytes that its sender takes in all, where it says so anew."""
    max_stream_data: tuple[tuple[int, int], ...] = ()
    """The same of streams: (stream, bytes)."""
    beside: int = 0
    """Of `size`, what is not in the 1-RTT packet, where all is its CRYPTO frames; and its NEW_CONNECTION_ID frames."""


def read_packets(pcap: Path, keys: Path, port: int) -> Iterator[Packet]:
    """Decrypt the QUIC packets of one server's port."""
    # Without HTTP/3, for which tshark would put the streams together again: quadratic in their length.
    options = (
        "-o",
        f"tls.keylog_file:{keys}",
        "--disable-protocol",
        "http3",
        "-Y",
        f"quic.short && udp.port == {port}",
    )
    for row in fields(pcap, NAMES, options):
        if packet := parse_row(row, port):
            yield packet


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split(",")] if text else []


def parse_row(row: list[str], port: int) -> Packet | None:
    """One line of tshark's fields; None where it could not be decrypted."""
    at, source, length, numbers, largest, first, gaps, ranges, delay, streams, has_offset, offsets, *rest = row
    payload, ids, lengths, most, limited, limits, packets, crypto, new_ids = rest
    if not numbers:
        return None
    top = _numbers(largest)
    acked: list[tuple[int, int]] = []
    if top:  # the last ACK frame is the 1-RTT packet's; earlier ones belong to handshake packets of the same datagram
        high = top[-1]
        low = high - _numbers(first)[-1]
        acked.append((low, high))
        for gap, length_of_range in zip(_numbers(gaps), _numbers(ranges), strict=False):
            high = low - gap - 2
            low = high - length_of_range
            acked.append((low, high))
    begins = iter(_numbers(offsets))  # a frame at offset 0 has no such field
    flags = [flag in ("1", "True") for flag in has_offset.split(",")]
    data = tuple((stream, next(begins) if flag else 0) for stream, flag in zip(_numbers(streams), flags, strict=False))
    waited, size = _numbers(delay), int(length.split(",")[0]) - UDP_HEADER
    own = _numbers(packets)[-1] if packets else size
    return Packet(
        time_s=float(at),
        from_server=int(source.split(",")[0]) == port,
        size=size,
        number=_numbers(numbers)[-1],
        acked=tuple(acked),
        ack_delay_ms=(waited[-1] << ACK_DELAY_EXPONENT) / 1e3 if waited else 0.0,
        streams=data,
        lengths=tuple(_numbers(lengths)),
        prefix=payload[:PREFIX_HEX],
        id_bytes=len(ids.split(",")[-1].replace(":", "")) // 2,
        max_data=max(_numbers(most), default=0),
        max_stream_data=tuple(zip(_numbers(limited), _numbers(limits), strict=True)),
        beside=(sum(_numbers(crypto)) if own == size else size - own) + sum(NEW_ID + one for one in _numbers(new_ids)),
    )


class _Sent:
    """Which packet carried which bytes of a stream last.

    Retransmissions may cut the stream elsewhere than new data did.
    """

    def __init__(self):
        self._starts: dict[int, list[int]] = {}
        self._owners: dict[int, list[int | None]] = {}

    def carry(self, stream: int, offset: int, size: int, number: int) -> list[int]:
        """Note that a packet of `size` bytes carries the stream from `offset`.

        Returns the packets that carried these bytes before.
        """
        starts, owners = self._starts.setdefault(stream, [0]), self._owners.setdefault(stream, [None])
        end = offset + max(size - OVERHEAD, 1)
        first = bisect.bisect_right(starts, offset) - 1
        last = bisect.bisect_left(starts, end)
        edges = [*starts[first:last], starts[last] if last < len(starts) else end]
        earlier = [
            owner
            for owner, begin, until in zip(owners[first:last], edges, edges[1:], strict=False)
            if owner is not None and min(until, end) - max(begin, offset) > min(SLIVER, size // 4)
        ]
        kept = [(starts[first], owners[first])] if starts[first] < offset else []
        after = [(end, owners[last - 1])] if last == len(starts) or starts[last] > end else []
        if last == len(starts):
            after = [(end, None)]  # what lies beyond was never sent
        made = [*kept, (offset, number), *after]
        starts[first:last], owners[first:last] = [one for one, _ in made], [one for _, one in made]
        return earlier


FORGET_S = 3.0
"""An acknowledgement of a packet declared lost comes within a few RTTs or not at all."""


class _Ranges:
    """The packet numbers that one ACK frame acknowledges."""

    def __init__(self, ranges: tuple[tuple[int, int], ...]):
        self._lows, self._highs = zip(*sorted(ranges), strict=True)

    def __contains__(self, number: int) -> bool:
        index = bisect.bisect_right(self._lows, number) - 1
        return index >= 0 and number <= self._highs[index]


def follow(packets: Iterable[Packet]) -> pd.DataFrame:
    """The server's state after every packet, columns COLUMNS; `lost` and `spurious` count packets so far. Pure."""
    return followed(packets)[0]


def followed(packets: Iterable[Packet]) -> tuple[pd.DataFrame, list[tuple[float, int]]]:
    """`follow`, and each packet declared lost: when (Unix time, s), and its number. Pure."""
    import pandas as pd

    declared: list[tuple[float, int]] = []
    flying: dict[int, tuple[float, int]] = {}
    given_up: dict[int, float] = {}
    carried, rows, total, rtt = _Sent(), [], 0, None
    sent = lost = spurious = 0
    for packet in packets:
        if packet.from_server:
            if not packet.streams:
                continue  # only an acknowledgement: not in flight
            sent += 1
            share = (packet.size - packet.id_bytes) // len(packet.streams)
            for stream, offset in packet.streams:
                for earlier in carried.carry(stream, offset, share, packet.number):
                    if earlier in flying:
                        total -= flying.pop(earlier)[1]
                        given_up[earlier] = packet.time_s
                        declared.append((packet.time_s, earlier))
                        lost += 1
            flying[packet.number] = (packet.time_s, packet.size)
            total += packet.size
        elif packet.acked:
            acked = _Ranges(packet.acked)
            arrived = [number for number in flying if number in acked]
            if packet.acked[0][1] in flying:
                rtt = (packet.time_s - flying[packet.acked[0][1]][0]) * 1e3
            for number in arrived:
                total -= flying.pop(number)[1]
            needless = [number for number in given_up if number in acked]
            spurious += len(needless)
            given_up = {one: at for one, at in given_up.items() if one not in acked and packet.time_s - at < FORGET_S}
        rows.append((packet.time_s, total, rtt, lost, spurious, sent))
    return pd.DataFrame(rows, columns=COLUMNS), declared
