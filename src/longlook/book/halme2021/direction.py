"""Whether it matters in which direction the loss of tables 3 and 5 was."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.halme2021.evidence import NAMES, TABLES, Setting, printed
from longlook.book.halme2021.tables import titled
from longlook.experiment.metrics import DURATION
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.published.halme2021 import STUDY

DOWN = {"3": Setting("down-3"), "5": Setting("down-5")}
"""Of a table of the thesis: the series with the same loss from the server to the client alone."""


def ratio(table: str, *arms: str) -> dict[str, Any]:
    """Mean durations with loss down only over those with loss each way, as criteria say it."""
    each_way = {"series": TABLES[table].series}
    return {"value": list(arms), "metric": DURATION.name, "each": [], "over": each_way, **DOWN[table].said}


def table(data: BookData | None = None) -> HTML:
    """Mean durations as printed, of the reference campaigns with loss each way and down only, and how far the last two
    are apart; of tables that have all arms both ways."""
    data = data or book_data.load()
    own, rows = StudyColumn(data, STUDY), []
    for name, where in DOWN.items():
        if len(own.found(**ratio(name, *NAMES))) == len(NAMES):
            sources = ((printed(data), TABLES[name]), (own, TABLES[name]), (own, where))
            for place, arm in enumerate(NAMES):
                asked = {"value": arm, "metric": DURATION.name}
                means = [one.text("{seconds:.2f}", **asked, **setting.said) for one, setting in sources]
                title = titled(name) if place == 0 else ""
                rows.append([title, NAMES[arm], *means, own.text("{percent}", **ratio(name, arm))])
    head = ["table", "by", "printed, s", "each way, s", "down only, s", "down only vs each way"]
    starts = range(0, len(rows), len(NAMES))
    shown = html_table(head, rows, escape=False, numeric=range(2, len(head)), starts=starts)
    return HTML(shown if rows else style.NOTHING_YET)
