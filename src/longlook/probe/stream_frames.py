"""STREAM frames with their lengths: one that states none extends to the end of its packet (RFC 9000, 19.8). Pure.

Where its data ends is known to SLIVER bytes from the packet's size, since nothing here tells how long the packet's
number is and which frames stand before it; and exactly where another frame of the stream begins as near as that.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Iterator

from longlook.probe.quic_packets import OVERHEAD, SLIVER, Packet


class StreamFrames:
    """Of one connection; `seen`: all of its packets, both ways."""

    def __init__(self, seen: Iterable[Packet]):
        found: dict[tuple[bool, int], set[int]] = {}
        for one in seen:
            for stream, offset in one.streams:
                found.setdefault((one.from_server, stream), set()).add(offset)
        self._starts = {where: sorted(offsets) for where, offsets in found.items()}

    def of(self, one: Packet) -> Iterator[tuple[int, int, int]]:
        """(stream, offset, length) of each STREAM frame in one of the packets, bytes."""
        for number, (stream, offset) in enumerate(one.streams):
            stated = number < len(one.lengths)
            yield stream, offset, one.lengths[number] if stated else self._to_the_end(one, stream, offset)

    def _to_the_end(self, one: Packet, stream: int, offset: int) -> int:
        room = max(one.size - one.beside - one.id_bytes - OVERHEAD - sum(one.lengths), 0)
        starts, end = self._starts[one.from_server, stream], offset + room
        near = starts[bisect.bisect_left(starts, end - SLIVER) : bisect.bisect_right(starts, end + SLIVER)]
        after = [start for start in near if start > offset]
        return min(after, key=lambda start: abs(start - end)) - offset if after else room
