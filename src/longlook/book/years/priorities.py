"""Two pages with and without priorities, as the sweep today-priorities measured them: paints, times, order of arrival.

Paints and times come from the tables, the order of arrival from the campaign's records: where those are not here, it is
not measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from longlook import paths
from longlook.analysis.lowest import Loads, lowest_ratio
from longlook.book.data import BookData
from longlook.book.loads import by_place
from longlook.book.times import Times
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import STUDY
from longlook.errors import LonglookError
from longlook.experiment.arrivals import arrivals
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
class Where:
    """One page over one link."""

    page: str
    loss_pct: float

    @property
    def label(self) -> str:
        """`medium`, `large, 1 % loss`."""
        return self.page + (f", {self.loss_pct:g} % loss" if self.loss_pct else "")


EVERY = tuple(Where(page, loss) for loss in LOSSES for page in PAGES)
QUIET = tuple(where for where in EVERY if not where.loss_pct)
LOSSY = tuple(where for where in EVERY if where.loss_pct)


@dataclass(frozen=True)
class Ordered:
    """The newest campaign of one column."""

    data: BookData
    key: str = REFERENCE

    @property
    def is_measured(self) -> bool:
        return bool(_told(self.data, self.key))

    @property
    def campaigns(self) -> tuple[str, ...]:
        """Those that it is read from."""
        return tuple(dict.fromkeys(self.data.rows("cells", STUDY, SERIES, self.key)["campaign"]))

    def loads(self, where: Where, arm: str, metric: str) -> Loads:
        """Of every load that counts."""
        told = _arrived if metric in (MAIN, STYLES, BEFORE) else _told
        return tuple(told(self.data, self.key).get((where, arm, metric), {}).values())

    def ratio(self, where: Where, metric: str, over: str, under: str) -> Times | None:
        """Median of one arm over that of another; None where either is not measured."""
        one, other = (self.loads(where, arm, metric) for arm in (over, under))
        return lowest_ratio((one,), (other,)) if one and other else None


Told = Mapping[tuple[Where, str, str], Mapping[int, float]]
"""Page and link, arm, metric -> number of the load -> value."""


def _where(row: Mapping[Any, Any]) -> Where | None:
    """The page and link of a row of `cells`."""
    for name, page in PAGES.items():
        if (page.size_bytes, page.resources) == (int(row["total_bytes"]), int(row["object_count"]) + 1):
            return Where(name, float(row["loss_pct"]))
    return None


@lru_cache(maxsize=8)
def _told(data: BookData, key: str) -> Told:
    return by_place(data, STUDY, SERIES, key, _where)


@lru_cache(maxsize=8)
def _arrived(data: BookData, key: str) -> Told:
    found: dict[tuple[Where, str, str], dict[int, float]] = {}
    for row in data.rows("cells", STUDY, SERIES, key).to_dict("records"):
        where, folder = _where(row), paths.RAW / row["campaign"] / row["cell_id"]
        if where is None or not folder.is_dir():
            continue
        try:
            loads = arrivals(folder, PAGES[where.page])
        except LonglookError:
            continue
        for one in loads:
            for name in (MAIN, STYLES, BEFORE):
                found.setdefault((where, one.arm, name), {})[one.index] = getattr(one, name)
    return found
