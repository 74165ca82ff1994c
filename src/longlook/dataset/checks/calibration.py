"""A cell's record of its link's calibration, judged again by its own numbers.

The first campaigns' as it was judged when they were measured, whatever judges today's.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from longlook.link.base import DIRECTIONS
from longlook.link.burst import burst_problems
from longlook.link.calibrate import Losses, Tolerance, problems
from longlook.link.discipline import discipline_problems
from longlook.link.fates import fate_problems
from longlook.link.jitter import jitter_problems
from longlook.link.traced import trace_problems
from longlook.plan.conditions import MANAGED
from longlook.plan.link import Link
from longlook.plan.trace import RATES

RTT_MS, RATE_PCT, LOST_PCT, STALL_MS = 1.0, 3.0, 3.0, 10.0
"""The widest tolerances that there were."""
ECHOES_S = 6.0
"""For so long the delays under jitter were watched."""
MOST_PACKETS = 10**7
"""Of a calibration; the probabilities of so many are added up in a moment."""


def calibration_problems(link: Link, record: Any) -> Iterator[str]:
    """Why a calibration does not show that the link was what the cell asks for."""
    if not isinstance(record, Mapping) or record.get("within_tolerance") is not True:
        yield "its link was not within tolerance, or nothing says that it was"
        return
    right = link.model_dump() | {"queue_bytes": link.effective_queue_bytes, "queue_packets": link.queue_packets}
    later = {name: right.get(name) for name in ("upload_mbps", "loss_direction", "burst_bytes", *RATES, *MANAGED)}
    right |= later
    said = dict.fromkeys(later) | dict(record.get("set") or {})
    wrong = [key for key, value in said.items() if key in right and value != right[key]]
    if wrong:
        yield f"another link was calibrated: {wrong[0]} {said[wrong[0]]}, not {right[wrong[0]]}"
    attempts, measured = record.get("attempts") or [], record["measured"]
    if "losses" in record:
        yield from _today(link, record)
        return
    if attempts and (attempts[-1]["problems"] or attempts[-1]["measured"] != measured):
        yield "its last calibration is not the one that it rests on, or was out of tolerance"
    yield from _measured(link, measured)


def _today(link: Link, record: Mapping[str, Any]) -> Iterator[str]:
    """A calibration of streams in each direction, by what judges those."""
    own, measured = record["tolerance"], record["measured"]
    widest = min(float(own["rate_pct"]), RATE_PCT)
    tolerance = Tolerance(rate_pct=widest)
    losses = {way: Losses(int(record["losses"][way]["sent"]), int(record["losses"][way]["lost"])) for way in DIRECTIONS}
    if any(one.sent > MOST_PACKETS for one in losses.values()):
        yield f"calibration: more than {MOST_PACKETS} packets in one direction: no stream of ours has so many"
        return
    found = problems(link.plain, measured, tolerance, losses)
    if link.burst_bytes is not None:
        found += burst_problems(link, measured["burst"], widest)
    if link.trace or link.upload_trace:
        found += trace_problems(link, measured["traces"])
    if link.queue_discipline is not None:
        found += discipline_problems(link, measured["queue_discipline"])
    if link.jitter_ms:
        found += jitter_problems(link, measured["jitter"], tolerance.stall_ms, record["one_clock"])
    if link.netem:
        found += fate_problems(link, measured["fates"], record["one_clock"])
    yield from (f"calibration: {line}" for line in found)


def _measured(link: Link, measured: Mapping[str, Any]) -> Iterator[str]:
    if "rtt_ms_median" in measured and not abs(measured["rtt_ms_median"] - link.rtt_ms) <= RTT_MS:
        yield f"calibration: RTT {link.rtt_ms:g} ms set, {measured['rtt_ms_median']} ms measured"
    for way in DIRECTIONS:
        rate, lost = measured.get(f"{way}_mbps"), measured.get(f"{way}_train_lost_pct")
        mbps = link.one_way(way).bandwidth_mbps
        if rate is not None and not abs(rate / mbps - 1) * 100 <= RATE_PCT:
            yield f"calibration: {way} {mbps:g} Mbit/s set, {rate:.2f} measured"
        if lost is not None and not lost - link.loss_pct_of(way) <= LOST_PCT:
            yield f"calibration: {way} lost {lost:.2f} % of a train, {link.loss_pct_of(way):g} % set"
    if link.jitter_ms and "jitter" in measured:
        yield from _jitter(link, measured["jitter"])


def _jitter(link: Link, seen: Mapping[str, Any]) -> Iterator[str]:
    """The mean and the range of the RTT under jitter; the half steps hold a falling delay up (link/redraw.py)."""
    if "rtt_ms_mean" not in seen:
        return
    std, mean = link.jitter_ms / math.sqrt(6), link.rtt_ms + link.jitter_ms / 12
    samples = ECHOES_S * 1e3 / link.jitter_interval_ms
    if not abs(seen["rtt_ms_mean"] - mean) <= 4 * std / math.sqrt(samples):
        yield f"calibration: mean RTT under jitter {seen['rtt_ms_mean']:.1f} ms, about {mean:.1f} ms expected"
    low, high = link.rtt_ms - link.jitter_ms, link.rtt_ms + link.jitter_ms
    if seen["rtt_ms_min"] < low - 1 or seen["rtt_ms_max"] > high + STALL_MS:
        yield f"calibration: RTT from {seen['rtt_ms_min']} to {seen['rtt_ms_max']} ms, {low:g} to {high:g} set"
