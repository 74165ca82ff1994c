"""What a sweep predicted, what its campaign found, and whether that is what was predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook.book.claimed import InCampaigns
from longlook.figure.table import shown_table
from longlook.record.criteria import CHANGED

HEAD = ("predicted", "found", "verdict")
FEW = 3
"""So many numbers are all told; of more their ends, and those that are not as predicted."""


@dataclass(frozen=True)
class JudgedPrediction(InCampaigns):
    """One of those that stand in the head of a sweep's file."""

    said: str
    found: str
    """In the newest campaign."""
    now: bool | None
    before: tuple[bool | None, ...] = ()
    n: int = 0
    """Its number in the sweep."""

    @property
    def confirms(self) -> bool | None:
        """What a cause may rest on: `holds`, but False where campaigns disagree."""
        return False if self.disagrees else self.holds

    @property
    def verdict(self) -> str:
        """In words."""
        if self.disagrees:
            return self.counted
        return "open" if self.holds is None else "holds" if self.holds else "does not hold"

    @property
    def row(self) -> list[str]:
        """Of a table (`HEAD`)."""
        return [self.said, self.found, self.verdict]


@dataclass(frozen=True)
class RegisteredPrediction:
    """A prediction as the registry has it."""

    sweep: str
    told: JudgedPrediction
    criterion: str
    """Whether it was sealed before its data; of a changed one, what that which was sealed makes of it."""
    earlier: str
    """The verdict by another rule, where there was one before."""
    before: str
    """What earlier campaigns found."""

    @property
    def as_sealed(self) -> list[str]:
        return [self.criterion] if self.criterion.startswith(CHANGED) else []

    @property
    def is_open(self) -> bool:
        """No campaign decides it."""
        return self.told.holds is None and not self.told.disagrees

    @property
    def is_quiet(self) -> bool:
        """Whether it holds in all campaigns, by one rule."""
        return bool(self.told.holds) and not self.earlier and not self.as_sealed


def predictions_table(predictions: Sequence[JudgedPrediction]) -> HTML:
    """A row each; without any, that nothing is measured yet."""
    rows = [one.row for one in predictions]
    return shown_table(HEAD, rows)
