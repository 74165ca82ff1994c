"""Squares with one condition changed, beside the same ones as the method has them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import pandas as pd

from longlook.analysis.agreement import meets
from longlook.analysis.welch import summary_of
from longlook.book.data import BookData
from longlook.book.drivers import beside
from longlook.errors import LonglookError
from longlook.figure import style
from longlook.figure.live import Attachment, offered
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.figure.versus import SIDES, Versus, decided
from longlook.record.parquet import records

SAME = ("workload", "bandwidth_mbps", "rtt_ms")
"""What a square and its changed counterpart have in common."""
REFERENCE = "reference"
Row = Mapping[Hashable, Any]


@dataclass(frozen=True)
class Square:
    """A square as printed, as the method says, and with one condition changed: rows of `side_by_side`."""

    published: Row | None
    usual: Row | None
    varied: Row


def square_at(frame: pd.DataFrame, wanted: Mapping[str, object]) -> Row | None:
    """The one row with these values in these columns; None without any, an error where there are several."""
    found = frame[(frame[list(wanted)] == pd.Series(wanted)).all(axis=1)]
    if len(found) > 1:
        where = ", ".join(f"{name} = {value}" for name, value in wanted.items())
        series = ", ".join(dict.fromkeys(found["series"]))
        raise LonglookError(f"series {series}: {len(found)} cells at {where}; name more conditions")
    return next(iter(records(found)), None)


def same_square(data: BookData, study: str, series: Sequence[str], key: str, wanted: Row, versus: Versus) -> Row | None:
    """The square with the workload, bandwidth and RTT of `wanted`, from the first of these series that has it."""
    place = {name: wanted[name] for name in SAME}
    for name in series:
        found = square_at(data.squares(study, name, key, versus), place)
        if found is not None:
            return found
    return None


Changes = Mapping[str, Sequence[str]]
"""Series with a condition changed -> those that have its squares as the method says, of which the first counts."""


def varied_table(data: BookData, study: str, changes: Changes, usual: str, varied: str, versus: Versus) -> str:
    """A row for each changed series: its squares as the method says (`usual`) and with the condition changed
    (`varied`), by both arms' means. Every square is in the file beside it."""
    rows, files = [], []
    for series, of in changes.items():
        squares = _squares(data, study, series, of, versus)
        if squares:
            rows.append([", ".join(of), str(len(squares)), *_told(squares)])
            files.append(
                Attachment(f"varied-{series}.csv", _listed(squares, usual, varied, versus).to_csv(index=False))
            )
    if not rows:
        return style.NOTHING_YET
    word, other = versus.words
    groups = [("", 2), (f"{word} faster", 2), ("means within the published", 2), (f"{varied} / {usual}, mean", 2)]
    head = ["figure", "squares", *[usual, varied] * 2, word, other]
    return html_table(head, rows, numeric=set(range(1, 8)), groups=groups) + offered(*files)


def _squares(data: BookData, study: str, series: str, of: Sequence[str], versus: Versus) -> list[Square]:
    changed = data.squares(study, series, REFERENCE, versus)
    ordered = changed.sort_values(["rtt_ms", "bandwidth_mbps", "object_count", "object_bytes"])
    found = []
    for cell in records(ordered):
        alike = beside(cell["campaign"], data)
        published, usual = (same_square(alike, study, of, key, cell, versus) for key in (PUBLISHED.key, REFERENCE))
        found.append(Square(published, usual, cell))
    return found


def _told(squares: Sequence[Square]) -> list[str]:
    """In how many the first arm is significantly faster, and how many means lie within the prediction interval of the
    published ones, both ways; the quotient of each arm's means: median and range."""
    ways: list[list[Row | None]] = [[one.usual for one in squares], [one.varied for one in squares]]
    known = [[one for one in way if one is not None] for way in ways]
    faster = [f"{sum(decided(one).winner == 'left' for one in way)} of {len(way)}" for way in known]
    within = [
        [bool(meets(summary_of(one.published, f"{side}_"), summary_of(own, f"{side}_"))) for side in SIDES
         for one, own in zip(squares, way, strict=True) if one.published is not None and own is not None]
        for way in ways
    ]  # fmt: skip
    times = [
        [one.varied[f"{side}_mean"] / one.usual[f"{side}_mean"] for one in squares if one.usual is not None]
        for side in SIDES
    ]
    return [
        *faster,
        *(f"{sum(own)} of {len(own)}" if own else style.DASH for own in within),
        *(f"{median(own):.2f} ({min(own):.2f} to {max(own):.2f})" if own else style.DASH for own in times),
    ]


def _listed(squares: Sequence[Square], usual: str, varied: str, versus: Versus) -> pd.DataFrame:
    return pd.DataFrame(
        {
            **{name: one.varied[name] for name in SAME},
            **{
                f"{word}, {title}": style.DASH if own is None else own[f"{side}_mean"]
                for side, word in zip(SIDES, versus.words, strict=True)
                for title, own in (("published", one.published), (usual, one.usual), (varied, one.varied))
            },
        }
        for one in squares
    )
