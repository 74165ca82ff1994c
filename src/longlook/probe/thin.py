"""Timelines made small without losing their extremes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def thin(table: pd.DataFrame, columns: Sequence[str], bins: int) -> pd.DataFrame:
    """Of each of `bins` equal spans of `time_s` the first and the last row, and the extremes.

    Those are the rows where one of `columns` is smallest or largest. At most 2 + 2 x len(columns) rows per span; every
    row is one that was measured. `time_s` must rise.
    """
    if len(table) <= bins:
        return table.reset_index(drop=True)
    table = table.reset_index(drop=True)
    begin, end = table["time_s"].iloc[0], table["time_s"].iloc[-1]
    span = ((table["time_s"] - begin) / max(end - begin, 1e-9) * bins).astype(int).clip(upper=bins - 1)
    groups = table.groupby(span)
    kept = set(groups.head(1).index) | set(groups.tail(1).index)
    for column in columns:
        filled = table[column].dropna()
        if len(filled):
            values = filled.groupby(span[filled.index])
            kept |= set(values.idxmin()) | set(values.idxmax())
    return table.loc[sorted(kept)].reset_index(drop=True)
