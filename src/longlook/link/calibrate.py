"""Calibration: before a condition is used, the link is measured against what was set, and the result recorded.

Each parameter is measured in each direction (streams.py): one-way delay, rate, queue, losses, order. What the emulator
counted is held against what the receiver got. `calibration.md` beside this says which errors are noticed, and how
often a right link is not believed.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from longlook.errors import LonglookError
from longlook.host.hosts import Hosts
from longlook.link.base import DIRECTIONS, LinkDriver
from longlook.link.binomial import CONFIDENCE, bounds, power
from longlook.link.burst import burst_problems, measure_burst
from longlook.link.discipline import discipline_problems, measure_discipline
from longlook.link.fates import fate_problems, measure_fates
from longlook.link.jitter import jitter_problems, measure_jitter
from longlook.link.ping import line_ms, ping_ms
from longlook.link.streams import Way, WayMeasured, burst_bytes
from longlook.link.traced import measure_traces, trace_problems
from longlook.plan.link import Link

ATTEMPTS = 3
"""Virtual machines stall: a measurement out of tolerance is repeated, and every attempt recorded. Losses are added up
over the attempts, where some are set, so that another try is no second chance."""
PAUSE_S = 1.0
"""Before the second attempt; longer by as much before each one after, for what disturbs to pass."""
OTHER_LOSSES = {"none": 0.0, "half": 0.5, "twice": 2.0, "five times": 5.0}
"""Times what is set; the record says how surely each is noticed."""
WITHOUT_LOSS = {"0.1 %": 0.001, "0.5 %": 0.005}
"""The same, where none is set."""
QUEUE_BOUND = {"bytes": "queue_bytes", "packets": "queue_slots"}
"""Of a record's tolerance: what a queue so limited may differ by."""


@dataclass(frozen=True)
class Tolerance:
    """What may differ from the set values."""

    rtt_ms: float = 0.6
    """Beyond the echo's own time on the line, which is a good part of it on a narrow one (`ping.line_ms`)."""
    one_way_ms: float = 0.3
    """0.05 to 0.12 ms is the hosts' own time."""
    rate_pct: float = 0.5
    """Single bursts are off by 0.01 %; of a link driver the driver's own (`LinkDriver.rate_tolerance_pct`)."""
    queue_pct: float = 10.0
    queue_packets: float = 4.0
    """Of the bursts' size, beyond that: a packet that did not fit whole, and the line's."""
    slots: float = 1.0
    """The same where the queue is limited in packets, which fit whole: the line's."""
    stall_ms: float = 10.0
    """By which a single echo may be late on a virtual machine."""


@dataclass
class Losses:
    """Of one direction's streams, over all attempts."""

    sent: int = 0
    lost: int = 0

    def against(self, share: float) -> dict[str, Any]:
        """With the bounds of a loss of this share, and how surely others are noticed."""
        low, high = bounds(self.sent, share)
        tries = (
            1 if share else ATTEMPTS
        )  # a lost packet where none is to be lost may be the machine's, and is tried again
        others = {name: times * share for name, times in OTHER_LOSSES.items()} if share else WITHOUT_LOSS
        return {
            "sent": self.sent,
            "lost": self.lost,
            "at_least": low,
            "at_most": high,
            "confidence": CONFIDENCE,
            "power": {
                name: round(power(self.sent, share, min(other, 1.0)) ** tries, 6) for name, other in others.items()
            },
        }


def measure(testbed: Hosts, driver: LinkDriver, link: Link, one_clock: bool = True) -> dict[str, Any]:
    """One calibration of a link without jitter. `one_clock`: both hosts' clocks are one; else only the sum of the
    delays is known, by echo requests."""
    ways = {way: Way(testbed, link, way) for way in DIRECTIONS}
    pings = ping_ms(testbed)
    measured: dict[str, Any] = {
        "rtt_ms_median": statistics.median(pings) if pings else None,
        "rtt_ms_min": min(pings, default=None),
        "rtt_ms_max": max(pings, default=None),
        "pings": len(pings),
    }
    for way in DIRECTIONS:
        before = driver.counters()[way]
        seen = ways[way].seen()
        counted = _counted(before, driver.counters()[way])
        measured[f"{way}_mbps"] = seen.mbps
        measured[way] = _record(seen, link, one_clock) | {"counted": counted}
    return measured


