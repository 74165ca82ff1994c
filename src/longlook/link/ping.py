"""Echo requests over the link."""

from __future__ import annotations

import re

from longlook.host.hosts import Hosts
from longlook.plan.link import Link

PINGS = 30
FRAME_BYTES = 98
"""Of an echo request as ping sends it: 56 bytes, ICMP, IPv4 and Ethernet."""


def ping_ms(testbed: Hosts, count: int = PINGS, interval_s: float = 0.01) -> list[float]:
    """RTTs (ms) of `count` echo requests from client to server; lost ones are missing."""
    address = testbed.hosts["server"].address
    argv = ["ping", "-n", "-c", str(count), "-i", str(interval_s), "-W", "2", address]
    out = testbed.run("client", argv, timeout_s=count * interval_s + 15, check=False)
    return echo_times_ms(out)


def echo_times_ms(out: str) -> list[float]:
    """RTTs (ms) that ping printed, in the order of its lines."""
    return [float(text) for text in re.findall(r"time=([0-9.]+) ms", out)]


def line_ms(link: Link) -> float:
    """What an echo itself takes on a link's line, both ways: 0.3 ms at 5 Mbit/s."""
    return sum(FRAME_BYTES * 8 / (one.bandwidth_mbps * 1e3) for one in link.both_ways)
