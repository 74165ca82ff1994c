"""Calibration: before a condition is used, the link is measured against what was set, and the result recorded."""

from __future__ import annotations

import json
import math
import re
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.host.hosts import Hosts, Role
from longlook.host.process import piped
from longlook.link.base import DIRECTIONS, LinkDriver
from longlook.plan.link import Link

TRAIN = Path(__file__).with_name("train.py")
FRAME_BYTES = 1442
PORT = 7777
PINGS = 30
MOST_PACKETS = 1500
QUEUE_SHARE = 0.9
"""The train fills at most this share of the queue, so that nothing of it is dropped there."""
TRAINS = 2
JITTER_PINGS, JITTER_INTERVAL_S = 1500, 0.004
ATTEMPTS = 3
"""Virtual machines stall: a measurement out of tolerance is repeated, and every attempt recorded."""
ENDS: dict[str, tuple[Role, Role]] = {
    "server_to_client": ("server", "client"),
    "client_to_server": ("client", "server"),
}
"""Direction -> who sends and who receives."""


@dataclass(frozen=True)
class Tolerance:
    """What may differ from the set values."""

    rtt_ms: float = 1.0
    rate_pct: float = 3.0
    lost_packets_pct: float = 3.0
    """Of a train, beyond the set loss."""
    stall_ms: float = 10.0
    """By which a single echo may be late on a virtual machine."""


def jitter(testbed: Hosts) -> dict:
    """A stream of echo requests under jitter: distribution of the RTT, and the share of replies that came late by
    RFC 4737 (an earlier number after a later one)."""
    address = testbed.hosts["server"].address
    argv = ["ping", "-n", "-c", str(JITTER_PINGS), "-i", str(JITTER_INTERVAL_S), "-W", "2", address]
    out = testbed.run("client", argv, timeout_s=JITTER_PINGS * JITTER_INTERVAL_S + 15, check=False)
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
    }


def jitter_problems(link: Link, measured: dict, tolerance: Tolerance) -> list[str]:
    """Ways in which the RTT's distribution is not that of two independent uniform delays; empty when it is."""
    if measured["replies"] < 0.98 * JITTER_PINGS:
        return [f"{measured['replies']} of {JITTER_PINGS} echo requests answered"]
    # Each direction is one draw per interval: so many independent samples of a sum of two uniform delays.
    std = link.jitter_ms / math.sqrt(6)
    # The half steps hold a falling delay up: a twelfth of the range in both directions.
    mean = link.rtt_ms + link.jitter_ms / 12
    samples = JITTER_PINGS * JITTER_INTERVAL_S * 1e3 / link.jitter_interval_ms
    found = []
    if abs(measured["rtt_ms_mean"] - mean) > 4 * std / math.sqrt(samples):
        found.append(f"mean RTT {measured['rtt_ms_mean']:.1f} ms, about {mean:.1f} ms expected")
    if not 0.5 * std < measured["rtt_ms_std"] < 1.5 * std:
        found.append(f"standard deviation of the RTT {measured['rtt_ms_std']:.1f} ms, about {std:.1f} ms expected")
    low, high = link.rtt_ms - link.jitter_ms, link.rtt_ms + link.jitter_ms
    if measured["rtt_ms_min"] < low - 1 or measured["rtt_ms_max"] > high + tolerance.stall_ms:
        found.append(
            f"RTT from {measured['rtt_ms_min']:.1f} to {measured['rtt_ms_max']:.1f} ms, {low:g} to {high:g} set"
        )
    if not measured["reordered_pct"] > 1:
        found.append(f"{measured['reordered_pct']:.1f} % of the echo replies reordered: jitter must reorder")
    return found


def ping_ms(testbed: Hosts, count: int = PINGS, interval_s: float = 0.01) -> list[float]:
    """RTTs (ms) of `count` echo requests from client to server; lost ones are missing."""
    address = testbed.hosts["server"].address
    argv = ["ping", "-n", "-c", str(count), "-i", str(interval_s), "-W", "2", address]
    out = testbed.run("client", argv, timeout_s=count * interval_s + 15, check=False)
    return echo_times_ms(out)


def echo_times_ms(out: str) -> list[float]:
    """RTTs (ms) that ping printed, in the order of its lines."""
    return [float(text) for text in re.findall(r"time=([0-9.]+) ms", out)]


