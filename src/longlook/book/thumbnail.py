"""The picture of the result: figure 4.6 as published beside as re-measured, for the README."""

from __future__ import annotations

from pathlib import Path

from longlook import paths
from longlook.analysis.newest import STUDY
from longlook.book import data as book_data
from longlook.errors import LonglookError
from longlook.figure.heatmap import QUIC_TCP, overview
from longlook.figure.live import offline_spec, png
from longlook.figure.squares import PUBLISHED, figure_squares

FIGURES = ("4.6a", "4.6d", "4.6b", "4.6e", "4.6c", "4.6f")
"""One object on the left, several on the right; a row per link condition."""


def make_thumbnail(path: Path | None = None, data: book_data.BookData | None = None) -> Path:
    """Writes the picture as PNG (default book/_static/figure-4.6.png) and returns its path.

    Shows the figures that were re-measured, from the reference campaigns or else the reader's own.
    """
    data = data or book_data.load()
    figures = {}
    for figure in FIGURES:
        sources = data.sources(STUDY, figure, QUIC_TCP)
        measured = [source for source in sources if source.campaigns]
        if measured:
            figures[figure] = figure_squares({one: sources[one] for one in (PUBLISHED, measured[0])})
    if not figures:
        missing = f"nothing to draw: no square of figure 4.6 in {data.processed}"
        raise LonglookError(f"{missing}; measure with: longlook run figure-4.6a")
    target = path or paths.BOOK / "_static" / "figure-4.6.png"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(png(offline_spec(overview(figures)), scale=1.6))
    return target
