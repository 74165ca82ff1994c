"""Large files at 1 Gbit/s, each end held to half of a processor, beside those at 100 Mbit/s."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.shreedhar2022.names import (
    CPU_METRICS,
    ENVOY,
    OLD,
    THROUGHPUT,
    USED,
    at,
    file_of,
    newest,
    size_title,
)
from longlook.book.shreedhar2022.tables import LEAST_FOR_CPU
from longlook.figure import style
from longlook.figure.table import html_table

GIGABIT = "shreedhar-files-1gbit"
SIZES = (500_000, 2_000_000, 5_000_000, 20_000_000, 50_000_000, 200_000_000)
LARGEST = SIZES[-1]
RTT_MS = 10.0
ENDS = dict(zip(("client", "server"), CPU_METRICS, strict=True))
HELD = 0.5
"""Of a processor, each end."""


def fetched(size: int) -> dict[str, Any]:
    """Where a file is."""
    return at(GIGABIT, RTT_MS, size)


def rates(data: BookData | None = None) -> HTML:
    """By size: throughput over both links, MB/s, and QUIC's as a part of TLS 1.2's; and how
    busy each end was at 1 Gbit/s."""
    own = newest(data or book_data.load(), GIGABIT)
    if not own.has(GIGABIT):
        return HTML(style.NOTHING_YET)
    arms, told = [ENVOY, OLD], "{value:.2f}"
    rows = []
    for size in SIZES:
        row = [size_title(size)]
        for where in (file_of(size), fetched(size)):
            row += [own.text(told, value=arm, **THROUGHPUT, **where) for arm in arms]
            row.append(own.text(told, ratio=arms, **THROUGHPUT, **where))
        ends = [{"value": arm, "metric": end} for arm in arms for end in ENDS.values()]
        row += [own.text("{value:.0f}", **{**USED, **end}, **fetched(size)) if size >= LEAST_FOR_CPU else style.DASH
                for end in ends]  # fmt: skip
        rows.append(row)
    head = ["file", *("QUIC", "TLS 1.2", "QUIC over<br>TLS 1.2") * 2, *ENDS, *ENDS]
    groups = [
        ("", 1),
        ("100 Mbit/s, MB/s", 3),
        ("1 Gbit/s, MB/s", 3),
        ("QUIC's, % of its half", 2),
        ("TLS 1.2's", 2),
    ]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, tight=True))
