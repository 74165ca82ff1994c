"""A link with traces, measured: the bytes that each direction passed in every 100 ms against its file.

A stream in each direction keeps the queue filled, so that no opportunity passes unused, from the moment at which the
trace's clock was set. A trace draws nothing: how surely another link is noticed is counted in the file itself.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any

from longlook.errors import LonglookError
from longlook.host.hosts import Hosts
from longlook.link.base import LinkDriver
from longlook.link.streams import ENDS, Stream
from longlook.plan.link import BITS_PER_BYTE, Link
from longlook.plan.trace import OPPORTUNITY_BYTES, LinkTrace, opportunities_of, window

SPAN_MS, BIN_MS = 6000, 100
MOST_PACKETS = 40_000
"""Of a stream; of a trace that has more opportunities it sees less than `SPAN_MS`."""
AHEAD, AHEAD_PACKETS = 1.5, 50
"""Times the busiest bin's rate, at which the stream is sent: more than the trace can pass from the second bin on."""
SLOP_MS = 2.0
"""By which a packet may be early or late, beyond what it took to set the clock: hosts and emulator take 0.1 ms."""
OUTSIDE = 0.05
"""Share of the bins that may be out of their bounds, where a virtual machine stalled."""
LEAST_BINS = 20
LINGER_S = 0.1
AFTER_MS = 500
"""For what is still in the queue."""
OTHERS = {"10 ms late": 10, "100 ms late": 100, "1 s late": 1000}
"""Clocks that are wrong; the record's `power` says which share of the bins would show each, and a steady mean rate: one
is noticed where that is more than `OUTSIDE`."""


def measure_traces(testbed: Hosts, driver: LinkDriver, link: Link, seed: int) -> dict[str, Any]:
    """Of each direction that has a trace; sets the link anew, without losses and with a queue that holds all of it."""
    offset_ms = link.trace_offset_ms(seed) or 0
    own = {way: window(opportunities_of(trace), offset_ms, SPAN_MS)[:MOST_PACKETS] for way, trace in _traces(link)}
    for way, found in own.items():
        if _span_ms(found) < (LEAST_BINS + 2) * BIN_MS:
            raise LonglookError(
                f"{way}: its trace passes {MOST_PACKETS} packets in {found[-1]} ms: too many to be measured"
            )
    most = max(len(found) for found in own.values()) + AHEAD_PACKETS
    roomy = {"queue_packets": None, "queue_bytes": most * OPPORTUNITY_BYTES}
    bare = link.plain.model_copy(update={"trace": link.trace, "upload_trace": link.upload_trace})
    driver.configure(bare.model_copy(update=roomy | {"loss_pct": 0.0, "loss_direction": None}), seed)
    streams = {way: Stream(testbed, way, [phase(found, link.rtt_ms)]) for way, found in own.items()}
    before = time.time_ns()
    driver.reseed(seed)
    after = time.time_ns()
    for stream in streams.values():
        stream.go()
    slop_ms = SLOP_MS + (after - before) / 2e6
    begun_ms = (before + after) / 2e6 + link.rtt_ms / 2
    measured = {}
    for way, stream in streams.items():
        sent, arrived = stream.result()
        first_ms = sent[0]["times"][0] / 1e6 + link.rtt_ms / 2 - begun_ms
        moments = [row[2] / 1e6 - begun_ms for row in arrived.get(0, [])]
        measured[way] = {"offset_ms": offset_ms} | seen(own[way], moments, first_ms, slop_ms)
    driver.reseed(seed)  # sends off what is still waiting for the trace: the next stream would take its end for its own
    time.sleep(link.rtt_ms / 2e3 + LINGER_S)
    return measured


def _traces(link: Link) -> list[tuple[str, LinkTrace]]:
    return [(way, trace) for way in ENDS if (trace := link.one_way(way).trace) is not None]


def phase(found: Sequence[int], rtt_ms: float) -> dict[str, Any]:
    """What is sent in one direction so that the opportunities `found` are all used."""
    per_ms = AHEAD * (max(_per_bin(found, 0, math.ceil(_span_ms(found) / BIN_MS))) + 1) / BIN_MS
    count = len(found) + AHEAD_PACKETS
    return {
        "kind": "paced",
        "frame_bytes": OPPORTUNITY_BYTES,
        "mbps": per_ms * OPPORTUNITY_BYTES * BITS_PER_BYTE / 1e3,
        "count": count,
        "settle_s": (max(_span_ms(found) - count / per_ms, 0) + rtt_ms + AFTER_MS) / 1e3,
    }


