"""A link with a token bucket, measured: what passes at once while tokens last, and the rate of what follows.

A stream in each direction, several times as fast as the link, until the bucket has been empty for a while. What came
of it by then beyond what the rate lets pass is what the bucket held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from longlook.host.hosts import Hosts
from longlook.link.streams import ENDS, MARGIN_S, Stream, burst_bytes, held_at_most, slope_mbps
from longlook.plan.link import Link

TIMES, MOST_MBPS, LEAST_TIMES = 10.0, 100.0, 2.0
"""Of the link's rate, at which the stream is sent; no more than a receiver in Python surely takes, and no less than
shows a bucket."""
AFTERWARDS_S = 0.25
"""For so long the stream goes on when the bucket is to be empty."""
SLOPE_S = 0.2
"""Of it, at the end, what tells the rate."""
FASTER = 1.5
"""Times the rate, at least, at which the first half of a bucket passes."""
DEPTH_PCT, DEPTH_PACKETS = 2.0, 4.0
"""By which a bucket's depth may differ."""


def measure_burst(testbed: Hosts, link: Link) -> dict[str, Any]:
    """Of each direction of a link whose buckets are full: bytes that they held, and the rates before and after."""
    found = {}
    for way in ENDS:
        own = link.one_way(way)
        stream = Stream(testbed, way, [phase(own)])
        _, arrived = stream.result()
        found[way] = seen(own, arrived.get(0, []))
    return found


def phase(link: Link) -> dict[str, Any]:
    """What is sent in one direction."""
    size, mbps = burst_bytes(link), link.bandwidth_mbps
    sent_mbps = max(min(TIMES * mbps, MOST_MBPS), LEAST_TIMES * mbps)
    lasts_s = (_depth(link) + held_at_most(link)) * 8 / ((sent_mbps - mbps) * 1e6) + AFTERWARDS_S
    return {
        "kind": "paced",
        "frame_bytes": size,
        "mbps": sent_mbps,
        "count": int(sent_mbps * 1e6 / 8 * lasts_s / size) + 1,
        "settle_s": held_at_most(link) * 8 / (mbps * 1e6) + MARGIN_S,
    }


def seen(link: Link, rows: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Of one direction's packets (number, sent, arrived): `burst_bytes` that passed beyond the rate, `first_mbps` at
    which half of them did, and `then_mbps` of the last; None where too few packets came."""
    times, size = sorted(row[2] for row in rows), burst_bytes(link)
    half = min(_depth(link) // size // 2, len(times) - 1)
    last = [at for at in times if at > times[-1] - SLOPE_S * 1e9]
    if half < 1 or times[half] == times[0]:
        return {"arrived": len(times), "burst_bytes": None, "first_mbps": None, "then_mbps": None}
    served = (times[-1] - times[0]) * link.bandwidth_mbps / 8e3
    return {
        "arrived": len(times),
        "burst_bytes": len(times) * size - served,
        "first_mbps": half * size * 8e3 / (times[half] - times[0]),
        "then_mbps": slope_mbps(last, size),
    }


def burst_problems(link: Link, measured: Mapping[str, Any], rate_pct: float) -> list[str]:
    """What is not as the bucket has it, with the numbers; empty when all is."""
    return [f"{way}: {one}" for way in ENDS for one in _way_problems(link.one_way(way), measured[way], rate_pct)]


def _way_problems(link: Link, own: Mapping[str, Any], rate_pct: float) -> list[str]:
    held, first, then = own["burst_bytes"], own["first_mbps"], own["then_mbps"]
    if held is None:
        return [f"{own['arrived']} packets of the stream for the burst arrived: too few to tell it"]
    found, allowed = [], DEPTH_PCT / 100 * _depth(link) + DEPTH_PACKETS * burst_bytes(link)
    if abs(held - _depth(link)) > allowed:
        found.append(f"a burst of {_depth(link)} bytes set, {held:.0f} measured (tolerance {allowed:.0f})")
    if first < FASTER * link.bandwidth_mbps:
        found.append(f"the burst passed at {first:.2f} Mbit/s, the link's rate is {link.bandwidth_mbps:g}")
    if abs(then / link.bandwidth_mbps - 1) * 100 > rate_pct:
        found.append(f"{link.bandwidth_mbps:g} Mbit/s set, {then:.3f} measured after the burst")
    return found


def _depth(link: Link) -> int:
    return link.burst_bytes or 0
