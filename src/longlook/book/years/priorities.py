"""Two pages with and without priorities, as the sweep today-priorities measured them: paints, times, order of arrival.

Paints and times come from the tables, the order of arrival from the campaign's records: where those are not here, it is
not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longlook.experiment.metrics import PLT
from longlook.plan.criteria import OF_RECORDS
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


def median(where: PageOverLink, metric: str, **form: Any) -> dict[str, Any]:
    """Of one arm's loads (`value=`), or that of one over that of another (`ratio=`), as criteria say it."""
    of = {"metric": PLT.name, "quantity": metric} if metric in OF_RECORDS else {"metric": metric}
    square = {"total_bytes": PAGES[where.page].size_bytes, "loss_pct": where.loss_pct}
    return {"series": SERIES, "where": square, "statistic": "lowest-median", **of, **form}
