"""The cells that two campaigns have in common, and how their means compare. Pure.

Two cells are the same where everything is equal that defines how they are measured: stack, protocols, congestion
controller, emulated connections, workload, link (an unstated queue is 2 x BDP), handshakes, options, windows and CPU
limits; of a transfer its flows and its duration. Left out is

- what only names a cell: its figure, a transfer's scenario, the number of a replicate. 1 MB x 1 of figure 4.6a is 1 MB x 1
  of figure 4.6d. Where a campaign has such a cell twice, cells of the same id are paired first;
- what only draws the samples: the seed and the number of loads. Welch's test takes any number from two.

`agreement` pairs with the published tables, which do not tell all this, by what they do tell.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longlook.analysis.ratio import Ratio, ratio_of
from longlook.analysis.welch import Summary
from longlook.scenario import Cell
from longlook.transfers import TransferCell

ONLY_NAMES = {"figure", "scenario", "replicate"}
ONLY_SAMPLING = {"seed", "loads"}


@dataclass(frozen=True)
class MeasuredCell:
    """One cell of one campaign; of transfers, all replicates together."""

    cell_id: str
    figure: str
    label: str
    condition: str = field(repr=False)
    """`condition_of` its parameters: equal where two cells are the same."""
    arms: Mapping[str, Summary]
    """By name of the arm (or flow): PLT in ms of the accepted warm loads, or rate in Mbit/s of the accepted transfers."""
    kinds: Mapping[str, str]
    """Arm -> what it is counted with when the campaign is summed up: `quic`, `tcp`, `0rtt`, `1rtt`."""
    verdict: str
    """Of the square (`quic`, `tcp`, ..., `none`), or of the flows that share a link (`quic`, `tcp`, `unfair`, `fair`)."""
    tested: bool
    """Whether the verdict rests on a test, and not on the want of loads."""
    seeds: tuple[int, ...] = ()
    """Of the link's losses; () where the link draws none."""
    environments: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """`environment.json` of each of its records."""


@dataclass(frozen=True)
class ArmPair:
    """One arm of a cell in both campaigns."""

    arm: str
    kind: str
    a: Summary
    b: Summary
    ratio: Ratio

    @property
    def significant(self) -> bool:
        """Whether the two means differ (Welch, p < 0.01)."""
        return self.ratio.test.significant

    @property
    def tested(self) -> bool:
        """Whether both campaigns have loads enough for the test."""
        return not math.isnan(self.ratio.test.p_value)


@dataclass(frozen=True)
class CellPair:
    """One cell in both campaigns."""

    a: MeasuredCell
    b: MeasuredCell
    arms: tuple[ArmPair, ...]

    @property
    def tested(self) -> bool:
        """True where both verdicts rest on a test."""
        return self.a.tested and self.b.tested

    @property
    def agrees(self) -> bool:
        """True where both verdicts rest on a test and are equal."""
        return self.tested and self.a.verdict == self.b.verdict


@dataclass(frozen=True)
class Pairing:
    """Cells of two campaigns: in both (in the order of the first), and in one only."""

    pairs: tuple[CellPair, ...]
    only_a: tuple[MeasuredCell, ...]
    only_b: tuple[MeasuredCell, ...]

    def every_arm(self) -> tuple[ArmPair, ...]:
        """The arms of all pairs."""
        return tuple(arm for pair in self.pairs for arm in pair.arms)


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
    """Median over the tested means of half the interval's width, as a share of the ratio: what is smaller goes unseen."""


def condition_of(cell: Cell | TransferCell) -> str:
    """Everything that defines how a cell is measured, as text: two cells are the same where these are equal."""
    known = cell.model_dump(mode="json", exclude=ONLY_NAMES | ONLY_SAMPLING)
    known["link"]["queue_bytes"] = cell.link.effective_queue_bytes
    return json.dumps(known, sort_keys=True)


