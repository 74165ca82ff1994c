"""The loads of cells: of a series, and of arms whatever stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from longlook.analysis.contrast import contrast
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary, samples_by_key
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.plan.cell import Cell
from longlook.plan.conditions import arm_conditions, conditions
from longlook.published.muthuraj2024 import STUDY
from longlook.record.parquet import records

Loads = Mapping[str, Summary]
"""By protocol."""


def verdict_of(loads: Loads) -> str | None:
    """Which of the two protocols is significantly faster."""
    return contrast(loads["quic"], loads["tcp"]).verdict


def loads_of(data: BookData, series: str, study: str = STUDY) -> dict[tuple[str, str], Loads]:
    """(study, key) -> the loads of a cell, of the reference campaigns of a series."""
    return dict(samples_by_key(primary(data.rows("arms", study, series, REFERENCE))))


ARM = ("workload", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms", "jitter_interval_ms", "stack", "arm_label")
"""What tells the arms of a series apart, whatever other arms their cells have."""


def arms_of(data: BookData, series: str, study: str = STUDY) -> dict[tuple, Summary]:
    """ARM -> the loads of an arm, of the reference campaigns of a series."""
    rows = primary(data.rows("arms", study, series, REFERENCE))
    return {arm_key(row): summary_of(row) for row in records(rows)}


def arm_key(row: Mapping[str, Any]) -> tuple:
    """ARM of a row of `arms`; a condition that is not there is None."""
    return tuple(None if pd.isna(row[name]) else row[name] for name in ARM)


def loads_in(arms: Mapping[tuple, Summary], cell: Cell) -> Loads:
    """The loads of a cell among those of arms."""
    keys = {arm.protocol: arm_key(conditions(cell) | arm_conditions(arm)) for arm in cell.arms}
    return {protocol: arms[key] for protocol, key in keys.items() if key in arms}
