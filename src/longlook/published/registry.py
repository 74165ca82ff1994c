"""Every study with published numbers that cells are held against. A new one is its file of cells, or
its module and one entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from longlook.plan.conditions import Row
from longlook.published import baxter2018, halme2021, muthuraj2024, shreedhar2022, yu2021
from longlook.published.cells import PublishedCell
from longlook.published.table import cells_of_tables

READERS: tuple[Callable[[Path | None], list[PublishedCell]], ...] = (
    muthuraj2024.page_load_times,
    muthuraj2024.shares,
    baxter2018.poster,
    baxter2018.report,
    cells_of_tables,
)
MEANS: Mapping[str, Callable[[Path | None], list[Row]]] = {
    halme2021.STUDY: halme2021.means,
    shreedhar2022.STUDY: shreedhar2022.means,
    yu2021.STUDY: yu2021.means,
}
"""Of studies that print means without deviations, of which no test can be made: rows of `arms`."""


@cache
def published_cells(folder: Path | None = None) -> tuple[PublishedCell, ...]:
    """All published cells of all studies, in the order of their tables."""
    return tuple(cell for read in READERS for cell in read(folder))


@cache
def published_means(study: str, folder: Path | None = None) -> tuple[Row, ...]:
    """Means of a study that prints no more of them."""
    return tuple(MEANS[study](folder)) if study in MEANS else ()
