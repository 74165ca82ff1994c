"""More of the cloud store: files by a browser, those of 500 MB to 2 GB by curl with a slow client, and large ones at
1 Gbit/s, each end held to half of a processor."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.shreedhar2022.names import (
    CLOUD_RTT_MS,
    CPU,
    CPU_METRICS,
    ENVOY,
    HUGE,
    HUGE_SIZES,
    LARGEST,
    NEW,
    OLD,
    PACES,
    SIZES,
    SLOW,
    THROUGHPUT,
    USED,
    at,
    file_of,
    newest,
    size_title,
)
from longlook.book.shreedhar2022.tables import LEAST_FOR_CPU
from longlook.experiment.metrics import TTFB, TTLB
from longlook.figure import style
from longlook.figure.table import shown_table
from longlook.published.shreedhar2022 import STORE_QUIC, STORE_TLS
from longlook.published.shreedhar2022 import throughput as printed_throughput

BROWSER = "shreedhar-cloud-browser"


def by_browser(size: int) -> dict[str, Any]:
    """Where a browser fetches a file."""
    return at(BROWSER, CLOUD_RTT_MS, size)


def browser(data: BookData | None = None) -> HTML:
    """By size: throughput of a fast and of a slow browser, MB/s; its CPU for a gigabyte, s; and how much of its quarter
    of a processor the slow one used, %."""
    own = newest(data, BROWSER)
    if not own.has(BROWSER):
        return HTML(style.NOTHING_YET)
    rows = []
    for size in SIZES:
        where, enough = by_browser(size), size >= LEAST_FOR_CPU
        row = [size_title(size)]
        for pace in PACES:
            row += _rates(own, [pace + ENVOY, pace + NEW], where)
        row += [own.text("{value:.1f}", value=arm, **CPU, **where) if enough else style.DASH for arm in (ENVOY, NEW)]
        row += [own.text("{value:.0f}", value=SLOW + arm, **USED, **where) if enough else style.DASH
                for arm in (ENVOY, NEW)]  # fmt: skip
        rows.append(row)
    head = ["file", *("QUIC", "TCP", "QUIC over TCP (99 %)") * 2, *("QUIC", "TCP") * 2]
    groups = [
        ("", 1),
        ("fast browser, MB/s", 3),
        ("slow browser, MB/s", 3),
        ("s per GB", 2),
        ("slow, % of its share", 2),
    ]
    return shown_table(head, rows, numbers_from=1, groups=groups, tight=True)


def _rates(own: StudyColumn, arms: list[str], where: dict[str, Any]) -> list[str]:
    """Throughput of both, and how many times the other's the first one's is."""
    each = [own.text("{value:.2f}", value=arm, **THROUGHPUT, **where) for arm in arms]
    return [*each, own.text("{percent}", ratio=arms, **THROUGHPUT, **where)]


def largest(data: BookData | None = None) -> HTML:
    """From 200 MB on, of curl with a slow client: throughput, printed and measured, MB/s; time to the first byte, s,
    and what QUIC's throughput is of TLS 1.2's from there on; CPU of the client for a gigabyte, s."""
    own = newest(data, HUGE)
    if not own.has(HUGE):
        return HTML(style.NOTHING_YET)
    known = printed_throughput()
    arms = [SLOW + ENVOY, SLOW + OLD]
    rows = []
    for size in (LARGEST, *HUGE_SIZES):
        where = file_of(size)
        each = [own.text("{n}", value=arm, metric=TTLB.name, **where) for arm in arms]
        rows.append([
            size_title(size),
            *(f"{known[size][one]:.2f}" for one in (STORE_QUIC, STORE_TLS)),
            next((n for n in each if n != style.DASH), style.DASH),
            *_rates(own, arms, where),
            *(own.text("{seconds:.2f}", value=arm, metric=TTFB.name, **where) for arm in arms),
            _after_first_byte(own, arms, where),
            *(own.text("{value:.1f}", value=arm, **CPU, **where) for arm in arms),
        ])  # fmt: skip
    pair = ("QUIC", "TLS 1.2")
    head = ["file", *pair, "n", *pair, "QUIC over TLS 1.2 (99 %)", *pair, "from there on", *pair]
    groups = [("", 1), ("printed, MB/s", 2), ("", 1), ("measured, MB/s", 3), ("first byte, s", 3), ("s per GB", 2)]
    return shown_table(head, rows, numbers_from=1, groups=groups, tight=True)


def _after_first_byte(own: StudyColumn, arms: list[str], where: dict[str, Any]) -> str:
    """Throughput of one arm over another's, by means, of the time from the first byte to the last."""
    means = [own.summary(arm, metric, **where) for arm in arms for metric in (TTLB.name, TTFB.name)]
    known = [one.mean for one in means if one is not None]
    if len(known) < len(means):
        return style.DASH
    last, first, other_last, other_first = known
    return f"{(other_last - other_first) / (last - first):.3f}"


GIGABIT = "shreedhar-files-1gbit"
GIGABIT_SIZES = (500_000, 2_000_000, 5_000_000, 20_000_000, 50_000_000, 200_000_000)
ENDS = dict(zip(("client", "server"), CPU_METRICS, strict=True))
HELD = 0.5
"""Of a processor, each end."""


def fetched(size: int) -> dict[str, Any]:
    """Where a file is."""
    return at(GIGABIT, CLOUD_RTT_MS, size)


def rates(data: BookData | None = None) -> HTML:
    """By size: throughput over both links, MB/s, and QUIC's as a part of TLS 1.2's; and how
    busy each end was at 1 Gbit/s."""
    own = newest(data, GIGABIT)
    if not own.has(GIGABIT):
        return HTML(style.NOTHING_YET)
    arms, told = [ENVOY, OLD], "{value:.2f}"
    rows = []
    for size in GIGABIT_SIZES:
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
    return shown_table(head, rows, numbers_from=1, groups=groups, tight=True)
