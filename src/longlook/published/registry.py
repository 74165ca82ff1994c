"""Every study with published numbers that cells are held against. A new one is its module and one entry here."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from longlook.published import baxter2018, muthuraj2024
from longlook.published.cells import PublishedCell

READERS: tuple[Callable[[Path | None], list[PublishedCell]], ...] = (
    muthuraj2024.page_load_times,
    muthuraj2024.shares,
    baxter2018.poster,
    baxter2018.report,
)


@cache
def published_cells(folder: Path | None = None) -> tuple[PublishedCell, ...]:
    """All published cells of all studies, in the order of their tables."""
    return tuple(cell for read in READERS for cell in read(folder))
