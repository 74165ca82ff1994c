"""Why aioquic was slow at 200 ms: the aioquic of then beside today's, and what became of the predictions.

They stand in sweeps/halme2021/halme-aioquic-then.toml and -both.toml and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.halme2021.evidence import Measured, Where
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import Times, percent_text, times
from longlook.book.value import SPACE
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import DURATION
from longlook.figure import style
from longlook.figure.table import html_table

SERIES, BOTH = "aioquic-then", "aioquic-both"
THEN, TOLD, TODAY, TCP = "then", "then told", "today", "tcp"
CLIENT_TOLD, BOTH_TOLD = "client told", "both told"
ARMS = {
    SERIES: {
        THEN: "aioquic 0.9.21",
        TOLD: "its server told of 1 s",
        TODAY: "aioquic 1.7.2",
        TCP: "TCP",
    },
    BOTH: {
        THEN: "aioquic 0.9.21",
        CLIENT_TOLD: "its client told of 1 s",
        BOTH_TOLD: "both told",
        TODAY: "aioquic 1.7.2",
    },
}
RTTS_MS = (20, 100, 400)
SLOW_MS = 400
LEAST_S, MOST_S, LEAST_TIMES = 13.0, 18.0, 1.3
ALIKE = (0.95, 1.05)


@dataclass(frozen=True)
class Row:
    """One round trip: durations of each arm, ms."""

    rtt_ms: int
    arms: dict[str, Summary]

    def over(self, arm: str, base: str) -> Times:
        return times(self.arms[base], self.arms[arm])


def rows(data: BookData, series: str = SERIES) -> list[Row]:
    """Of the reference campaign; round trips that have all arms."""
    evidence = Measured(data, REFERENCE)
    found = []
    for rtt in RTTS_MS:
        own = {arm: evidence.summary(Where(series, rtt_ms=rtt), arm, DURATION.name) for arm in ARMS[series]}
        known = {arm: one for arm, one in own.items() if one is not None}
        if len(known) == len(own):
            found.append(Row(rtt, known))
    return found


def table(series: str = SERIES, data: BookData | None = None) -> HTML:
    """Mean durations by round trip, and each arm's difference from today's aioquic."""
    found = rows(data or book_data.load(), series)
    if not found:
        return HTML(style.NOTHING_YET)
    arms = ARMS[series]
    lines = [[f"{row.rtt_ms / 2:g}{SPACE}ms", *(_cell(row, arm) for arm in arms)] for row in found]
    return HTML(html_table(["one way", *arms.values()], lines, escape=False, numeric=range(1, 5)))


def _cell(row: Row, arm: str) -> str:
    text = f"{row.arms[arm].mean / 1e3:.2f}{SPACE}s"
    return text if arm == TODAY else f"{text}<br>{percent_text(row.over(arm, TODAY))}"


def predictions(series: str = SERIES, data: BookData | None = None) -> HTML:
    """What the sweep predicted, and what was found."""
    found = rows(data or book_data.load(), series)
    return predictions_table(judged(found) if series == SERIES else judged_both(found))


def judged(found: Sequence[Row]) -> list[Prediction]:
    """Of all round trips; none before they are measured."""
    if {row.rtt_ms for row in found} != set(RTTS_MS):
        return []
    slow = next(row for row in found if row.rtt_ms == SLOW_MS)
    took_s, more = slow.arms[THEN].mean / 1e3, slow.over(THEN, TODAY)
    told = slow.over(TOLD, TODAY)
    quick = [row.over(THEN, TODAY) for row in found if row.rtt_ms != SLOW_MS]
    return [
        Prediction(
            f"RTT {SLOW_MS} ms: 0.9.21 takes {LEAST_S:g} to {MOST_S:g} s, at least {LEAST_TIMES:g} times 1.7.2",
            f"{took_s:.2f} s, {percent_text(more)}",
            all_of(LEAST_S <= took_s <= MOST_S, more.within(at_least=LEAST_TIMES)),
        ),
        Prediction(
            "with its server told of 1 s it takes within 5 % of 1.7.2",
            percent_text(told),
            told.within(*ALIKE),
        ),
        Prediction(
            "RTT 20 and 100 ms: 0.9.21 takes within 5 % of 1.7.2",
            "; ".join(map(percent_text, quick)),
            all_of(*(one.within(*ALIKE) for one in quick)),
        ),
    ]


def judged_both(found: Sequence[Row]) -> list[Prediction]:
    """Of the sweep in which the client is told, too; none before it is measured."""
    if not found:
        return []
    both, client = (found[0].over(arm, TODAY) for arm in (BOTH_TOLD, CLIENT_TOLD))
    return [
        Prediction(
            f"RTT {SLOW_MS} ms: with both ends told of 1 s, 0.9.21 takes within 5 % of 1.7.2",
            percent_text(both),
            both.within(*ALIKE),
        ),
        Prediction(
            f"with its client alone told it takes at least {LEAST_TIMES:g} times 1.7.2",
            percent_text(client),
            client.within(at_least=LEAST_TIMES),
        ),
    ]