def _record(seen: WayMeasured, link: Link, one_clock: bool) -> dict[str, Any]:
    record = seen.record()
    if link.queue_packets is not None:  # all of a burst's frames have one size
        record["queue_packets"] = seen.queue_bytes / burst_bytes(link)
    if not one_clock:
        record["one_way_ms"] = None
        record["one_way_not_measured"] = (
            "the hosts' clocks differ: only the sum of both directions is known (rtt_ms_median)"
        )
    return record


def _counted(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    kept = ("packets_in", "packets_out", "dropped_loss", "dropped_queue", "socket_drops")
    return {name: after[name] - before.get(name, 0) for name in kept if name in after}


def problems(link: Link, measured: Mapping[str, Any], tolerance: Tolerance, losses: Mapping[str, Losses]) -> list[str]:
    """Every way in which a measurement is out of tolerance, with the numbers; empty when it is inside."""
    found = []
    rtt = measured["rtt_ms_median"]
    if rtt is None or abs(rtt - line_ms(link) - link.rtt_ms) > tolerance.rtt_ms:
        found.append(
            f"RTT {link.rtt_ms:g} ms set, {rtt} ms measured ({line_ms(link):.2g} of them on the line, tolerance "
            f"{tolerance.rtt_ms:g} ms)"
        )
    for way in DIRECTIONS:
        wrong = _way_problems(link.one_way(way), measured[way], tolerance) + _loss_problems(link, way, losses[way])
        found += [f"{way}: {one}" for one in wrong]
    return found


def _way_problems(link: Link, seen: Mapping[str, Any], tolerance: Tolerance) -> list[str]:
    found = []
    delay, rate = seen["one_way_ms"], seen["mbps"]
    if "one_way_not_measured" not in seen and (delay is None or abs(delay - link.rtt_ms / 2) > tolerance.one_way_ms):
        said = "none" if delay is None else f"{delay:.2f} ms"
        found.append(f"delay {link.rtt_ms / 2:g} ms set, {said} measured (tolerance {tolerance.one_way_ms:g} ms)")
    if not seen["filled"]:
        found.append("the sender was too slow to fill the queue: is this machine busy?")
    elif abs(rate / link.bandwidth_mbps - 1) * 100 > tolerance.rate_pct:
        found.append(f"{link.bandwidth_mbps:g} Mbit/s set, {rate:.3f} measured (tolerance {tolerance.rate_pct:g} %)")
    else:
        found += _queue_problems(link, seen, tolerance)
    for name in ("reordered", "duplicates"):
        if seen[name]:
            found.append(f"{seen[name]} packets {name}")
    return found + _count_problems(seen)


def _queue_problems(link: Link, seen: Mapping[str, Any], tolerance: Tolerance) -> list[str]:
    (unit, size), allowed = queue_limit(link), queue_tolerance(link, tolerance)
    queue, digits = seen[f"queue_{unit}"], 0 if unit == "bytes" else 1
    if abs(queue - size) <= allowed:
        return []
    return [f"queue of {size} {unit} set, {queue:.{digits}f} measured (tolerance {allowed:.{digits}f})"]


def _count_problems(seen: Mapping[str, Any]) -> list[str]:
    """Where the emulator's own counters do not agree with the hosts': losses that are not the link's, or that it
    hides."""
    counted = seen["counted"]
    if "packets_out" not in counted:
        return []
    entered, left = counted["packets_in"] - seen["sent"], counted["packets_out"] - seen["received"]
    if entered < 0 or left < 0 or entered != left:
        return [
            f"{seen['sent']} packets sent and {seen['received']} received, the emulator counted "
            f"{counted['packets_in']:.0f} and {counted['packets_out']:.0f}"
        ]
    return []


def queue_limit(link: Link) -> tuple[Literal["bytes", "packets"], int]:
    """In what a link's queue is limited, and how many of them it may hold."""
    if link.queue_packets is not None:
        return "packets", link.queue_packets
    return "bytes", link.longest_queue_bytes


def queue_tolerance(link: Link, tolerance: Tolerance) -> float:
    """By how much a queue may differ, in bytes or packets as it is limited."""
    unit, size = queue_limit(link)
    beyond = tolerance.slots if unit == "packets" else tolerance.queue_packets * burst_bytes(link)
    return tolerance.queue_pct / 100 * size + beyond


def _loss_problems(link: Link, way: str, seen: Losses) -> list[str]:
    share = link.loss_pct_of(way) / 100
    low, high = bounds(seen.sent, share)
    if low <= seen.lost <= high:
        return []
    return [f"{seen.lost} of {seen.sent} packets lost, {low} to {high} expected at {share:.3%}"]


def calibrate(testbed: Hosts, driver: LinkDriver, link: Link, tolerance: Tolerance | None = None) -> dict[str, Any]:
    """Measure until inside tolerance, at most `ATTEMPTS` times; the record of all attempts, or an error with the
    numbers.

    Under jitter, with a bucket, a trace, a queue discipline, or netem's parameters, the link is set anew, with a seed
    of the calibration's own.
    """
    tolerance = tolerance or Tolerance(rate_pct=driver.rate_tolerance_pct)
    one_clock = not testbed.machines()
    attempts: list[dict] = []
    losses = {way: Losses() for way in DIRECTIONS}
    for number in range(ATTEMPTS):
        time.sleep(PAUSE_S * number)
        attempts.append(_attempt(testbed, driver, link, tolerance, losses, number, one_clock))
        if not attempts[-1]["problems"]:
            return _whole(link, attempts, tolerance, losses, one_clock)
    raise LonglookError(
        f"the {driver.name} link is out of tolerance after {ATTEMPTS} attempts: {'; '.join(attempts[-1]['problems'])}"
    )


def _attempt(
    testbed: Hosts,
    driver: LinkDriver,
    link: Link,
    tolerance: Tolerance,
    losses: dict[str, Losses],
    number: int,
    one_clock: bool,
) -> dict[str, Any]:
    """One attempt; its losses are added to `losses`."""
    steady = link.plain
    if steady != link:  # off for the streams: it would stretch and squeeze the bursts, or let them pass
        driver.configure(steady, seed=1 + number)
    measured = measure(testbed, driver, steady, one_clock)
    for way in DIRECTIONS:
        if not steady.loss_pct_of(way):
            losses[way] = Losses()
        losses[way].sent += measured[way]["loss_sent"]
        losses[way].lost += measured[way]["loss_lost"]
    wrong = problems(steady, measured, tolerance, losses)
    if link.burst_bytes is not None:
        driver.configure(steady.model_copy(update={"burst_bytes": link.burst_bytes}), seed=1 + number)
        measured["burst"] = measure_burst(testbed, link)
        wrong += burst_problems(link, measured["burst"], tolerance.rate_pct)
    if link.trace or link.upload_trace:
        measured["traces"] = measure_traces(testbed, driver, link, seed=1 + number)
        wrong += trace_problems(link, measured["traces"])
    if link.queue_discipline is not None:
        managed = {"queue_discipline": link.queue_discipline, "ecn": link.ecn}
        lossless = {"loss_pct": 0.0, "loss_direction": None}
        driver.configure(steady.model_copy(update=managed | lossless), seed=1 + number)
        measured["queue_discipline"] = measure_discipline(testbed, link)
        wrong += discipline_problems(link, measured["queue_discipline"])
    link = link.untraced  # what follows looks at single packets
    if link.jitter_ms:
        driver.configure(link, seed=1 + number)
        measured["jitter"] = measure_jitter(testbed, link)
        wrong += jitter_problems(link, measured["jitter"], tolerance.stall_ms, one_clock)
    if link.netem:
        driver.configure(link, seed=1 + number)
        measured["fates"] = measure_fates(testbed, driver, link)
        wrong += fate_problems(link, measured["fates"], one_clock)
    return {"measured": measured, "problems": wrong}


def _whole(
    link: Link, attempts: list[dict], tolerance: Tolerance, losses: Mapping[str, Losses], one_clock: bool
) -> dict[str, Any]:
    """The record of a link that is right."""
    queue = {way: queue_tolerance(link.plain.one_way(way), tolerance) for way in DIRECTIONS}
    bound = QUEUE_BOUND[queue_limit(link)[0]]
    return {
        "set": link.model_dump() | {"queue_bytes": link.effective_queue_bytes},
        "measured": attempts[-1]["measured"],
        "tolerance": asdict(tolerance) | {bound: queue[DIRECTIONS[0]] if link.upload_mbps is None else queue},
        "losses": {way: own.against(link.loss_pct_of(way) / 100) for way, own in losses.items()},
        "one_clock": one_clock,
        "within_tolerance": True,
        "attempts": attempts,
    }
