"""The agreement tables as objects: each published cell beside the re-measured one, and what they come to. Pure.

Nothing is computed here that the tables hold; `analysis.agreement` is where they come from.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from longlook.analysis.contrast import Verdict
from longlook.plan.cell import Mode
from longlook.record.parquet import records

CELL = ["study", "table", "campaign", "series", "cell_id"]


@dataclass(frozen=True)
class ComparedMean:
    """One row of `agreement_means`."""

    arm: str
    protocol: str
    published_mean: float
    published_sd: float
    published_n: int
    measured_mean: float
    measured_sd: float
    measured_n: int
    ratio: float
    """Measured over published."""
    within_prediction: bool | None


@dataclass(frozen=True)
class ComparedVerdict:
    """One row of `agreement_verdicts`."""

    left: str
    right: str
    published: Verdict | None
    published_pct_diff: float
    published_p_value: float
    measured: Verdict | None
    measured_pct_diff: float
    measured_p_value: float
    agree: bool | None
    """None where one of the two was not tested."""


@dataclass(frozen=True)
class ComparedCell:
    """One published cell and the one measured anew."""

    study: str
    table: str
    campaign: str
    series: str
    label: str | None
    cell_id: str
    title: str
    """Workload and link for readers."""
    mode: Mode
    metric: str
    means: tuple[ComparedMean, ...]
    verdicts: tuple[ComparedVerdict, ...]

    @property
    def tested(self) -> bool:
        """True where every verdict rests on a test in both."""
        return bool(self.verdicts) and all(one.agree is not None for one in self.verdicts)

    @property
    def agrees(self) -> bool:
        """True where every verdict rests on a test in both and is equal."""
        return bool(self.verdicts) and all(one.agree is True for one in self.verdicts)


@dataclass(frozen=True)
class Overall:
    """Cells of one metric summed up: page load times are not counted together with rates."""

    study: str
    """Empty of cells of several."""
    metric: str
    cells: int
    equal: int
    tested: int
    """Verdicts that were tested in both, and how many of them are equal."""
    agreeing_share: float
    """0 to 1; NaN where none was tested."""
    median_error: float
    """Of the means: |ratio - 1|."""
    median_errors: Mapping[str, float]
    """By protocol."""


def compared_cells(means: pd.DataFrame, verdicts: pd.DataFrame, cells: pd.DataFrame) -> tuple[ComparedCell, ...]:
    """Every cell of the agreement tables, in their order; `cells` is the table of that name."""
    known = {(row["campaign"], row["cell_id"]): row for row in _rows(cells[["campaign", "cell_id", "title", "mode"]])}
    decided: dict[tuple, list[ComparedVerdict]] = {}
    for row in _rows(verdicts):
        decided.setdefault(_key(row), []).append(_of(ComparedVerdict, row))
    found = []
    for key, own in _by_key(_rows(means)).items():
        first = own[0]
        cell = known[first["campaign"], first["cell_id"]]
        found.append(
            ComparedCell(
                **{name: first[name] for name in (*CELL, "label", "metric")},
                title=cell["title"],
                mode=cell["mode"],
                means=tuple(_of(ComparedMean, row) for row in own),
                verdicts=tuple(decided.get(key, ())),
            )
        )
    return tuple(found)


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return records(frame)


def _key(row: Mapping[str, Any]) -> tuple:
    return tuple(row[name] for name in CELL)


def _by_key(rows: Iterable[dict[str, Any]]) -> dict[tuple, list[dict[str, Any]]]:
    found: dict[tuple, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(_key(row), []).append(row)
    return found


def _of(kind, row: Mapping[str, Any]):
    return kind(**{name: row[name] for name in kind.__dataclass_fields__})


def overall(cells: Sequence[ComparedCell], metric: str) -> Overall:
    """Of the cells of one metric."""
    own = [cell for cell in cells if cell.metric == metric]
    equal, tested = count_agreeing(own)
    protocols = dict.fromkeys(mean.protocol for cell in own for mean in cell.means)
    studies = {cell.study for cell in own}
    return Overall(
        study=studies.pop() if len(studies) == 1 else "",
        metric=metric,
        cells=len(own),
        equal=equal,
        tested=tested,
        agreeing_share=equal / tested if tested else math.nan,
        median_error=median_error(own),
        median_errors={protocol: median_error(own, protocol) for protocol in protocols},
    )


def count_agreeing(cells: Iterable[ComparedCell]) -> tuple[int, int]:
    """How many verdicts are equal, and of how many that were tested in both."""
    tested = [one.agree for cell in cells for one in cell.verdicts if one.agree is not None]
    return sum(tested), len(tested)


def median_error(cells: Iterable[ComparedCell], protocol: str | None = None) -> float:
    """Median of |ratio - 1| over the means, of one protocol or of all; NaN of none."""
    means = (mean for cell in cells for mean in cell.means if protocol in (None, mean.protocol))
    errors = [abs(mean.ratio - 1) for mean in means if math.isfinite(mean.ratio)]
    return statistics.median(errors) if errors else math.nan


def largest(cells: Iterable[ComparedCell], n: int = 5) -> tuple[tuple[ComparedCell, ComparedMean], ...]:
    """The n means that differ most, by the absolute logarithm of their ratio, the largest first."""
    found = [(cell, mean) for cell in cells for mean in cell.means if 0 < mean.ratio < math.inf]
    return tuple(sorted(found, key=lambda one: -abs(math.log(one[1].ratio)))[:n])