def _span_ms(found: Sequence[int]) -> int:
    """For so long the opportunities are known."""
    return found[-1] if len(found) == MOST_PACKETS else SPAN_MS


def _per_bin(moments: Sequence[float], first: int, end: int, shift_ms: float = 0.0, slop_ms: float = 0.0) -> list[int]:
    """How many of sorted moments lie in each bin from `first` on, before `end`; of bins that begin so much earlier, or
    are longer at either end."""
    return [
        bisect_left(moments, (number + 1) * BIN_MS - shift_ms + slop_ms)
        - bisect_left(moments, number * BIN_MS - shift_ms - slop_ms)
        for number in range(first, end)
    ]


def seen(found: Sequence[int], moments: Sequence[float], first_ms: float, slop_ms: float) -> dict[str, Any]:
    """Of packets that arrived `moments` ms after the clock was set (less the delay), the first one sent at `first_ms`:
    per bin how many, and least and most by the file."""
    moments, end = sorted(moments), _span_ms(found) // BIN_MS
    first = min(math.ceil(max(first_ms, 0) / BIN_MS) + 1, end)
    least, most = (_per_bin(found, first, end, slop_ms=slop) for slop in (-slop_ms, slop_ms))
    bounds = list(zip(least, most, strict=True))
    power = {"mean rate": _share_outside([len(found) * BIN_MS / _span_ms(found)] * (end - first), bounds)}
    for name, shift_ms in OTHERS.items():
        known = max(first, math.ceil(shift_ms / BIN_MS))
        power[f"clock {name}"] = _share_outside(_per_bin(found, known, end, shift_ms), bounds[known - first :])
    return {
        "bin_ms": BIN_MS,
        "first_bin": first,
        "opportunity_bytes": OPPORTUNITY_BYTES,
        "packets": _per_bin(moments, first, end),
        "at_least": least,
        "at_most": most,
        "total_at_least": bisect_left(found, end * BIN_MS - slop_ms) - bisect_left(found, first * BIN_MS + slop_ms),
        "total_at_most": bisect_left(found, end * BIN_MS + slop_ms) - bisect_left(found, first * BIN_MS - slop_ms),
        "power": power,
    }


def _share_outside(counts: Sequence[float], bounds: Sequence[tuple[int, int]]) -> float:
    return round(len(_outside(counts, bounds)) / max(len(counts), 1), 3)


def _outside(counts: Sequence[float], bounds: Sequence[tuple[int, int]]) -> list[int]:
    """Places of the bins that are out of their bounds."""
    return [at for at, (count, (low, high)) in enumerate(zip(counts, bounds, strict=True)) if not low <= count <= high]


def outside(own: Mapping[str, Any]) -> list[int]:
    """Of a direction as it was measured: the bins that had other bytes than the file."""
    return _outside(own["packets"], list(zip(own["at_least"], own["at_most"], strict=True)))


def trace_problems(link: Link, measured: Mapping[str, Any]) -> list[str]:
    """What did not pass as the files have it, with the numbers; empty when all did."""
    return [f"{way}: {one}" for way, trace in _traces(link) for one in _way_problems(trace.name, measured[way])]


def _way_problems(name: str, own: Mapping[str, Any]) -> list[str]:
    counts = own["packets"]
    if len(counts) < LEAST_BINS:
        return [f"trace {name}: its stream was seen for {len(counts)} times {BIN_MS} ms, {LEAST_BINS} at the least"]
    found, total, low, high = [], sum(counts), own["total_at_least"], own["total_at_most"]
    if not low <= total <= high:
        found.append(f"trace {name}: {total} full packets passed, {low} to {high} by the file")
    if len(wrong := outside(own)) > OUTSIDE * len(counts):
        at, size = wrong[0], own["opportunity_bytes"]
        found.append(
            f"trace {name}: in {len(wrong)} of {len(counts)} times {BIN_MS} ms other bytes passed than the file has, "
            f"{OUTSIDE:.0%} may; at {(own['first_bin'] + at) * BIN_MS / 1e3:g} s {counts[at] * size}, "
            f"{own['at_least'][at] * size} to {own['at_most'][at] * size} expected"
        )
    return found
