"""Two pages with and without priorities, as the sweep today-priorities measured them, and what the browser says.

Paints and times come from the tables, the order of arrival from the campaign's records: where those are not here, it is
not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from IPython.display import HTML

from longlook import paths
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.years.evidence import STUDY
from longlook.experiment.metrics import FCP, LCP, PLT, SPEED_INDEX
from longlook.experiment.said import Said, read
from longlook.figure import style
from longlook.figure.table import shown_table
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


TITLES = {
    FCP.name: FCP.title,
    LCP.name: LCP.title,
    SPEED_INDEX.name: SPEED_INDEX.title,
    PLT.name: PLT.title,
    STYLES: "last style sheet there",
    MAIN: "main image there",
    BEFORE: "scripts and images before the last style sheet, %",
}
KINDS = {"document": "the page", "style": "style sheets", "font": "fonts", "script": "scripts"} | {
    "above": "first five images",
    "image": "other images",
}


def signal_table() -> HTML:
    """A row for each thing that is said."""
    said = read(paths.PRIORITIES)
    head = ["requests for", "priority", "HTTP/2: requests", "weight", "of them changed", "HTTP/3: frames", "when mute"]
    return shown_table(head, [_row(one) for one in said], numeric={2, 3, 4, 5, 6})


def _row(one: Said) -> list[str]:
    kinds = ", ".join(KINDS.get(kind, kind) for kind in one.kinds.split(","))
    counts = (one.requests, one.weight, one.moved, one.frames, one.unsaid)
    return [kinds, one.said or "not stated", *map(str, counts)]


def times_table(data: BookData | None = None) -> HTML:
    """A row per metric, page and loss: medians of the four arms, and two of their ratios."""
    own = StudyColumn(data or book_data.load(), STUDY)
    if not own.has(SERIES):
        return HTML(style.NOTHING_YET)
    rows: list[list[str]] = []
    starts: list[int] = []
    for metric, title in TITLES.items():
        starts.append(len(rows))
        rows += [_times(own, where, metric, title) for where in EVERY]
    head = ["median of, ms", "page", *NAMES.values(), "in turns, against HTTP/3", "in sequence, against in turns"]
    return shown_table(head, rows, numbers_from=2, starts=starts)


def _times(own: StudyColumn, where: PageOverLink, metric: str, title: str) -> list[str]:
    medians = [own.text("{value:,.0f}", **median(where, metric, value=arm)) for arm in NAMES]
    if metric == BEFORE:  # a share may be none, of which nothing is a multiple
        return [title, where.label, *medians, "", ""]
    pairs = ([TURNS, SAID], [SEQUENCE, TURNS])
    return [title, where.label, *medians, *(own.text("{percent}", **median(where, metric, ratio=one)) for one in pairs)]
