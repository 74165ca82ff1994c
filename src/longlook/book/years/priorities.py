"""Two pages with and without priorities, as the sweep today-priorities measured them: paints, times, order of arrival.

Paints and times come from the tables, the order of arrival from the campaign's records: where those are not here, it is
not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from longlook.analysis.evidence import Column
from longlook.analysis.lowest import Loads, lowest_ratio
from longlook.book.data import BookData
from longlook.book.evidence import columns_of
from longlook.book.times import Times
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import STUDY
from longlook.experiment.metrics import PLT
from longlook.plan.conditions import Row
from longlook.plan.workload import WebPage

SERIES = "today-priorities"
SAID, TURNS, SEQUENCE, TCP = "quic", "turns", "sequence", "tcp"
NAMES = {SAID: "HTTP/3", TURNS: "HTTP/3, in turns", SEQUENCE: "HTTP/3, in sequence", TCP: "HTTP/2"}
"""Arm -> what a reader calls it."""
MAIN, STYLES, BEFORE = "main_ms", "styles_ms", "before_pct"
"""Of experiment/arrivals.py, beside the metrics of the tables."""
PAGES = {
    "medium": WebPage(size_bytes=1_132_462, resources=59),
    "large": WebPage(size_bytes=1_835_008, resources=99),
}
LOSSES = (0.0, 1.0)


@dataclass(frozen=True)
class PageOverLink:
    """One page over one link."""

    page: str
    loss_pct: float

    @property
    def label(self) -> str:
        """`medium`, `large, 1 % loss`."""
        return self.page + (f", {self.loss_pct:g} % loss" if self.loss_pct else "")


EVERY = tuple(PageOverLink(page, loss) for loss in LOSSES for page in PAGES)
QUIET = tuple(where for where in EVERY if not where.loss_pct)
LOSSY = tuple(where for where in EVERY if where.loss_pct)


@dataclass(frozen=True)
class PriorityLoads:
    """The newest campaign of one column."""

    data: BookData
    key: str = REFERENCE

    @cached_property
    def _column(self) -> Column:
        return columns_of(self.data, STUDY)[self.key]

    @cached_property
    def _rows(self) -> dict[tuple[float, int, str], Row]:
        """By loss, bytes of the page and arm."""
        rows = self._column.rows([SERIES], PLT.name)
        return {(row["loss_pct"], int(row["total_bytes"]), row["arm"]): row for row in rows}

    @property
    def is_measured(self) -> bool:
        return bool(self._rows)

    @property
    def campaigns(self) -> tuple[str, ...]:
        """Those that it is read from."""
        return tuple(dict.fromkeys(row["campaign"] for row in self._rows.values()))

    def loads(self, where: PageOverLink, arm: str, metric: str) -> Loads:
        """Of every load that counts."""
        row = self._rows.get((where.loss_pct, PAGES[where.page].size_bytes, arm))
        return () if row is None else self._column.loads({**row, "metric": metric})

    def ratio(self, where: PageOverLink, metric: str, over: str, under: str) -> Times | None:
        """Median of one arm over that of another; None where either is not measured."""
        one, other = (self.loads(where, arm, metric) for arm in (over, under))
        return lowest_ratio((one,), (other,)) if one and other else None