def pair(cells_a: Sequence[MeasuredCell], cells_b: Sequence[MeasuredCell]) -> Pairing:
    """Every cell of two campaigns with its counterpart in the other, or without."""
    partner = _partners(cells_a, cells_b)
    taken = set(partner.values())
    return Pairing(
        pairs=tuple(_pair_of(cells_a[index], cells_b[partner[index]]) for index in sorted(partner)),
        only_a=tuple(cell for index, cell in enumerate(cells_a) if index not in partner),
        only_b=tuple(cell for index, cell in enumerate(cells_b) if index not in taken),
    )


def _partners(cells_a: Sequence[MeasuredCell], cells_b: Sequence[MeasuredCell]) -> dict[int, int]:
    """Index in `cells_a` -> index in `cells_b`: first those of the same id, then what is left, in order."""
    found: dict[int, int] = {}
    for same_id in (True, False):
        waiting: dict[tuple[str, str], list[int]] = {}
        for index, cell in enumerate(cells_b):
            if index not in found.values():
                waiting.setdefault((cell.condition, cell.cell_id if same_id else ""), []).append(index)
        for index, cell in enumerate(cells_a):
            fitting = waiting.get((cell.condition, cell.cell_id if same_id else ""))
            if index not in found and fitting:
                found[index] = fitting.pop(0)
    return found


def _pair_of(a: MeasuredCell, b: MeasuredCell) -> CellPair:
    return CellPair(
        a,
        b,
        tuple(
            ArmPair(arm, a.kinds[arm], a.arms[arm], b.arms[arm], ratio_of(a.arms[arm], b.arms[arm])) for arm in a.arms
        ),
    )


def shifts(arms: Iterable[ArmPair]) -> tuple[Shift, ...]:
    """One per kind of arm, in the order met; means that one campaign lacks are left out."""
    by_kind: dict[str, list[ArmPair]] = {}
    for arm in arms:
        if math.isfinite(arm.ratio.value):
            by_kind.setdefault(arm.kind, []).append(arm)
    return tuple(_shift(kind, own) for kind, own in by_kind.items())


def _shift(kind: str, arms: Sequence[ArmPair]) -> Shift:
    tested = [arm.ratio for arm in arms if arm.tested]
    significant = [ratio.value for ratio in tested if ratio.test.significant]
    reaches = [
        (ratio.high - ratio.low) / 2 / ratio.value
        for ratio in tested
        if ratio.value and math.isfinite(ratio.high - ratio.low)
    ]
    return Shift(
        kind=kind,
        means=len(arms),
        median_ratio=statistics.median(arm.ratio.value for arm in arms),
        above=sum(arm.b.mean > arm.a.mean for arm in arms),
        tested=len(tested),
        significant=len(significant),
        significant_above=sum(value > 1 for value in significant),
        furthest_ratio=max(significant, key=_distance, default=math.nan),
        reach=statistics.median(reaches) if reaches else math.nan,
    )


def _distance(ratio: float) -> float:
    """From 1, the same for half and double."""
    return abs(math.log(ratio)) if ratio else math.inf


def share_within(arms: Iterable[ArmPair], share: float) -> tuple[int, int]:
    """How many means differ by at most `share` of the first campaign's, and of how many."""
    ratios = [arm.ratio.value for arm in arms if math.isfinite(arm.ratio.value)]
    return sum(abs(ratio - 1) <= share for ratio in ratios), len(ratios)


def largest_shifts(pairs: Iterable[CellPair], n: int = 5) -> tuple[tuple[CellPair, ArmPair], ...]:
    """The n means that differ most, by the absolute logarithm of their ratio, the largest first; equal means are none."""
    found = [(one, arm) for one in pairs for arm in one.arms if math.isfinite(arm.ratio.value) and arm.ratio.value != 1]
    return tuple(sorted(found, key=lambda item: -_distance(item[1].ratio.value))[:n])
