"""Judges evidence by criteria: which squares hold, which do not, which are open, and what all come to. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longlook.analysis.evidence import Column, Found, numbers
from longlook.plan.criteria import Criterion, Judging, Squares


@dataclass(frozen=True)
class Judged:
    """What a criterion came to: the number of each square, of so many that it should have."""

    criterion: Criterion
    found: tuple[Found, ...]
    of: int

    @property
    def holds(self) -> bool | None:
        """None where it is open; so is what has fewer squares than it should, unless those that are there decide it."""
        if not self.found:
            return None
        said = [one.holds for one in self.found]
        yes, no, missing = said.count(True), said.count(False), max(0, self.of - len(said))
        undecided = said.count(None) + missing
        asked = self.criterion.squares
        least = asked.least if isinstance(asked, Squares) else {"every": self.of, "any": 1, "none": self.of}[asked]
        if asked == "none":
            yes, no = no, yes
        if yes + undecided < least:
            return False
        return True if yes >= least and not missing else None

    @property
    def met(self) -> int:
        """How many squares are within the bounds by their numbers alone."""
        return sum(one.met for one in self.found)


def judge(
    criterion: Criterion, judging: Judging, columns: Mapping[str, Column], column: str, of: int | None = None
) -> Judged:
    """By one column of the evidence. `of`: how many squares it has where everything is measured (default: those that
    there are)."""
    found = [one for leaf in criterion.leaves(judging) for one in numbers(leaf, columns, column)]
    return Judged(criterion, tuple(found), len(found) if of is None else of)
