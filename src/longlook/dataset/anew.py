"""Processed tables against those that the raw records give today: an edited table is found whatever hash it has.

Numbers may differ in their last digits, which another processor or library may compute otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from longlook.dataset.rows import Row
from longlook.dataset.tables import TABLES, read_table, typed_frame
from longlook.errors import LonglookError

RELATIVE = 1e-9
AGAIN = "make it again with: longlook process"
NAMES = ("campaign", "cell_id", "arm", "left", "metric", "index", "attempt")
"""Columns that tell which row is meant."""


def table_problems(folder: Path, tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """One line per table of `folder` that is not what its rows (`tables`) say; [] where all are."""
    problems = []
    for name in TABLES:
        try:
            found = _difference(read_table(folder, name), typed_frame(name, tables.get(name, ())))
        except LonglookError as error:
            found = str(error)
        if found is not None:
            problems.append(f"table {name} is not what the raw records give: {found}; {AGAIN}")
    return problems


def _difference(there: pd.DataFrame, made: pd.DataFrame) -> str | None:
    """The first place where two tables differ, in words; None where they do not."""
    if len(there) != len(made):
        return f"{len(there)} rows, {len(made)} made anew"
    for column in made:
        wrong = np.flatnonzero(~_equal(there[column], made[column]))
        if len(wrong):
            place = int(wrong[0])
            row = made.iloc[place]
            names = ", ".join(str(row[name]) for name in NAMES if name in made and row[name] is not None)
            return f"{column} is {there[column].iloc[place]}, made anew {row[column]} ({names}; {len(wrong)} such rows)"
    return None


def _equal(one: pd.Series, other: pd.Series) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(one) and pd.api.types.is_numeric_dtype(other):
        return np.isclose(one.astype(float), other.astype(float), rtol=RELATIVE, atol=0, equal_nan=True)
    gone = one.isna() & other.isna()
    return ((one == other) | gone).to_numpy(dtype=bool)
