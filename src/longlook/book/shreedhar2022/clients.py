"""A TLS 1.2 client that waits, and certificates that are checked as unequally as theirs: what the campaigns found."""

from __future__ import annotations

from collections.abc import Iterator

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.shreedhar2022.evidence import ENVOY, NEW, OLD, Downloads, LinkAndFile, newest
from longlook.book.times import Times
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
LINKS = tuple(LinkAndFile(WAITS, rtt_ms) for rtt_ms in (10, 55, 200))
MUNICH_LINK, FAR_LINK = LINKS[0], LINKS[-1]
STAGES = {"connection": CONNECT.name, "first byte": TTFB.name, "last byte": TTLB.name}

QUIC, TCP = "quic", "tls12"
UNCHECKED, CHECKED, AUTHORITIES = "unchecked", "checked", "authorities"
SPEEDS = {"": "fast", "slow": "a quarter", "slower": "a tenth"}
"""By the first word of an arm's name: what its client has of a processor."""
CHECKS_LINK = LinkAndFile(CHECKS, 10)
PRINTED_LEAD_MS = 270.0
"""QUIC's over TLS 1.2 from their home in Munich, caption of their figure 5."""


def arm_of(protocol: str, checks: str, speed: str = "") -> str:
    """Its name in the sweep on checks."""
    return f"{speed} {protocol} {checks}".strip()


def median(evidence: Downloads, protocol: str, checks: str, speed: str) -> float | None:
    """Of the connection time, ms."""
    return evidence.percentile(CHECKS_LINK, arm_of(protocol, checks, speed), CONNECT.name, 50)


def added(evidence: Downloads, protocol: str, checks: str, than: str, speed: str) -> Times | None:
    """By how many ms the median connection time is above that with other checks."""
    base, own = (median(evidence, protocol, one, speed) for one in (than, checks))
    return None if base is None or own is None else Times(own - base)


def lead(evidence: Downloads, of_quic: str, of_tcp: str, speed: str) -> Times | None:
    """By how many ms QUIC connects earlier than TLS 1.2 at the median."""
    quic, tcp = median(evidence, QUIC, of_quic, speed), median(evidence, TCP, of_tcp, speed)
    return None if quic is None or tcp is None else Times(tcp - quic)


def trips(data: BookData | None = None) -> HTML:
    """By arm, mean times to each stage over each link, in ms and in round trips."""
    found = newest(data or book_data.load(), WAITS)
    if found is None:
        return HTML(style.NOTHING_YET)
    rows = [[title, *_trips(found[1], arm)] for arm, title in ARMS.items()]
    head = ["client", *(f"{where.rtt_ms:g} ms" for _ in STAGES for where in LINKS)]
    groups = [("", 1), *((f"{stage}, ms (round trips)", len(LINKS)) for stage in STAGES)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, tight=True))


def _trips(evidence: Downloads, arm: str) -> Iterator[str]:
    for metric in STAGES.values():
        for where in LINKS:
            own = evidence.summary(where, arm, metric)
            yield style.DASH if own is None else f"{own.mean:.1f} ({own.mean / where.rtt_ms:.1f})"


def checks(data: BookData | None = None) -> HTML:
    """By client and protocol, medians of the connection time with each kind of check, ms."""
    found = newest(data or book_data.load(), CHECKS)
    if found is None:
        return HTML(style.NOTHING_YET)
    names = {QUIC: "QUIC, curl (BoringSSL)", TCP: "TLS 1.2, the system's curl (OpenSSL)"}
    rows = [
        [f"{name}, {of}", *(_ms(median(found[1], protocol, one, speed)) for one in (UNCHECKED, CHECKED, AUTHORITIES))]
        for speed, of in SPEEDS.items()
        for protocol, name in names.items()
    ]
    head = ["client", "nothing", "one certificate", "140 authorities besides"]
    return HTML(html_table(head, rows, numeric={1, 2, 3}, groups=[("", 1), ("checked against, ms", 3)]))


def leads(data: BookData | None = None) -> HTML:
    """By client, QUIC's lead over TLS 1.2 with equal checks and with unequal ones, ms, and the printed one."""
    found = newest(data or book_data.load(), CHECKS)
    if found is None:
        return HTML(style.NOTHING_YET)
    kinds = ((UNCHECKED, UNCHECKED), (CHECKED, CHECKED), (AUTHORITIES, AUTHORITIES), (UNCHECKED, AUTHORITIES))
    rows = [[of, *(_ms(_lead(found[1], kind, speed)) for kind in kinds)]
            for speed, of in SPEEDS.items()]  # fmt: skip
    rows.append(["printed, a Raspberry Pi 3", *[style.DASH] * 3, f"{PRINTED_LEAD_MS:g}"])
    head = ["client", "nothing", "one certificate", "140 authorities", "QUIC nothing,<br>TLS 1.2 140"]
    return HTML(html_table(head, rows, numeric={1, 2, 3, 4}, groups=[("", 1), ("both check", 3), ("as theirs", 1)]))


def _lead(evidence: Downloads, kind: tuple[str, str], speed: str) -> float | None:
    found = lead(evidence, *kind, speed)
    return None if found is None else found.value


def _ms(value: float | None) -> str:
    return style.DASH if value is None else f"{value:.1f}".replace("-", style.MINUS)
