"""What measuring a cell came to: its samples as summaries and contrasts, whichever arms and metrics it has. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.paired import NONE as UNPAIRED
from longlook.analysis.paired import Paired, Place, paired
from longlook.analysis.processor import is_bound
from longlook.analysis.welch import Summary, summarise
from longlook.experiment.base import Experiment, Metric
from longlook.experiment.metrics import CLIENT_CPU, PLT
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.record.samples import Sample


@dataclass(frozen=True)
class CellResult:
    """One cell of one campaign; of cells whose arms run together, all its repeats."""

    campaign: str
    experiment: Experiment
    cells: tuple[Cell, ...]
    """The cell; or its repeats, the first one first."""
    samples: tuple[Sample, ...]
    """Of the first cell, then of the next."""
    environments: tuple[Mapping, ...] = ()
    """`environment.json` of each, where they were read."""
    counts: tuple[int, ...] = ()
    """How many samples each cell has, where there are several."""
    processors: int | None = None
    """Of the machine that measured; None where it does not tell."""

    @property
    def cell(self) -> Cell:
        return self.cells[0]

    def by_cell(self) -> Iterator[tuple[Cell, Sample]]:
        """Each sample with the cell that it is of."""
        numbers = self.counts or (len(self.samples),)
        owners = [cell for cell, number in zip(self.cells, numbers, strict=True) for _ in range(number)]
        return zip(owners, self.samples, strict=True)

    @cached_property
    def _values(self) -> dict[tuple[str, str], list[float]]:
        found: dict[tuple[str, str], list[float]] = {}
        for sample in self.samples:
            if sample.counts:
                for name, value in sample.metrics.items():
                    if value is not None:
                        found.setdefault((sample.arm, name), []).append(value)
        return found

    def values(self, arm: str, metric: str) -> list[float]:
        """The samples of an arm that count, in the order measured."""
        return self._values.get((arm, metric), [])

    def summary(self, arm: str, metric: str | None = None) -> Summary:
        """Mean, standard deviation and number of an arm's samples; of the experiment's first metric unless another is
        named."""
        return self._summaries.get((arm, metric or self.experiment.primary.name), summarise(()))

    @cached_property
    def _summaries(self) -> dict[tuple[str, str], Summary]:
        """Made once: of thirty arms each is held against all others."""
        return {asked: summarise(values) for asked, values in self._values.items()}

    def processor_bound(self, *arms: Arm) -> bool | None:
        """Whether a processor bounds one of these arms (`processor.is_bound`), by means; None where no arm tells."""
        told = [self._bound[arm.name] for arm in arms if arm.name in self._bound]
        return any(told) if told else None

    @cached_property
    def _bound(self) -> dict[str, bool]:
        """Of the arms that tell; made once, as summaries are."""
        told = (arm for arm in self.cell.arm_names if all(self.values(arm, one.name) for one in (PLT, CLIENT_CPU)))
        return {arm: self._is_bound(arm) for arm in told}

    def _is_bound(self, arm: str) -> bool:
        cpu_s, plt_ms = (self.summary(arm, one.name).mean for one in (CLIENT_CPU, PLT))
        busy = [
            one.machine_busy for one in self.samples if one.counts and one.arm == arm and one.machine_busy is not None
        ]
        return is_bound(1000 * cpu_s / plt_ms, fmean(busy) if busy else math.nan, self.processors)

    @cached_property
    def _places(self) -> dict[tuple[str, str], dict[Place, float]]:
        found: dict[tuple[str, str], dict[Place, float]] = {}
        for sample in self.samples:
            if sample.counts:
                for name, value in sample.metrics.items():
                    if value is not None:
                        found.setdefault((sample.arm, name), {})[sample.index, sample.draw] = value
        return found

    def paired(self, metric: Metric, left: Arm, right: Arm) -> Paired:
        """The loads of two arms that met the same losses; none of a control or of arms that run together."""
        if self.cell.control or self.cell.mode == "together":
            return UNPAIRED
        one, other = (self._places.get((arm.name, metric.name), {}) for arm in (left, right))
        return paired(one, other, metric.better or "low")

    def contrasts(self) -> Iterator[tuple[Metric, Arm, Arm, Contrast]]:
        """Every pair of arms, in every metric that decides something."""
        for metric in self.experiment.metrics:
            if metric.better is None or not any((arm.name, metric.name) in self._values for arm in self.cell.arms):
                continue
            for left, right in self.cell.pairs():
                one, other = (self.summary(arm.name, metric.name) for arm in (left, right))
                yield metric, left, right, contrast(one, other, metric.better)
