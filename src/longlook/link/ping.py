"""Echo requests over the link."""

from __future__ import annotations

import re

from longlook.host.hosts import Hosts

PINGS = 30


def ping_ms(testbed: Hosts, count: int = PINGS, interval_s: float = 0.01) -> list[float]:
    """RTTs (ms) of `count` echo requests from client to server; lost ones are missing."""
    address = testbed.hosts["server"].address
    argv = ["ping", "-n", "-c", str(count), "-i", str(interval_s), "-W", "2", address]
    out = testbed.run("client", argv, timeout_s=count * interval_s + 15, check=False)
    return echo_times_ms(out)


def echo_times_ms(out: str) -> list[float]:
    """RTTs (ms) that ping printed, in the order of its lines."""
    return [float(text) for text in re.findall(r"time=([0-9.]+) ms", out)]
