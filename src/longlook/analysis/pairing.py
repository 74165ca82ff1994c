"""The cells that two campaigns have in common, and how their means compare. Pure.

Two cells are the same where their keys are: everything that defines how they are measured. Left out is

- what only names a cell: its study, series and label, the number of a replicate, and what its arms are called. 1 MB x
  1 of figure 4.6a is 1 MB x 1 of figure 4.6d. Where a campaign has such a cell twice, cells of the same id are paired
  first;
- what only draws the samples: the seed and the number of loads. Welch's test takes any number from two.

`agreement` pairs with the published tables.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longlook.analysis.result import CellResult
from longlook.analysis.twofold import MeanPair, Twofold, means_and_verdicts, same_arms


@dataclass(frozen=True)
class CellPair(Twofold):
    """One cell in both campaigns."""

    a: CellResult
    b: CellResult

    @property
    def processor_bound(self) -> bool:
        """A processor bounds an arm of one of them."""
        return any(bool(one.processor_bound(*one.cell.arms)) for one in (self.a, self.b))


@dataclass(frozen=True)
class Pairing:
    """Cells of two campaigns: in both (in the order of the first), and in one only."""

    pairs: tuple[CellPair, ...]
    only_a: tuple[CellResult, ...]
    only_b: tuple[CellResult, ...]

    def every_mean(self) -> tuple[MeanPair, ...]:
        """The means of all pairs."""
        return tuple(mean for pair in self.pairs for mean in pair.means)


@dataclass(frozen=True)
class Shift:
    """All means of one kind (`quic`, `tcp`, ...) of the second campaign over those of the first."""

    kind: str
    means: int
    median_ratio: float
    above: int
    """Means of the second campaign that are larger."""
    tested: int
    significant: int
    significant_above: int
    """Means of the second campaign that are significantly larger."""
    furthest_ratio: float
    """Of the significant means the ratio furthest from 1; NaN where there is none."""
    reach: float
    """Median over the tested means of half the interval's width, as a share of the ratio: what is smaller goes
    unseen."""


def pair(cells_a: Sequence[CellResult], cells_b: Sequence[CellResult]) -> Pairing:
    """Every cell of two campaigns with its counterpart in the other, or without."""
    partner = _partners(cells_a, cells_b)
    taken = set(partner.values())
    return Pairing(
        pairs=tuple(_pair_of(cells_a[index], cells_b[partner[index]]) for index in sorted(partner)),
        only_a=tuple(cell for index, cell in enumerate(cells_a) if index not in partner),
        only_b=tuple(cell for index, cell in enumerate(cells_b) if index not in taken),
    )


def _partners(cells_a: Sequence[CellResult], cells_b: Sequence[CellResult]) -> dict[int, int]:
    """Index in `cells_a` -> index in `cells_b`: first those of the same id, then what is left, in order."""
    found: dict[int, int] = {}
    for same_id in (True, False):
        waiting: dict[tuple[str, str], list[int]] = {}
        for index, one in enumerate(cells_b):
            if index not in found.values():
                waiting.setdefault((one.cell.key, one.cell.id if same_id else ""), []).append(index)
        for index, one in enumerate(cells_a):
            fitting = waiting.get((one.cell.key, one.cell.id if same_id else ""))
            if index not in found and fitting:
                found[index] = fitting.pop(0)
    return found


def _pair_of(a: CellResult, b: CellResult) -> CellPair:
    known = [(a.summary(arm.name), b.summary(theirs.name)) for arm, theirs in same_arms(a.cell, b.cell)]
    found = means_and_verdicts(a.cell, known, a.experiment.primary.better or "low")
    return CellPair(found.means, found.verdicts, a, b)


def shifts(means: Iterable[MeanPair]) -> tuple[Shift, ...]:
    """One per kind of arm, in the order met; means that one campaign lacks are left out."""
    by_kind: dict[str, list[MeanPair]] = {}
    for mean in means:
        if math.isfinite(mean.ratio.value):
            by_kind.setdefault(mean.kind, []).append(mean)
    return tuple(_shift(kind, own) for kind, own in by_kind.items())


def _shift(kind: str, means: Sequence[MeanPair]) -> Shift:
    tested = [mean.ratio for mean in means if mean.tested]
    significant = [ratio.value for ratio in tested if ratio.test.significant]
    reaches = [
        (ratio.high - ratio.low) / 2 / ratio.value
        for ratio in tested
        if ratio.value and math.isfinite(ratio.high - ratio.low)
    ]
    return Shift(
        kind=kind,
        means=len(means),
        median_ratio=statistics.median(mean.ratio.value for mean in means),
        above=sum(mean.b.mean > mean.a.mean for mean in means),
        tested=len(tested),
        significant=len(significant),
        significant_above=sum(value > 1 for value in significant),
        furthest_ratio=max(significant, key=_distance, default=math.nan),
        reach=statistics.median(reaches) if reaches else math.nan,
    )


def _distance(ratio: float) -> float:
    """From 1, the same for half and double."""
    return abs(math.log(ratio)) if ratio else math.inf


def share_within(means: Iterable[MeanPair], share: float) -> tuple[int, int]:
    """How many means differ by at most `share` of the first campaign's, and of how many."""
    ratios = [mean.ratio.value for mean in means if math.isfinite(mean.ratio.value)]
    return sum(abs(ratio - 1) <= share for ratio in ratios), len(ratios)


def largest_shifts(pairs: Iterable[CellPair], n: int = 5) -> tuple[tuple[CellPair, MeanPair], ...]:
    """The n means that differ most, by the absolute logarithm of their ratio, the largest first; equal means are
    none."""
    found = [
        (one, mean) for one in pairs for mean in one.means if math.isfinite(mean.ratio.value) and mean.ratio.value != 1
    ]
    return tuple(sorted(found, key=lambda item: -_distance(item[1].ratio.value))[:n])
