"""Cells of a published table, each measured twice: as the thesis's text says, and with something changed."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from longlook import paths
from longlook.analysis.agreement import meets, printed_of
from longlook.analysis.contrast import contrast
from longlook.analysis.newest import moment
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary, samples_by_key
from longlook.book.data import BookData
from longlook.book.predicted import JudgedPrediction
from longlook.book.varied import REFERENCE
from longlook.plan.cell import Cell
from longlook.plan.conditions import arm_conditions, conditions
from longlook.published.cells import PublishedCell
from longlook.published.muthuraj2024 import STUDY, page_load_times

Loads = Mapping[str, Summary]
"""By protocol."""


@dataclass(frozen=True)
class Both:
    """One printed cell, and its loads both ways."""

    printed: PublishedCell
    usual: Loads
    changed: Loads

    def published(self, protocol: str) -> Summary:
        """What is printed of a protocol."""
        return printed_of(self.printed, protocol)

    def is_nearer(self, protocol: str) -> bool:
        """Whether the mean with the change is nearer to the printed one."""
        target = self.published(protocol).mean
        return abs(self.changed[protocol].mean - target) < abs(self.usual[protocol].mean - target)

    def times(self, protocol: str) -> float:
        """The mean with the change by that without."""
        return self.changed[protocol].mean / self.usual[protocol].mean

    def error(self, protocol: str) -> float:
        """Relative, of the mean with the change."""
        return abs(self.changed[protocol].mean / self.published(protocol).mean - 1)

    def is_met(self, protocol: str) -> bool:
        """Whether that mean lies within the 99 % prediction interval of the printed one."""
        return bool(meets(self.published(protocol), self.changed[protocol]))

    def was_met(self, protocol: str) -> bool:
        """The same without the change."""
        return bool(meets(self.published(protocol), self.usual[protocol]))

    @property
    def agrees(self) -> bool:
        """Whether the verdict with the change is the published one."""
        return verdict_of(self.changed) == verdict_of({name: self.published(name) for name in ("quic", "tcp")})


def verdict_of(loads: Loads) -> str | None:
    """Which of the two protocols is significantly faster."""
    return contrast(loads["quic"], loads["tcp"]).verdict


def median_error(both: Iterable[Both], protocol: str) -> float:
    """Of the means with the change."""
    return statistics.median(one.error(protocol) for one in both)


def agreeing(both: Sequence[Both], least: int, squares: int) -> JudgedPrediction:
    """The prediction that so many verdicts of a table's squares agree with the published ones."""
    equal = sum(one.agrees for one in both)
    return JudgedPrediction(
        f"at least {least} of {squares} verdicts agree with the published ones",
        f"{equal} of {len(both)}",
        equal >= least,
    )


def loads_of(data: BookData, series: str, study: str = STUDY) -> dict[tuple[str, str], Loads]:
    """(study, key) -> the loads of a cell, of the reference campaigns of a series."""
    return dict(samples_by_key(primary(data.rows("arms", study, series, REFERENCE))))


def loads_of_sweep(data: BookData, sweep: str) -> dict[tuple[str, str], Loads]:
    """The same of one sweep's newest reference campaign, whatever measured its series since."""
    return dict(samples_by_key(rows_of_sweep(data, sweep)))


def rows_of_sweep(data: BookData, sweep: str) -> pd.DataFrame:
    """The rows of `arms` that campaign has of its first metric; none before it is measured."""
    names = data.where("campaigns", sweep=sweep, role="reference")["campaign"]
    return primary(data.where("arms", campaign=max(names, key=moment, default="")))


ARM = ("workload", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms", "jitter_interval_ms", "stack", "arm_label")
"""What tells the arms of a series apart, whatever other arms their cells have."""


def arms_of(data: BookData, series: str, study: str = STUDY) -> dict[tuple, Summary]:
    """ARM -> the loads of an arm, of the reference campaigns of a series."""
    rows = primary(data.rows("arms", study, series, REFERENCE))
    return {arm_key(row): summary_of(row) for row in rows.to_dict("records")}


def arm_key(row: Mapping[str, Any]) -> tuple:
    """ARM of a row of `arms`; a condition that is not there is None."""
    return tuple(None if pd.isna(row[name]) else row[name] for name in ARM)


def loads_in(arms: Mapping[tuple, Summary], cell: Cell) -> Loads:
    """The loads of a cell among those of arms."""
    keys = {arm.protocol: arm_key(conditions(cell) | arm_conditions(arm)) for arm in cell.arms}
    return {protocol: arms[key] for protocol, key in keys.items() if key in arms}


def printed_in(tables: str | Sequence[str]) -> list[PublishedCell]:
    """Cells of one or several published tables."""
    wanted = [tables] if isinstance(tables, str) else tables
    return [one for one in page_load_times(paths.PUBLISHED) if one.table in wanted]


def both(data: BookData, table: str, usual: str, changed: str, change: Callable[[Cell], Cell]) -> list[Both]:
    """The cells of a table that both series have; `usual` and `changed` are series."""
    before, now = loads_of(data, usual), loads_of(data, changed)
    found = []
    for one in printed_in(table):
        own = [
            loads.get((one.cell.study, key), {}) for loads, key in ((before, one.cell.key), (now, change(one.cell).key))
        ]
        if all(len(loads) == 2 for loads in own):
            found.append(Both(one, *own))
    return found
