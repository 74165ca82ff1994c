"""Which packets a linkpipe loses, known beforehand: they follow from the seed and the packets' numbers. Pure.

The same numbers as `tools/linkpipe/loss.go` draws, for a loss without correlation. Packets are counted from 1 in each
direction, from when the link was seeded; what else crosses it counts too.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from longlook.plan.link import Link

MASK = (1 << 64) - 1
STREAMS = {"server_to_client": 0x9E6C63D0876A9A47, "client_to_server": 0xD1B54A32D192ED03}
LOSS = 0x8CB92BA72F3D8DD7


def splitmix64(number: int) -> int:
    """The finaliser of Steele, Lea and Flood's generator (OOPSLA 2014)."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & MASK
    return number ^ (number >> 31)


def lost_packets(link: Link, way: str, seed: int) -> Iterator[int]:
    """Numbers of the packets of a direction that `loss_pct` takes, without end; none where there is no such loss."""
    threshold = int(link.loss_pct_of(way) / 100 * 2**64)
    if not threshold:
        return
    key = splitmix64(splitmix64(seed ^ STREAMS[way]) ^ LOSS)
    for number in count(1):
        if splitmix64((key + splitmix64(number)) & MASK) < threshold:
            yield number
