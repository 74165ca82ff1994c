"""Whether it matters in which direction the loss of tables 3 and 5 was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.halme2021.evidence import NAMES, TABLES, Connections, Setting, connections, printed
from longlook.book.halme2021.tables import titled
from longlook.book.times import Times, percent_text, times
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import DURATION
from longlook.figure import style
from longlook.figure.table import html_table

DOWN = {"3": Setting("down-3"), "5": Setting("down-5")}
"""Of a table of the thesis: the series with the same loss from the server to the client alone."""


@dataclass(frozen=True)
class Directions:
    """One table: durations of each arm, ms, with loss each way and down only."""

    table: str
    each_way: Mapping[str, Summary]
    down: Mapping[str, Summary]

    def ratio(self, arm: str) -> Times:
        """Down only over each way."""
        return times(self.each_way[arm], self.down[arm])


def both(data: BookData) -> list[Directions]:
    """Of the reference campaigns; tables that have all arms both ways."""
    evidence, found = connections(data, REFERENCE), []
    for name, where in DOWN.items():
        each_way, down = (_means(evidence, one) for one in (TABLES[name], where))
        if len(each_way) == len(down) == len(NAMES):
            found.append(Directions(name, each_way, down))
    return found


def _means(evidence: Connections, where: Setting) -> dict[str, Summary]:
    found = {arm: evidence.summary(where, arm, DURATION.name) for arm in NAMES}
    return {arm: one for arm, one in found.items() if one is not None}


def table(data: BookData | None = None) -> HTML:
    """Mean durations as printed, with loss each way and down only, and how far the last two are apart."""
    found = both(data or book_data.load())
    if not found:
        return HTML(style.NOTHING_YET)
    lines = [line for one in found for line in _lines(one)]
    head = ["table", "by", "printed, s", "each way, s", "down only, s", "down only vs each way"]
    starts = range(0, len(lines), len(NAMES))
    return HTML(html_table(head, lines, escape=False, numeric=range(2, len(head)), starts=starts))


def _lines(one: Directions) -> Iterator[list[str]]:
    for place, arm in enumerate(NAMES):
        means = (printed().summary(TABLES[one.table], arm, DURATION.name), one.each_way[arm], one.down[arm])
        seconds = [style.DASH if mean is None else f"{mean.mean / 1e3:.2f}" for mean in means]
        yield [titled(one.table) if place == 0 else "", NAMES[arm], *seconds, percent_text(one.ratio(arm))]
