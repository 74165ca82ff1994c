"""Judges evidence by criteria: which squares hold, which do not, which are open, and what all come to. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from longlook.analysis.evidence import Column, Found, come_to, numbers
from longlook.plan.criteria import Criterion, Judging


@dataclass(frozen=True)
class Judged:
    """What a criterion came to: the number of each square, of so many that it should have."""

    criterion: Criterion
    found: tuple[Found, ...]
    of: int
    parts: tuple[Judged, ...] = ()
    """Of a criterion in parts."""

    @property
    def holds(self) -> bool | None:
        """None where it is open; so is what has fewer squares than it should, unless those that are there decide it."""
        return come_to(self.criterion.squares, self.found, self.of) if self.found else None

    @property
    def opposite(self) -> int:
        """How many squares are the opposite of what is to be significant."""
        return sum(one.opposite for one in self.found)

    @cached_property
    def met(self) -> int:
        """How many squares are within the bounds by their numbers alone."""
        return sum(one.met for one in self.found)


def judge(
    criterion: Criterion, judging: Judging, columns: Mapping[str, Column], column: str, of: int | None = None
) -> Judged:
    """By one column of the evidence. `of`: how many squares it has where everything is measured (default: those that
    there are)."""
    found = [one for leaf in criterion.leaves(judging) for one in numbers(leaf, columns, column)]
    parts = tuple(_parts(found))
    return Judged(criterion, parts, len(parts) if of is None else of)


def _parts(found: Sequence[Found], depth: int = 0) -> Iterator[Found]:
    """Each number, or those that together are one part as the first of them; parts may have parts."""
    for part, some in groupby(found, key=lambda one: one.leaf.part_of[depth : depth + 1]):
        own = tuple(some)
        yield from (replace(own[0], part=part[0], parts=tuple(_parts(own, depth + 1))),) if part else own
