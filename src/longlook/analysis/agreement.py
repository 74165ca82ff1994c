"""Do re-measured cells agree with the published ones? Pure. (`pairing` is for two campaigns.)

A re-measured cell is the published one where its series and its key are: every condition is that of the study's text. Two
verdicts agree where they are equal: the same arm significantly better (p < 0.01), or neither. With too few samples for the
test a cell neither agrees nor disagrees.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scipy.stats import t as student

from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.fairness import between_protocols, share_contrast
from longlook.analysis.result import CellResult
from longlook.analysis.welch import Summary
from longlook.published.cells import PublishedCell, PublishedMean

PREDICTION = 0.99


@dataclass(frozen=True)
class MeanAgreement:
    """One mean, published and re-measured."""

    arm: str
    protocol: str
    published: PublishedMean
    measured: Summary

    @property
    def ratio(self) -> float:
        """Measured over published; NaN where nothing was measured."""
        return self.measured.mean / self.published.mean

    @property
    def within_prediction(self) -> bool | None:
        """Whether the re-measured mean is one that as many further samples of the published kind have in 99 of 100 cases."""
        known = self.published
        if known.n < 2 or self.measured.n < 1 or not math.isfinite(known.sd):
            return None
        reach = student.ppf((1 + PREDICTION) / 2, known.n - 1) * known.sd * math.sqrt(1 / known.n + 1 / self.measured.n)
        return bool(abs(self.measured.mean - known.mean) <= reach)


@dataclass(frozen=True)
class CellAgreement:
    """One cell of a published table and of a campaign."""

    published: PublishedCell
    result: CellResult
    means: tuple[MeanAgreement, ...]
    left: str
    right: str
    published_contrast: Contrast
    measured_contrast: Contrast

    @property
    def tested(self) -> bool:
        """True where both verdicts rest on a test."""
        return self.published_contrast.verdict is not None and self.measured_contrast.verdict is not None

    @property
    def agrees(self) -> bool:
        """True where both verdicts rest on a test and are equal."""
        return self.tested and self.published_contrast.verdict == self.measured_contrast.verdict


def agreements(published: Iterable[PublishedCell], results: Iterable[CellResult]) -> tuple[CellAgreement, ...]:
    """Every published cell that is among the results, in the order of the published ones."""
    by_cell: dict[tuple[str, str, str], list[CellResult]] = {}
    for result in results:
        cell = result.cell
        by_cell.setdefault((cell.study, cell.series, cell.key), []).append(result)
    found = []
    for one in published:
        for result in by_cell.get((one.cell.study, one.cell.series, one.cell.key), ()):
            found.append(agreement(one, result))
    return tuple(found)


def agreement(published: PublishedCell, result: CellResult) -> CellAgreement:
    """One cell in both. Arms are the same where their conditions are, whatever their names and order."""
    pairs = _same_arms(published, result)
    means = tuple(
        MeanAgreement(theirs, arm.protocol, published.arms[name], result.summary(theirs, published.metric))
        for arm, name, theirs in pairs
    )
    before = [Summary(mean.published.mean, mean.published.sd, mean.published.n) for mean in means]
    now = [mean.measured for mean in means]
    better = result.experiment.metric(published.metric).better or "low"
    if published.cell.mode == "together":
        one, other = between_protocols([arm.protocol for arm, _, _ in pairs])
        compared = (share_contrast(before[one], before[other]), share_contrast(now[one], now[other]))
    else:
        one, other = 0, 1
        compared = (contrast(before[0], before[1], better), contrast(now[0], now[1], better))
    return CellAgreement(published, result, means, means[one].arm, means[other].arm, *compared)


def _same_arms(published: PublishedCell, result: CellResult):
    """(arm, its name in the published cell, its name in the result)."""
    waiting = list(result.cell.arms)
    found = []
    for arm in published.cell.arms:
        same = next(one for one in waiting if one.condition_text == arm.condition_text)
        waiting.remove(same)
        found.append((arm, arm.name, same.name))
    return found


def share_agreeing(cells: Sequence) -> float:
    """Share of the tested cells (of an agreement or a pairing) whose verdicts are equal, 0 to 1; NaN of none."""
    tested = [cell.agrees for cell in cells if cell.tested]
    return sum(tested) / len(tested) if tested else math.nan


def median_relative_error(cells: Iterable[CellAgreement], protocol: str | None = None) -> float:
    """Median of |ratio - 1| over the means, of one protocol or of all; NaN of none."""
    means = (mean for cell in cells for mean in cell.means if protocol in (None, mean.protocol))
    errors = [abs(mean.ratio - 1) for mean in means if math.isfinite(mean.ratio)]
    return statistics.median(errors) if errors else math.nan


def largest_disagreements(
    cells: Iterable[CellAgreement], n: int = 5
) -> tuple[tuple[CellAgreement, MeanAgreement], ...]:
    """The n means that differ most, by the absolute logarithm of their ratio, the largest first."""
    found = [(cell, mean) for cell in cells for mean in cell.means if math.isfinite(mean.ratio) and mean.ratio > 0]
    return tuple(sorted(found, key=lambda one: -abs(math.log(one[1].ratio)))[:n])
