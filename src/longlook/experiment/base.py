"""What an experiment is: its notebook, the cells that it takes, its files, its metrics, how its samples are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from longlook.plan.cell import Cell, Mode
from longlook.plan.value import PlanError
from longlook.record.samples import Sample

if TYPE_CHECKING:
    import pandas as pd

    from longlook.experiment.recheck import Recheck


@dataclass(frozen=True)
class Metric:
    """One number of a sample. Its name ends in its unit."""

    name: str
    unit: str
    better: Literal["low", "high"] | None
    """Which arm wins a contrast: that with the lower or the higher mean. None: the metric decides nothing."""
    title: str


@dataclass(frozen=True)
class Experiment:
    """One entry of the registry. `metrics[0]` is the one that everybody asks for first."""

    name: str
    title: str
    notebook: str
    """File name in notebooks/."""
    mode: Mode
    workloads: tuple[str, ...]
    """Kinds of workload that it takes."""
    metrics: tuple[Metric, ...]
    read: Callable[[Cell, Path], Sequence[Sample]]
    """A finished cell and its folder -> its samples, in the order measured; those that `recheck` has."""
    estimate_s: Callable[[Cell], float]
    """Expected wall time of a cell, s."""
    recheck: Callable[[Cell, Path], Recheck]
    """A finished cell's numbers and verdicts, computed again from what it keeps."""
    files: tuple[str, ...] = ()
    """What a whole cell has besides record.campaign.WHOLE."""
    timed: bool = False
    """Whether `duration_s` and `at_most_s` mean something."""
    timelines: Callable[[Path], dict[str, pd.DataFrame]] | None = None
    """A finished cell's folder -> table name (`timelines`, `throughput`) -> rows."""

    @property
    def primary(self) -> Metric:
        return self.metrics[0]

    def metric(self, name: str) -> Metric:
        """The metric of that name; an unknown one is an error that lists the known ones."""
        found = next((one for one in self.metrics if one.name == name), None)
        if found is None:
            known = ", ".join(one.name for one in self.metrics)
            raise PlanError(f"experiment {self.name} has no metric {name!r} (known: {known})")
        return found

    def require(self, cell: Cell) -> None:
        """Raise `PlanError` unless this experiment can measure such a cell; the message names the key."""
        wrong = []
        if cell.mode != self.mode:
            wrong.append(f"mode = {cell.mode!r}: its arms are measured {self.mode}")
        if cell.workload.kind not in self.workloads:
            wrong.append(f"workload.kind = {cell.workload.kind!r}: it takes {', '.join(self.workloads)}")
        if not self.timed and (cell.duration_s or cell.at_most_s):
            wrong.append("duration_s and at_most_s mean nothing for it")
        if wrong:
            raise PlanError(f"cell {cell.id} does not fit experiment {self.name}: {'; '.join(wrong)}")
