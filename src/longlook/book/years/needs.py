"""What the whole axis needs: the time of its sweeps and the disk of its browsers."""

from __future__ import annotations

import html

import pandas as pd
from IPython.display import HTML

from longlook.analysis.newest import newest
from longlook.book import data as book_data
from longlook.book.chapters import chapter_sweeps
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years.milestones import milestones
from longlook.figure import style
from longlook.figure.table import html_table

CHAPTER = "years"


def campaigns(data: BookData, key: str = REFERENCE) -> pd.DataFrame:
    """Rows of `campaigns`: the newest of each sweep of the chapter, in the chapter's order."""
    shown = set(newest(data.whole("cells"), key)["campaign"])
    known = data.whole("campaigns")
    own = known[known["campaign"].isin(shown)].set_index("sweep")
    return own.reindex([name for name in chapter_sweeps(CHAPTER) if name in own.index]).reset_index()


def hours(data: BookData, key: str = REFERENCE) -> float:
    """That they took."""
    return float(campaigns(data, key)["wall_s"].sum()) / 3600


def disk_bytes() -> int:
    """Of all browsers of the axis, as they are installed."""
    return sum(one.spoken.disk_bytes for one in milestones())


def table(data: BookData | None = None) -> HTML:
    """A row per sweep: its cells and how long it took, and on which processors."""
    rows = [
        [f"<code>{html.escape(one['sweep'])}</code>", str(one["cells_measured"]), f"{one['wall_s'] / 60:.0f} min",
         html.escape(str(one["cpu_model"]))]
        for one in campaigns(data or book_data.load()).to_dict("records")
    ]  # fmt: skip
    if not rows:
        return HTML(style.NOTHING_YET)
    return HTML(html_table(["sweep", "cells", "took", "measured on"], rows, escape=False, numeric={1, 2}))