def train(testbed: Hosts, sender: Role, receiver: Role, count: int) -> dict[str, float]:
    """Send one packet train; its rate in Mbit/s (of Ethernet frames) and the packets received."""
    address = testbed.hosts[receiver].address
    numbers = [address, str(PORT), str(count)]
    ear = testbed.popen(
        receiver, [sys.executable, "-S", str(TRAIN), "receive", *numbers], stdout=subprocess.PIPE, text=True
    )
    if piped(ear.stdout).readline().strip() != "ready":
        raise LonglookError(f"the packet train's receiver did not start on {receiver}")
    testbed.run(sender, [sys.executable, "-S", str(TRAIN), "send", *numbers, str(FRAME_BYTES)], timeout_s=20)
    out, _ = ear.communicate(timeout=20)
    result = json.loads(out)
    received, span = result["received"], result["span_s"]
    return {
        "sent": count,
        "received": received,
        "mbps": (received - 1) * FRAME_BYTES * 8 / span / 1e6 if span > 0 else 0.0,
    }


def measure(testbed: Hosts, link: Link) -> dict:
    """One calibration: median RTT and, per direction, the rate and share of a train that arrived."""
    pings = ping_ms(testbed)
    count = max(20, min(MOST_PACKETS, int(link.effective_queue_bytes * QUEUE_SHARE / FRAME_BYTES)))
    measured: dict = {
        "rtt_ms_median": statistics.median(pings) if pings else None,
        "rtt_ms_min": min(pings, default=None),
        "rtt_ms_max": max(pings, default=None),
        "pings": len(pings),
    }
    for name, (sender, receiver) in ENDS.items():
        trains = [train(testbed, sender, receiver, count) for _ in range(TRAINS)]
        sent, received = sum(one["sent"] for one in trains), sum(one["received"] for one in trains)
        # Losses leave gaps that the span still contains: scale by what was served.
        rates = [
            one["mbps"] * one["sent"] / one["received"] * (1 - link.loss_pct / 200)
            for one in trains
            if one["received"] > 1
        ]
        measured[f"{name}_mbps"] = statistics.median(rates) if rates else 0.0
        measured[f"{name}_train_lost_pct"] = 100 * (1 - received / sent)
    return measured


def problems(link: Link, measured: dict, tolerance: Tolerance) -> list[str]:
    """Every way in which a measurement is out of tolerance, with the numbers; empty when it is inside."""
    found = []
    rtt = measured["rtt_ms_median"]
    if rtt is None or abs(rtt - link.rtt_ms) > tolerance.rtt_ms:
        found.append(f"RTT {link.rtt_ms:g} ms set, {rtt} ms measured (tolerance {tolerance.rtt_ms:g} ms)")
    for name in DIRECTIONS:
        rate, lost = measured[f"{name}_mbps"], measured[f"{name}_train_lost_pct"]
        if abs(rate / link.bandwidth_mbps - 1) * 100 > tolerance.rate_pct:
            found.append(
                f"{name}: {link.bandwidth_mbps:g} Mbit/s set, {rate:.2f} measured (tolerance {tolerance.rate_pct:g} %)"
            )
        if lost - link.loss_pct / 2 > tolerance.lost_packets_pct:
            found.append(f"{name}: {lost:.2f} % of a train lost, {link.loss_pct / 2:g} % set")
    return found


def calibrate(testbed: Hosts, driver: LinkDriver, link: Link, tolerance: Tolerance | None = None) -> dict:
    """Measure until inside tolerance, at most `ATTEMPTS` times; the record of all attempts.

    A link that stays outside is an error with the numbers. Under jitter the link is set anew, with a seed of the
    calibration's own.
    """
    tolerance = tolerance or Tolerance()
    attempts: list[dict] = []
    steady = link.model_copy(update={"jitter_ms": 0.0})
    for attempt in range(ATTEMPTS):
        if link.jitter_ms:  # off for the rates: it would stretch and squeeze the trains
            driver.configure(steady, seed=1 + attempt)
        measured = measure(testbed, steady)
        wrong = problems(steady, measured, tolerance)
        if link.jitter_ms:
            driver.configure(link, seed=1 + attempt)
            measured["jitter"] = jitter(testbed)
            wrong += jitter_problems(link, measured["jitter"], tolerance)
        attempts.append({"measured": measured, "problems": wrong})
        if not wrong:
            return {
                "set": link.model_dump() | {"queue_bytes": link.effective_queue_bytes},
                "measured": measured,
                "tolerance": asdict(tolerance),
                "within_tolerance": True,
                "attempts": attempts,
            }
    raise LonglookError(
        f"the {driver.name} link is out of tolerance after {ATTEMPTS} attempts: {'; '.join(attempts[-1]['problems'])}"
    )
