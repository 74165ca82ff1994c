"""From Chromium 72 to 76: what a page of a hundred objects takes without each of two changes, and without both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.years.evidence import FAST, MANY, PROTOCOLS, SMALLEST, STUDY
from longlook.experiment.metrics import CLIENT_CPU, PLT
from longlook.figure import style
from longlook.figure.table import shown_table

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


def at(workload: str, mbps: float) -> dict[str, Any]:
    """One page over one link, as criteria say it."""
    return {"series": SERIES, "where": {"workload": workload, "bandwidth_mbps": mbps}}


MEAN, SECONDS = "{mean:,.0f} ± {sd:,.0f}", "{mean:,.2f} ± {sd:,.2f}"
COLUMNS: Mapping[str, tuple[str, str, dict[str, Any]]] = {
    "100 objects, 100 Mbit/s, ms": (MEAN, PLT.name, at(MANY, FAST)),
    "processor time, s": (SECONDS, CLIENT_CPU.name, at(MANY, FAST)),
    "100 objects, 10 Mbit/s, ms": (MEAN, PLT.name, at(MANY, SLOW)),
    "5 KB, 100 Mbit/s, ms": (MEAN, PLT.name, at(SMALLEST, FAST)),
}


def table(data: BookData | None = None) -> HTML:
    """A row for each browser: page load times of both pages, ms, and its processor time for the large one, s."""
    own = StudyColumn(data or book_data.load(), STUDY)
    if not own.has(SERIES):
        return HTML(style.NOTHING_YET)
    asked = [(protocol, *column) for column in COLUMNS.values() for protocol in PROTOCOLS]
    rows = [
        [name, *(own.text(told, value=f"{kind}-{stack}", metric=metric, **said) for kind, told, metric, said in asked)]
        for stack, name in NAMES.items()
    ]
    groups = [("", 1), *((title, len(PROTOCOLS)) for title in COLUMNS)]
    head = ["browser", *(style.PROTOCOL_LABELS[protocol] for protocol, *_ in asked)]
    return shown_table(head, rows, numbers_from=1, groups=groups)
