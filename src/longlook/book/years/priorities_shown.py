"""Priorities as tables: what the browser says, and what two pages look like with and without it."""

from __future__ import annotations

from IPython.display import HTML

from longlook import paths
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.years.evidence import STUDY
from longlook.book.years.priorities import (
    BEFORE,
    EVERY,
    MAIN,
    NAMES,
    SAID,
    SEQUENCE,
    SERIES,
    STYLES,
    TURNS,
    PageOverLink,
    median,
)
from longlook.experiment.metrics import FCP, LCP, PLT, SPEED_INDEX
from longlook.experiment.said import Said, read
from longlook.figure import style
from longlook.figure.table import html_table

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
    if not said:
        return HTML(style.NOTHING_YET)
    head = ["requests for", "priority", "HTTP/2: requests", "weight", "of them changed", "HTTP/3: frames", "when mute"]
    return HTML(html_table(head, [_row(one) for one in said], numeric={2, 3, 4, 5, 6}))


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
    return HTML(html_table(head, rows, numeric=set(range(2, len(head))), starts=starts))


def _times(own: StudyColumn, where: PageOverLink, metric: str, title: str) -> list[str]:
    medians = [own.text("{value:,.0f}", **median(where, metric, value=arm)) for arm in NAMES]
    if metric == BEFORE:  # a share may be none, of which nothing is a multiple
        return [title, where.label, *medians, "", ""]
    pairs = ([TURNS, SAID], [SEQUENCE, TURNS])
    return [title, where.label, *medians, *(own.text("{percent}", **median(where, metric, ratio=one)) for one in pairs)]
