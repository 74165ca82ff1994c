"""Calibration: before a condition is used, the link is measured against what was set, and the result recorded."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.link.base import LinkDriver
from longlook.scenario import Link
from longlook.testbed.base import Role, Testbed

TRAIN = Path(__file__).with_name("train.py")
FRAME_BYTES = 1442
PORT = 7777
PINGS = 30
MOST_PACKETS = 1500
QUEUE_SHARE = 0.9
"""The train fills at most this share of the queue, so that nothing of it is dropped there."""
TRAINS = 2
ATTEMPTS = 3
"""Virtual machines stall: a measurement out of tolerance is repeated, and every attempt recorded."""


@dataclass(frozen=True)
class Tolerance:
    """What may differ from the set values."""

    rtt_ms: float = 1.0
    rate_pct: float = 3.0
    lost_packets_pct: float = 3.0
    """Of a train, beyond the set loss."""


def ping_ms(testbed: Testbed, count: int = PINGS, interval_s: float = 0.01) -> list[float]:
    """RTTs (ms) of `count` echo requests from client to server; lost ones are missing."""
    address = testbed.hosts["server"].address
    argv = ["ping", "-n", "-c", str(count), "-i", str(interval_s), "-W", "2", address]
    out = testbed.run("client", argv, timeout_s=count * interval_s + 15, check=False)
    return echo_times_ms(out)


def echo_times_ms(out: str) -> list[float]:
    """RTTs (ms) that ping printed, in the order of its lines."""
    return [float(text) for text in re.findall(r"time=([0-9.]+) ms", out)]


def train(testbed: Testbed, sender: Role, receiver: Role, count: int) -> dict[str, float]:
    """Send one packet train; its rate in Mbit/s (of Ethernet frames) and the packets received."""
    address = testbed.hosts[receiver].address
    numbers = [address, str(PORT), str(count)]
    ear = testbed.popen(receiver, [sys.executable, "-S", str(TRAIN), "receive", *numbers], stdout=subprocess.PIPE, text=True)
    if ear.stdout.readline().strip() != "ready":
        raise LonglookError(f"the packet train's receiver did not start on {receiver}")
    testbed.run(sender, [sys.executable, "-S", str(TRAIN), "send", *numbers, str(FRAME_BYTES)], timeout_s=20)
    out, _ = ear.communicate(timeout=20)
    result = json.loads(out)
    received, span = result["received"], result["span_s"]
    return {"sent": count, "received": received, "mbps": (received - 1) * FRAME_BYTES * 8 / span / 1e6 if span > 0 else 0.0}


def measure(testbed: Testbed, link: Link) -> dict:
    """One calibration: median RTT and, per direction, the rate and share of a train that arrived."""
    pings = ping_ms(testbed)
    count = max(20, min(MOST_PACKETS, int(link.effective_queue_bytes * QUEUE_SHARE / FRAME_BYTES)))
    measured: dict = {
        "rtt_ms_median": statistics.median(pings) if pings else None,
        "rtt_ms_min": min(pings, default=None),
        "rtt_ms_max": max(pings, default=None),
        "pings": len(pings),
    }
    for name, sender, receiver in (("server_to_client", "server", "client"), ("client_to_server", "client", "server")):
        trains = [train(testbed, sender, receiver, count) for _ in range(TRAINS)]
        sent, received = sum(one["sent"] for one in trains), sum(one["received"] for one in trains)
        # Losses leave gaps that the span still contains: scale by what was served.
        rates = [one["mbps"] * one["sent"] / one["received"] * (1 - link.loss_pct / 200) for one in trains if one["received"] > 1]
        measured[f"{name}_mbps"] = statistics.median(rates) if rates else 0.0
        measured[f"{name}_train_lost_pct"] = 100 * (1 - received / sent)
    return measured


def problems(link: Link, measured: dict, tolerance: Tolerance) -> list[str]:
    """Every way in which a measurement is out of tolerance, with the numbers; empty when it is inside."""
    found = []
    rtt = measured["rtt_ms_median"]
    if rtt is None or abs(rtt - link.rtt_ms) > tolerance.rtt_ms:
        found.append(f"RTT {link.rtt_ms:g} ms set, {rtt} ms measured (tolerance {tolerance.rtt_ms:g} ms)")
    for name in ("server_to_client", "client_to_server"):
        rate, lost = measured[f"{name}_mbps"], measured[f"{name}_train_lost_pct"]
        if abs(rate / link.bandwidth_mbps - 1) * 100 > tolerance.rate_pct:
            found.append(f"{name}: {link.bandwidth_mbps:g} Mbit/s set, {rate:.2f} measured (tolerance {tolerance.rate_pct:g} %)")
        if lost - link.loss_pct / 2 > tolerance.lost_packets_pct:
            found.append(f"{name}: {lost:.2f} % of a train lost, {link.loss_pct / 2:g} % set")
    return found


def calibrate(testbed: Testbed, driver: LinkDriver, link: Link, tolerance: Tolerance | None = None) -> dict:
    """Measure until inside tolerance, at most `ATTEMPTS` times; the record of all attempts, or an error with the numbers."""
    tolerance = tolerance or Tolerance()
    attempts: list[dict] = []
    for _ in range(ATTEMPTS):
        measured = measure(testbed, link)
        wrong = problems(link, measured, tolerance)
        attempts.append({"measured": measured, "problems": wrong})
        if not wrong:
            return {
                "set": link.model_dump() | {"queue_bytes": link.effective_queue_bytes},
                "measured": measured,
                "tolerance": asdict(tolerance),
                "within_tolerance": True,
                "attempts": attempts,
            }
    raise LonglookError(f"the {driver.name} link is out of tolerance after {ATTEMPTS} attempts: {'; '.join(attempts[-1]['problems'])}")
