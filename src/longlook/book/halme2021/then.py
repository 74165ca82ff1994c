"""Why aioquic was slow at 200 ms: the aioquic of then beside today's."""

from __future__ import annotations

from dataclasses import dataclass

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.halme2021.evidence import Setting, connections
from longlook.book.times import Times, percent_text, times
from longlook.book.value import SPACE
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import DURATION
from longlook.figure import style
from longlook.figure.table import html_table

SERIES, BOTH = "aioquic-then", "aioquic-both"
TODAY = "today"
ARMS = {
    SERIES: {
        "then": "aioquic 0.9.21",
        "then told": "its server told of 1 s",
        TODAY: "aioquic 1.7.2",
        "tcp": "TCP",
    },
    BOTH: {
        "then": "aioquic 0.9.21",
        "client told": "its client told of 1 s",
        "both told": "both told",
        TODAY: "aioquic 1.7.2",
    },
}
RTTS_MS = (20, 100, 400)


@dataclass(frozen=True)
class RoundTrip:
    """One round trip: durations of each arm, ms."""

    rtt_ms: int
    arms: dict[str, Summary]

    def over(self, arm: str, base: str) -> Times:
        return times(self.arms[base], self.arms[arm])


def rows(data: BookData, series: str = SERIES) -> list[RoundTrip]:
    """Of the reference campaign; round trips that have all arms."""
    evidence = connections(data, REFERENCE)
    found = []
    for rtt in RTTS_MS:
        own = {arm: evidence.summary(Setting(series, rtt_ms=rtt), arm, DURATION.name) for arm in ARMS[series]}
        known = {arm: one for arm, one in own.items() if one is not None}
        if len(known) == len(own):
            found.append(RoundTrip(rtt, known))
    return found


def table(series: str = SERIES, data: BookData | None = None) -> HTML:
    """Mean durations by round trip, and each arm's difference from today's aioquic."""
    found = rows(data or book_data.load(), series)
    if not found:
        return HTML(style.NOTHING_YET)
    arms = ARMS[series]
    lines = [[f"{row.rtt_ms / 2:g}{SPACE}ms", *(_cell(row, arm) for arm in arms)] for row in found]
    return HTML(html_table(["one way", *arms.values()], lines, escape=False, numeric=range(1, 5)))


def _cell(row: RoundTrip, arm: str) -> str:
    text = f"{row.arms[arm].mean / 1e3:.2f}{SPACE}s"
    return text if arm == TODAY else f"{text}<br>{percent_text(row.over(arm, TODAY))}"
