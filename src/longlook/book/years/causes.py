"""From Chromium 72 to 76: what a page of a hundred objects takes without each of two changes, and without both."""

from __future__ import annotations

from collections.abc import Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, Welch, welch_from_summaries
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import FAST, MANY, PROTOCOLS, SMALLEST, mean_text, summaries
from longlook.experiment.metrics import CLIENT_CPU, PLT
from longlook.figure import style
from longlook.figure.table import html_table

SERIES = "years-causes"
BEFORE, AFTER, UNCACHED, IN_RENDERER, NEITHER = "c72", "c76", "c76nocache", "c76blinkcors", "c76neither"
NAMES = {
    BEFORE: "Chromium 72",
    AFTER: "Chromium 76",
    UNCACHED: "without a disk cache",
    IN_RENDERER: "with CORS checks in the renderer",
    NEITHER: "without either change",
}
SLOW = 10.0

Found = Mapping[tuple, Summary]
"""Metric, workload, Mbit/s, stack and protocol -> its loads, ms or s."""


def found(data: BookData, key: str = REFERENCE) -> Found:
    """Of its sweep; empty before it is measured."""
    by = ("metric", "workload", "bandwidth_mbps", "stack", "protocol")
    return summaries(data, SERIES, *by, metrics=(PLT.name, CLIENT_CPU.name), key=key)


def table(data: BookData | None = None) -> HTML:
    """A row for each browser: page load times of both pages, ms, and its processor time for the large one, s."""
    of = found(data or book_data.load())
    if not of:
        return HTML(style.NOTHING_YET)
    columns = {
        "100 objects, 100 Mbit/s, ms": (PLT.name, MANY, FAST),
        "processor time, s": (CLIENT_CPU.name, MANY, FAST),
        "100 objects, 10 Mbit/s, ms": (PLT.name, MANY, SLOW),
        "5 KB, 100 Mbit/s, ms": (PLT.name, SMALLEST, FAST),
    }
    rows = [
        [name, *(_cell(of[(*column, stack, protocol)]) for column in columns.values() for protocol in PROTOCOLS)]
        for stack, name in NAMES.items()
    ]
    groups = [("", 1), *((title, len(PROTOCOLS)) for title in columns)]
    head = ["browser", *(style.PROTOCOL_LABELS[protocol] for _ in columns for protocol in PROTOCOLS)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def _cell(one: Summary) -> str:
    return mean_text(one, 2 if one.mean < 1 else 0)


def less(of: Found, stack: str, protocol: str, metric: str = PLT.name) -> float:
    """How much less than `AFTER` it takes for a hundred objects on the fast link, in the metric's unit."""
    return of[metric, MANY, FAST, AFTER, protocol].mean - of[metric, MANY, FAST, stack, protocol].mean


def test_of(of: Found, stack: str, protocol: str) -> Welch:
    """Whether `AFTER` takes another time for a hundred objects on the fast link."""
    return welch_from_summaries(*(of[PLT.name, MANY, FAST, one, protocol] for one in (AFTER, stack)))


def shares(of: Found) -> dict[str, float]:
    """By protocol: of what `AFTER` takes longer than `BEFORE`, how much goes without the changes."""
    return {protocol: less(of, NEITHER, protocol) / less(of, BEFORE, protocol) for protocol in PROTOCOLS}


def slow_ratios(of: Found) -> dict[str, float]:
    """By protocol: a hundred objects on the slow link without either change, over `AFTER`'s time."""
    return {
        one: of[PLT.name, MANY, SLOW, NEITHER, one].mean / of[PLT.name, MANY, SLOW, AFTER, one].mean
        for one in PROTOCOLS
    }
