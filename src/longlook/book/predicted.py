"""What a sweep predicted, what its campaign found, and whether that is what was predicted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook.book.times import Times, percent_text
from longlook.figure import style
from longlook.figure.table import html_table

FEW = 3
"""So many numbers are all told; of more their ends, and those that are not as predicted."""
Found = Mapping[str, Times | None]
"""By what a reader calls it; None where it is not measured."""


@dataclass(frozen=True)
class Prediction:
    """One of those that stand in the head of a sweep's file."""

    said: str
    found: str
    holds: bool | None
    """None where the numbers leave it open."""

    @property
    def verdict(self) -> str:
        """In words."""
        return "open" if self.holds is None else "holds" if self.holds else "does not hold"


def all_of(*parts: bool | None) -> bool | None:
    """Whether all hold: not where one does not, open where one is and the others hold."""
    if False in parts:
        return False
    return None if None in parts else True


def judged(
    said: str,
    found: Found,
    low: float = -math.inf,
    high: float = math.inf,
    text: Callable[[Times], str] = percent_text,
) -> Prediction:
    """Whether every number lies within its bounds."""
    known = {name: one for name, one in found.items() if one is not None}
    verdicts = {name: one.within(low, high) for name, one in known.items()}
    missing = [name for name in found if name not in known]
    parts = [_numbers(known, text)]
    for word, which in (("not", False), ("open", None)):
        own = [_named(name, known, text) for name, one in verdicts.items() if one is which]
        parts += [f"{word}: {', '.join(own)}"] if own else []
    parts += [f"not measured: {', '.join(missing)}"] if missing else []
    return Prediction(said, "; ".join(filter(None, parts)), all_of(*verdicts.values(), *(None for _ in missing)))


def _named(name: str, known: Mapping[str, Times], text: Callable[[Times], str]) -> str:
    """With its number where that is not told anyway."""
    return name if len(known) <= FEW else f"{name} {text(known[name])}"


def _numbers(known: Mapping[str, Times], text: Callable[[Times], str]) -> str:
    if len(known) <= FEW:
        return "; ".join(f"{name} {text(one)}" for name, one in known.items())
    ends = [text(Times(choose(one.value for one in known.values()))) for choose in (min, max)]
    return f"{ends[0]} to {ends[1]} ({len(known)} numbers)"


def predictions_table(
    predictions: Sequence[Prediction], criteria: Sequence[str] | None = None, earlier: Sequence[str] = ()
) -> HTML:
    """A row each; without any, that nothing is measured yet. `criteria`: whether each was sealed before its data;
    `earlier`: the verdict by another rule, of those that had one."""
    head, rows = ["predicted", "found", "verdict"], [[one.said, one.found, one.verdict] for one in predictions]
    if criteria is not None:
        head, rows = [*head, "criterion"], [[*row, own] for row, own in zip(rows, criteria, strict=True)]
    if any(earlier):
        head, rows = [*head, "by the earlier rule"], [[*row, own] for row, own in zip(rows, earlier, strict=True)]
    return HTML(html_table(head, rows, numeric=set()) if rows else style.NOTHING_YET)
