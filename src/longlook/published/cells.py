"""Published cells as cells of the plan.

They are what a study's text says was measured, so that only the same is held against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from longlook.plan.arm import Arm
from longlook.plan.cell import Cell


@dataclass(frozen=True)
class PublishedMean:
    """One printed mean, in the unit of its metric."""

    mean: float
    sd: float
    n: int
    median: float | None = None


@dataclass(frozen=True)
class PublishedCell:
    """One row of a published table."""

    table: str
    cell: Cell
    """As the study's text describes it. Its key tells which measured cells are the same."""
    metric: str
    arms: Mapping[str, PublishedMean]
    """By arm of `cell`; an arm that only the measured cell has is not among them."""
    printed_pct_diff: str | None = None
    """As it is printed, with its digits."""
    where: str = ""
    """File and line, for messages."""

    @cached_property
    def place(self) -> tuple[str, str, str]:
        """Study, series and key: what is measured there is the same."""
        return self.cell.study, self.cell.series, self.cell.key

    @property
    def known_arms(self) -> tuple[Arm, ...]:
        """Arms of the cell that it has a mean of."""
        return tuple(arm for arm in self.cell.arms if arm.name in self.arms)


@dataclass(frozen=True)
class Slip:
    """A contradiction within a study, reported and never corrected."""

    item: str
    where: str
    says: str
    elsewhere: str
    elsewhere_says: str
