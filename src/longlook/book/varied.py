"""Squares with one condition changed, beside the same ones as the method has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from longlook.book.data import BookData
from longlook.book.flows import page
from longlook.errors import LonglookError
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.figure.versus import SIDES, Versus

SAME = ("workload", "bandwidth_mbps", "rtt_ms")
"""What a square and its changed counterpart have in common."""
REFERENCE = "reference"


def square_at(frame: pd.DataFrame, wanted: Mapping[str, object]) -> pd.Series | None:
    """The one row with these values in these columns; None without any, an error where there are several."""
    found = frame[(frame[list(wanted)] == pd.Series(wanted)).all(axis=1)]
    if len(found) > 1:
        where = ", ".join(f"{name} = {value}" for name, value in wanted.items())
        series = ", ".join(dict.fromkeys(found["series"]))
        raise LonglookError(f"series {series}: {len(found)} cells at {where}; name more conditions")
    return found.iloc[0] if len(found) else None


def same_square(
    data: BookData, study: str, series: Sequence[str], key: str, wanted: pd.Series, versus: Versus
) -> pd.Series | None:
    """The square with the workload, bandwidth and RTT of `wanted`, from the first of these series that has it."""
    place = {name: wanted[name] for name in SAME}
    for name in series:
        found = square_at(data.squares(study, name, key, versus), place)
        if found is not None:
            return found
    return None


def varied_table(
    data: BookData, study: str, series: str, of: Sequence[str], usual: str, varied: str, versus: Versus
) -> str:
    """Squares of the series `of`: published where the study has a table, re-measured as the method says (`usual`), and
    with one condition changed (`series`, headed `varied`); means of both arms."""
    changed = data.squares(study, series, REFERENCE, versus)
    if changed.empty:
        return style.NOTHING_YET
    titles = {PUBLISHED.key: "publ.", REFERENCE: usual}
    if data.rows("arms", study, of, PUBLISHED.key).empty:
        del titles[PUBLISHED.key]
    link = {"rtt_ms": "RTT, ms", "bandwidth_mbps": "Mbit/s"}
    if changed["rtt_ms"].nunique() == 1:
        del link["rtt_ms"]
    rows = []
    ordered = changed.sort_values(["rtt_ms", "bandwidth_mbps", "object_count", "object_bytes"])
    for _, cell in ordered.iterrows():
        columns = [*(same_square(data, study, of, key, cell, versus) for key in titles), cell]
        means = [f"{one[f'{side}_mean']:.0f}" if one is not None else "–" for side in SIDES for one in columns]
        rows.append([*(f"{cell[name]:g}" for name in link), page(cell), *means])
    head = [*link.values(), "page"]
    for word in versus.words:
        first, *rest = [*titles.values(), varied]
        head += [f"{word}, {first}", *rest]
    return html_table(head, rows, numeric={*range(len(head))} - {len(link)})
