"""What the whole axis needs: the time of its sweeps and the disk of its browsers."""

from __future__ import annotations

import html
from collections.abc import Iterable

import pandas as pd
from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.chapters import chapter_series
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years.milestones import milestones
from longlook.figure.table import shown_table

CHAPTER = "years"
"""And the study that it is of."""


def campaigns(data: BookData, key: str = REFERENCE) -> list[pd.Series]:
    """Rows of `campaigns`: those that the chapter shows, in its order."""
    shown = (name for one in chapter_series(CHAPTER) for name in data.rows("cells", CHAPTER, one, key)["campaign"])
    return [data.campaign(name) for name in dict.fromkeys(shown)]


def hours(found: Iterable[pd.Series]) -> float:
    """That campaigns took."""
    return float(sum(one["wall_s"] for one in found)) / 3600


def disk_bytes() -> int:
    """Of all browsers of the axis, as they are installed."""
    return sum(one.spoken.disk_bytes for one in milestones())


def table(data: BookData | None = None) -> HTML:
    """A row per sweep: its cells and how long it took, and on which processors."""
    rows = [
        [f"<code>{html.escape(one['sweep'])}</code>", str(one["cells_measured"]), f"{one['wall_s'] / 60:.0f} min",
         html.escape(str(one["cpu_model"]))]
        for one in campaigns(data or book_data.load())
    ]  # fmt: skip
    return shown_table(["sweep", "cells", "took", "measured on"], rows, escape=False, numeric={1, 2})
