"""A TLS 1.2 client that waits, and certificates that are checked as unequally as theirs: what the campaigns found."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.shreedhar2022.names import ENVOY, NEW, OLD, at, newest
from longlook.experiment.metrics import CONNECT, TTFB, TTLB
from longlook.figure import style
from longlook.figure.table import html_table

WAITS, CHECKS = "shreedhar-tls12-waits", "shreedhar-checks"
WAITS_OLD, WAITS_NEW = "waits-tls12", "waits-tls13"
ARMS = {
    ENVOY: "QUIC, curl (BoringSSL)",
    NEW: "TLS 1.3, curl (BoringSSL)",
    WAITS_NEW: "TLS 1.3, the system's curl (OpenSSL)",
    OLD: "TLS 1.2, curl (BoringSSL)",
    WAITS_OLD: "TLS 1.2, the system's curl (OpenSSL)",
}
"""Of the sweep on a client that waits."""
LINKS = {rtt_ms: at(WAITS, rtt_ms) for rtt_ms in (10, 55, 200)}
MUNICH_LINK, FAR_LINK = LINKS[10], LINKS[200]
STAGES = {"connection": CONNECT.name, "first byte": TTFB.name, "last byte": TTLB.name}

QUIC, TCP = "quic", "tls12"
UNCHECKED, CHECKED, AUTHORITIES = "unchecked", "checked", "authorities"
SPEEDS = {"": "fast", "slow": "a quarter", "slower": "a tenth"}
"""By the first word of an arm's name: what its client has of a processor."""
CONNECTED = {**at(CHECKS, 10), "metric": CONNECT.name, "statistic": "lowest-median"}
"""The median connection time, ms."""
PRINTED_LEAD_MS = 270.0
"""QUIC's over TLS 1.2 from their home in Munich, caption of their figure 5."""


def arm_of(protocol: str, checks: str, speed: str = "") -> str:
    """Its name in the sweep on checks."""
    return f"{speed} {protocol} {checks}".strip()


def trips(data: BookData | None = None) -> HTML:
    """By arm, mean times to each stage over each link, in ms and in round trips."""
    own = newest(data or book_data.load(), WAITS)
    if not own.has(WAITS):
        return HTML(style.NOTHING_YET)
    places = [(metric, where) for metric in STAGES.values() for where in LINKS.values()]
    told = "{value:.1f} ({in_trips:.1f})"
    rows = [
        [title, *(own.text(told, value=arm, metric=metric, **where) for metric, where in places)]
        for arm, title in ARMS.items()
    ]
    head = ["client", *(f"{rtt_ms} ms" for _ in STAGES for rtt_ms in LINKS)]
    groups = [("", 1), *((f"{stage}, ms (round trips)", len(LINKS)) for stage in STAGES)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def checks(data: BookData | None = None) -> HTML:
    """By client and protocol, medians of the connection time with each kind of check, ms."""
    own = newest(data or book_data.load(), CHECKS)
    if not own.has(CHECKS):
        return HTML(style.NOTHING_YET)
    names = {QUIC: "QUIC, curl (BoringSSL)", TCP: "TLS 1.2, the system's curl (OpenSSL)"}
    kinds = (UNCHECKED, CHECKED, AUTHORITIES)
    rows = [
        [f"{name}, {of}", *(own.text("{value:.1f}", value=arm_of(protocol, one, speed), **CONNECTED) for one in kinds)]
        for speed, of in SPEEDS.items()
        for protocol, name in names.items()
    ]
    head = ["client", "nothing", "one certificate", "140 authorities besides"]
    return HTML(html_table(head, rows, numeric={1, 2, 3}, groups=[("", 1), ("checked against, ms", 3)]))


def leads(data: BookData | None = None) -> HTML:
    """By client, QUIC's lead over TLS 1.2 with equal checks and with unequal ones, ms, and the printed one."""
    own = newest(data or book_data.load(), CHECKS)
    if not own.has(CHECKS):
        return HTML(style.NOTHING_YET)
    kinds = ((UNCHECKED, UNCHECKED), (CHECKED, CHECKED), (AUTHORITIES, AUTHORITIES), (UNCHECKED, AUTHORITIES))
    rows = [[of, *(own.text("{value:.1f}", **lead(*kind, speed)) for kind in kinds)] for speed, of in SPEEDS.items()]
    rows.append(["printed, a Raspberry Pi 3", *[style.DASH] * 3, f"{PRINTED_LEAD_MS:g}"])
    head = ["client", "nothing", "one certificate", "140 authorities", "QUIC nothing,<br>TLS 1.2 140"]
    return HTML(html_table(head, rows, numeric={1, 2, 3, 4}, groups=[("", 1), ("both check", 3), ("as theirs", 1)]))


def lead(of_quic: str, of_tcp: str, speed: str) -> dict[str, Any]:
    """By how many ms QUIC connects earlier than TLS 1.2 at the median."""
    return {**CONNECTED, "difference": [arm_of(TCP, of_tcp, speed), arm_of(QUIC, of_quic, speed)]}
