"""The table of causes: what the thesis's scripts, kernels and programs did, what follows if that is why the tables
differ, and what was found."""

from __future__ import annotations

import csv

from IPython.display import HTML

from longlook import paths
from longlook.book.chapter import Chapter
from longlook.book.judged import predictions_of
from longlook.book.muthuraj2024.circumstances import state
from longlook.figure.table import shown_table

CAUSES = "causes.csv"
"""Beside the chapter: why published and re-measured values may differ, the evidence, the sweep that has its
predictions."""


def causes(paper: Chapter) -> HTML:
    """Each cause with its evidence, its sweep, and whether it is confirmed."""
    with (paths.BOOK / "muthuraj2024" / CAUSES).open(newline="", encoding="utf-8") as file:
        known = list(csv.DictReader(file))
    rows = []
    for cause in known:
        found = predictions_of(cause["sweep"], paper.data)
        held = f"{sum(one.holds is True for one in found)} of {len(found)}"
        evidence = f"{cause['evidence']}; sweep {cause['sweep']}"
        rows.append([cause["claim"], evidence, held, state([one.confirms for one in found])])
    return shown_table(["cause", "evidence", "predictions that hold", "verdict"], rows, numeric={2})
