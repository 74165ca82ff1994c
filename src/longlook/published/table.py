"""Published cells of a study whose numbers are one file: `data/published/<study>/cells.csv`, a row for each mean.

Its columns are called as in the plan: `table`, `series`, `metric`, `mean`, `sd`, `n`; `size_bytes` and `count` of the
page; and what is stated of the link (`rtt_ms`) and of the arm (`protocol`, `server`). What is empty is not stated.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.errors import LonglookError
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.link import Link
from longlook.plan.value import nearest
from longlook.published.cells import PublishedCell, PublishedMean
from longlook.published.files import rows, studies

CELLS_NAME = "cells.csv"
OWN = ("table", "series", "metric", "mean", "sd", "n")
PAGE = ("size_bytes", "count")
ARM = tuple(Arm.model_fields)
LINK = tuple(Link.model_fields)
Row = dict[str, Any]


def cells_of_tables(folder: Path | None = None) -> list[PublishedCell]:
    """Of every study that has such a file, in the order of its rows."""
    root = folder or paths.PUBLISHED
    return [cell for study in studies(root) if (root / study / CELLS_NAME).is_file() for cell in _cells(study, root)]


def _cells(study: str, folder: Path) -> list[PublishedCell]:
    found: dict[str, list[tuple[str, Row]]] = {}
    for where, row in rows(study, CELLS_NAME, folder):
        _require_columns(where, row)
        stated = {name: _number(text) for name, text in row.items() if text}
        cell = {name: one for name, one in stated.items() if name in ("table", "series", *PAGE, *LINK)}
        found.setdefault(repr(cell), []).append((where, stated))
    return [_published(study, lines) for lines in found.values()]


def _require_columns(where: str, row: Row) -> None:
    known = (*OWN, *PAGE, *ARM, *LINK)
    for name in row:
        if name not in known:
            raise LonglookError(f"{where}: no column {name!r}{nearest(name, known)}")
    for name in (*OWN, *PAGE, "protocol"):
        if not row.get(name):
            raise LonglookError(f"{where}: it does not state {name}")


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _published(study: str, lines: list[tuple[str, Row]]) -> PublishedCell:
    where, first = lines[0]
    try:
        cell = Cell.parse(
            {
                "study": study,
                "series": str(first["series"]),
                "experiment": "plt",
                "arms": [{name: row[name] for name in ARM if name in row} for _, row in lines],
                "workload": {name: first[name] for name in PAGE},
                "link": {name: first[name] for name in LINK if name in first},
            }
        )
        means = [_mean(row) for _, row in lines]
    except (LonglookError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None
    return PublishedCell(
        str(first["table"]), cell, str(first["metric"]), dict(zip(cell.arm_names, means, strict=True)), where=where
    )


def _mean(row: Row) -> PublishedMean:
    found = PublishedMean(float(row["mean"]), float(row["sd"]), int(row["n"]))
    if not (math.isfinite(found.mean) and found.sd >= 0 and found.n >= 1):
        raise ValueError(f"mean {found.mean:g}, sd {found.sd:g} of n = {found.n}: no loads have these")
    return found
