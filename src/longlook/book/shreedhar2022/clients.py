"""A TLS 1.2 client that waits, certificates checked as unequally as theirs, versions of QUIC by one browser."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.shreedhar2022.names import ENVOY, NEW, OLD, at, newest
from longlook.experiment.metrics import CONNECT, TTFB, TTLB
from longlook.figure import style
from longlook.figure.table import shown_table

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
    own = newest(data, WAITS)
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
    return shown_table(head, rows, numbers_from=1, groups=groups)


def checks(data: BookData | None = None) -> HTML:
    """By client and protocol, medians of the connection time with each kind of check, ms."""
    own = newest(data, CHECKS)
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
    return shown_table(head, rows, numeric={1, 2, 3}, groups=[("", 1), ("checked against, ms", 3)])


def leads(data: BookData | None = None) -> HTML:
    """By client, QUIC's lead over TLS 1.2 with equal checks and with unequal ones, ms, and the printed one."""
    own = newest(data, CHECKS)
    if not own.has(CHECKS):
        return HTML(style.NOTHING_YET)
    kinds = ((UNCHECKED, UNCHECKED), (CHECKED, CHECKED), (AUTHORITIES, AUTHORITIES), (UNCHECKED, AUTHORITIES))
    rows = [[of, *(own.text("{value:.1f}", **lead(*kind, speed)) for kind in kinds)] for speed, of in SPEEDS.items()]
    rows.append(["printed, a Raspberry Pi 3", *[style.DASH] * 3, f"{PRINTED_LEAD_MS:g}"])
    head = ["client", "nothing", "one certificate", "140 authorities", "QUIC nothing,<br>TLS 1.2 140"]
    return shown_table(head, rows, numeric={1, 2, 3, 4}, groups=[("", 1), ("both check", 3), ("as theirs", 1)])


def lead(of_quic: str, of_tcp: str, speed: str) -> dict[str, Any]:
    """By how many ms QUIC connects earlier than TLS 1.2 at the median."""
    return {**CONNECTED, "difference": [arm_of(TCP, of_tcp, speed), arm_of(QUIC, of_quic, speed)]}


VERSIONS = "shreedhar-versions"
GOOGLE, DRAFT, V1, OVER_TCP = "q043", "d29", "v1", "tcp"
VERSION_NAMES = {
    GOOGLE: "Google's QUIC 43, gquicd",
    DRAFT: "QUIC draft 29, Envoy",
    V1: "QUIC version 1, Envoy",
    OVER_TCP: "TLS 1.3 over TCP, Apache",
}
VERSION_LINKS = {rtt_ms: at(VERSIONS, rtt_ms) for rtt_ms in (10, 55)}


def of_versions(data: BookData | None = None) -> HTML:
    """By arm and link: mean connection time with its standard deviation, and by how much it is above version 1's."""
    own = newest(data, VERSIONS)
    if not own.has(VERSIONS):
        return HTML(style.NOTHING_YET)
    rows = [
        [title, *(text for where in VERSION_LINKS.values() for text in _of_version(own, arm, where))]
        for arm, title in VERSION_NAMES.items()
    ]
    head = ["connection", *["mean, ms", "against version 1"] * len(VERSION_LINKS)]
    groups = [("", 1), *((f"{rtt_ms} ms", 2) for rtt_ms in VERSION_LINKS)]
    return shown_table(head, rows, numbers_from=1, groups=groups)


def _of_version(own: StudyColumn, arm: str, where: dict[str, Any]) -> tuple[str, str]:
    mean = own.text("{mean:.1f} ± {sd:.1f}", value=arm, metric=CONNECT.name, **where)
    return mean, style.DASH if arm == V1 else own.text("{ms}", difference=[arm, V1], metric=CONNECT.name, **where)
