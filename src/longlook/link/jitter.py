"""A link under jitter, measured: the RTT's distribution, and each direction's delays, their range and changes."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections.abc import Sequence
from typing import Any

from longlook.host.hosts import Hosts
from longlook.link.ping import echo_times_ms
from longlook.link.streams import ENDS, Stream, one_way_ms, spaced
from longlook.plan.link import Link

PINGS, INTERVAL_S = 1500, 0.004
UNLIKELY = 1e-4
"""Probability that the range of a right direction's delays is below its bound."""
STEP = 0.04
"""A change of the delay, as a share of its range: below are the link's own unevenness and late packets."""
WIDEST = 7
"""Packets whose median is taken: stalls of up to 12 ms leave no trace."""
CHANGES_PER_DRAW = 1.5
"""A rise is one step, a fall two."""
CHANGES_AT_LEAST, CHANGES_AT_MOST = 0.65, 1.5
"""Times what is expected."""


def measure_jitter(testbed: Hosts, link: Link) -> dict[str, Any]:
    """Echo requests, and a stream in each direction, all at once: distribution of the RTT, the share of replies that
    came late by RFC 4737 (an earlier number after a later one), and what each direction's delays were."""
    streams = {way: Stream(testbed, way, [spaced(PINGS, INTERVAL_S)]) for way in ENDS}
    for stream in streams.values():
        stream.go()
    address = testbed.hosts["server"].address
    argv = ["ping", "-n", "-c", str(PINGS), "-i", str(INTERVAL_S), "-W", "2", address]
    out = testbed.run("client", argv, timeout_s=PINGS * INTERVAL_S + 15, check=False)
    numbers = [int(text) for text in re.findall(r"icmp_seq=(\d+) ttl", out)]
    times = echo_times_ms(out)
    latest, reordered = 0, 0
    for number in numbers:
        reordered += number < latest
        latest = max(latest, number)
    return {
        "replies": len(times),
        "rtt_ms_mean": statistics.fmean(times) if times else None,
        "rtt_ms_std": statistics.stdev(times) if len(times) > 1 else None,
        "rtt_ms_min": min(times, default=None),
        "rtt_ms_max": max(times, default=None),
        "reordered_pct": 100 * reordered / len(numbers) if numbers else None,
        **{way: _way(stream.result()[1].get(0, []), link) for way, stream in streams.items()},
    }


def _way(rows: Sequence[Sequence[int]], link: Link) -> dict[str, Any]:
    """Of one direction's packets (number, sent, arrived): least and most delay, spread, and how often it changed."""
    delays = one_way_ms(sorted(rows, key=lambda row: row[0]), 0.0)
    return {
        "arrived": len(delays),
        "min_ms": min(delays, default=None),
        "max_ms": max(delays, default=None),
        "std_ms": statistics.stdev(delays) if len(delays) > 1 else None,
        "changes": changes(delays, STEP * link.jitter_ms, link.jitter_interval_ms),
    }


def changes(delays_ms: Sequence[float], step_ms: float, interval_ms: float) -> int:
    """How often the delay of packets in order changed by more than a step. The median of a few neighbours goes before:
    packets that a stall of the machine held up are no change, unless they are as many as between two half steps."""
    import numpy as np
    from scipy.ndimage import median_filter

    between = interval_ms / 2 / (INTERVAL_S * 1e3)
    width = min(WIDEST, 2 * int(between / 4) + 1)
    steady = median_filter(np.asarray(delays_ms, dtype=float), size=width, mode="nearest") if delays_ms else []
    return int(sum(abs(after - before) > step_ms for before, after in itertools.pairwise(steady)))


def jitter_problems(link: Link, measured: dict[str, Any], stall_ms: float, one_clock: bool = True) -> list[str]:
    """Ways in which delays are not those of two independent uniform distributions; empty when they are.

    `stall_ms`: by which single packets may be late; `one_clock`: delays of one direction are more than differences.
    """
    if measured["replies"] < 0.98 * PINGS:
        return [f"{measured['replies']} of {PINGS} echo requests answered"]
    found = _rtt_problems(link, measured, stall_ms)
    for way in ENDS:
        found += [f"{way}: {one}" for one in _way_problems(link, measured[way], stall_ms, one_clock)]
    return found


def _rtt_problems(link: Link, measured: dict[str, Any], stall_ms: float) -> list[str]:
    # Each direction is one draw per interval: so many independent samples of a sum of two uniform delays. The half
    # steps hold a falling delay up: a twelfth of the range in both directions together.
    std, mean = link.jitter_ms / math.sqrt(6), link.rtt_ms + link.jitter_ms / 12
    found = []
    if abs(measured["rtt_ms_mean"] - mean) > 4 * std / math.sqrt(draws(link)):
        found.append(f"mean RTT {measured['rtt_ms_mean']:.1f} ms, about {mean:.1f} ms expected")
    if not 0.5 * std < measured["rtt_ms_std"] < 1.5 * std:
        found.append(f"standard deviation of the RTT {measured['rtt_ms_std']:.1f} ms, about {std:.1f} ms expected")
    low, high = link.rtt_ms - link.jitter_ms, link.rtt_ms + link.jitter_ms
    if measured["rtt_ms_min"] < low - 1 or measured["rtt_ms_max"] > high + stall_ms:
        found.append(
            f"RTT from {measured['rtt_ms_min']:.1f} to {measured['rtt_ms_max']:.1f} ms, {low:g} to {high:g} set"
        )
    if not measured["reordered_pct"] > 1:
        found.append(f"{measured['reordered_pct']:.1f} % of the echo replies reordered: jitter must reorder")
    return found


def _way_problems(link: Link, seen: dict[str, Any], stall_ms: float, one_clock: bool) -> list[str]:
    if seen["arrived"] < 0.97 * PINGS:
        return [f"{seen['arrived']} of {PINGS} packets arrived"]
    low, high = (link.rtt_ms - link.jitter_ms) / 2, (link.rtt_ms + link.jitter_ms) / 2
    least, most = seen["min_ms"], seen["max_ms"]
    found = []
    if one_clock and (least < low - 1 or most > high + stall_ms):
        found.append(f"delays from {least:.1f} to {most:.1f} ms, {low:g} to {high:g} set")
    narrow = least_range(int(draws(link))) * link.jitter_ms
    if not narrow - 1 < most - least < link.jitter_ms + stall_ms:
        found.append(f"delays within {most - least:.1f} ms, {narrow:.1f} to {link.jitter_ms:g} ms expected")
    expected = CHANGES_PER_DRAW * draws(link)
    if not CHANGES_AT_LEAST * expected < seen["changes"] < CHANGES_AT_MOST * expected:
        found.append(
            f"the delay changed {seen['changes']} times, about {expected:.0f} expected (every "
            f"{link.jitter_interval_ms:g} ms)"
        )
    return found


def draws(link: Link) -> float:
    """Of each direction's delay, while it is measured."""
    return PINGS * INTERVAL_S * 1e3 / link.jitter_interval_ms


def least_range(count: int) -> float:
    """Of so many draws from a uniform distribution of width 1: the range that is undercut with probability `UNLIKELY`
    (P(range < x) = n x^(n-1) - (n-1) x^n)."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        below = count * middle ** (count - 1) - (count - 1) * middle**count
        low, high = (middle, high) if below < UNLIKELY else (low, middle)
    return low
