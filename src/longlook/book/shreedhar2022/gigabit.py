"""Large files at 1 Gbit/s, each end held to half of a processor, beside those at 100 Mbit/s."""

from __future__ import annotations

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.shreedhar2022.evidence import (
    CPU_METRICS,
    ENVOY,
    OLD,
    Downloads,
    LinkAndFile,
    newest,
    size_title,
    throughput,
    throughput_ratio,
)
from longlook.book.shreedhar2022.evidence import used as used_of
from longlook.book.shreedhar2022.tables import LEAST_FOR_CPU, whole_percent
from longlook.book.times import Times
from longlook.figure import style
from longlook.figure.table import html_table

GIGABIT = "shreedhar-files-1gbit"
SIZES = (500_000, 2_000_000, 5_000_000, 20_000_000, 50_000_000, 200_000_000)
LARGEST = SIZES[-1]
RTT_MS = 10.0
ENDS = dict(zip(("client", "server"), CPU_METRICS, strict=True))
HELD = 0.5
"""Of a processor, each end."""


def _where(size: int) -> LinkAndFile:
    return LinkAndFile(GIGABIT, RTT_MS, size)


def rate(evidence: Downloads, size: int, arm: str) -> Summary | None:
    """Throughput, MB/s, of each download: the file over the time to its last byte."""
    return throughput(evidence, _where(size), arm)


def ratio(evidence: Downloads, size: int) -> Times | None:
    """QUIC's throughput over that of TLS 1.2."""
    return throughput_ratio(evidence, _where(size), ENVOY, OLD)


def used(evidence: Downloads, size: int, arm: str, metric: str) -> float | None:
    """How much of the processor that it may use an end used, 0 to 1: near 1 it was the limit."""
    return used_of(evidence, _where(size), arm, metric, HELD)


def rates(data: BookData | None = None) -> HTML:
    """By size: throughput over both links, MB/s, and QUIC's as a part of TLS 1.2's; and how
    busy each end was at 1 Gbit/s."""
    found = newest(data or book_data.load(), GIGABIT)
    if found is None:
        return HTML(style.NOTHING_YET)
    _, evidence = found
    rows = []
    for size in SIZES:
        slow = [evidence.rate(size, arm) for arm in (ENVOY, OLD)]
        fast = [rate(evidence, size, arm) for arm in (ENVOY, OLD)]
        shares = [used(evidence, size, arm, end) if size >= LEAST_FOR_CPU else None
                  for arm in (ENVOY, OLD) for end in ENDS.values()]  # fmt: skip
        cells = [text for own in (slow, fast) for text in (*_rates(own), _part(own))]
        rows.append([size_title(size), *cells, *map(whole_percent, shares)])
    head = ["file", *("QUIC", "TLS 1.2", "QUIC over<br>TLS 1.2") * 2, *ENDS, *ENDS]
    groups = [
        ("", 1),
        ("100 Mbit/s, MB/s", 3),
        ("1 Gbit/s, MB/s", 3),
        ("QUIC's, % of its half", 2),
        ("TLS 1.2's", 2),
    ]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, tight=True))


def _rates(own: list[Summary | None]) -> list[str]:
    return [style.DASH if one is None else f"{one.mean:.2f}" for one in own]


def _part(own: list[Summary | None]) -> str:
    quic, tcp = own
    return style.DASH if quic is None or tcp is None else f"{quic.mean / tcp.mean:.2f}"
