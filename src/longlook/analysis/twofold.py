"""One cell known twice, mean by mean and verdict by verdict: published and measured anew, or in two campaigns. Pure.

Arms are the same where their conditions are, whatever they are called and in whatever order they stand. Two verdicts
agree where they are equal: the same arm significantly better (p < 0.01), or neither. With too few samples for the test
a verdict neither agrees nor disagrees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from longlook.analysis.contrast import Better, Contrast, Verdict, contrast
from longlook.analysis.fairness import between_protocols, share_contrast
from longlook.analysis.ratio import Ratio, ratio_of
from longlook.analysis.welch import Summary
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell


@dataclass(frozen=True)
class MeanPair:
    """The mean of one arm, known twice. `ratio` is of `b` over `a`."""

    arm: str
    """Its name in `a`."""
    kind: str
    """What it is counted with when many cells are summed up: `quic`, `tcp`, `0rtt`."""
    a: Summary
    b: Summary
    ratio: Ratio

    @property
    def significant(self) -> bool:
        """Whether the two means differ (Welch, p < 0.01)."""
        return self.ratio.test.significant

    @property
    def tested(self) -> bool:
        """Whether both rest on samples enough for the test."""
        return not math.isnan(self.ratio.test.p_value)


@dataclass(frozen=True)
class VerdictPair:
    """Two arms compared with each other, twice. Names are those in `a`."""

    left: str
    right: str
    a: Contrast
    b: Contrast

    @property
    def tested(self) -> bool:
        """True where both verdicts rest on a test."""
        return self.a.verdict is not None and self.b.verdict is not None

    @property
    def agrees(self) -> bool:
        """True where both verdicts rest on a test and are equal."""
        return self.tested and self.a.verdict == self.b.verdict


@dataclass(frozen=True)
class Twofold:
    """All means and verdicts of one cell, known twice."""

    means: tuple[MeanPair, ...]
    verdicts: tuple[VerdictPair, ...]


def verdict_word(verdict: Verdict | None, left: str, right: str) -> str:
    """The name of the better arm, `none`, or `untested`."""
    return {"left": left, "right": right, "none": "none", None: "untested"}[verdict]


def kind_of(cell: Cell, arm: Arm) -> str:
    """Equals, and flows that run together, are counted by their protocol; arms that are told apart by their name."""
    return arm.protocol if cell.control or cell.mode == "together" else arm.name


def same_arms(a: Cell, b: Cell) -> list[tuple[Arm, Arm]]:
    """Each arm of `a` with its own in `b`, which is a cell of the same key; of equal arms the first with the first."""
    waiting = list(b.arms)
    found = []
    for arm in a.arms:
        same = next(one for one in waiting if one.condition_text == arm.condition_text)
        waiting.remove(same)
        found.append((arm, same))
    return found


def means_and_verdicts(cell: Cell, known: Sequence[tuple[Summary, Summary]], better: Better) -> Twofold:
    """`known`: what is known twice of each arm of the cell, in its order."""
    means = tuple(
        MeanPair(arm.name, kind_of(cell, arm), a, b, ratio_of(a, b))
        for arm, (a, b) in zip(cell.arms, known, strict=True)
    )
    verdicts = tuple(
        VerdictPair(
            means[left].arm,
            means[right].arm,
            _compared(cell, means[left].a, means[right].a, better),
            _compared(cell, means[left].b, means[right].b, better),
        )
        for left, right in decided_by(cell)
    )
    return Twofold(means, verdicts)


def decided_by(cell: Cell) -> Iterator[tuple[int, int]]:
    """Places of the arms whose comparison is a verdict: every two; of flows that share a link two of them."""
    if cell.mode == "together":
        if len(cell.arms) > 1:
            yield between_protocols([arm.protocol for arm in cell.arms])
        return
    places = {arm.name: place for place, arm in enumerate(cell.arms)}
    for left, right in cell.pairs():
        yield places[left.name], places[right.name]


def _compared(cell: Cell, left: Summary, right: Summary, better: Better) -> Contrast:
    return share_contrast(left, right) if cell.mode == "together" else contrast(left, right, better)


def count_agreeing(cells: Iterable[Twofold]) -> tuple[int, int]:
    """How many verdicts are equal, and of how many that were tested in both."""
    tested = [one.agrees for cell in cells for one in cell.verdicts if one.tested]
    return sum(tested), len(tested)


def share_agreeing(cells: Iterable[Twofold]) -> float:
    """Share of the tested verdicts that are equal, 0 to 1; NaN of none."""
    equal, tested = count_agreeing(cells)
    return equal / tested if tested else math.nan
