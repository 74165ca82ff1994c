"""What a sweep predicted, what its campaign found, and whether that is what was predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from IPython.display import HTML

from longlook.figure import style
from longlook.figure.table import html_table

FEW = 3
"""So many numbers are all told; of more their ends, and those that are not as predicted."""


@dataclass(frozen=True)
class JudgedPrediction:
    """One of those that stand in the head of a sweep's file."""

    said: str
    found: str
    holds: bool | None
    """None where the numbers leave it open."""

    @property
    def verdict(self) -> str:
        """In words."""
        return "open" if self.holds is None else "holds" if self.holds else "does not hold"


def predictions_table(
    predictions: Sequence[JudgedPrediction],
    criteria: Sequence[str] | None = None,
    earlier: Sequence[str] = (),
    before: Sequence[str] = (),
) -> HTML:
    """A row each; without any, that nothing is measured yet. `criteria`: whether each was sealed before its data;
    `earlier`: the verdict by another rule, of those that had one; `before`: in campaigns before the newest."""
    head, rows = ["predicted", "found", "verdict"], [[one.said, one.found, one.verdict] for one in predictions]
    if criteria is not None:
        head, rows = [*head, "criterion"], [[*row, own] for row, own in zip(rows, criteria, strict=True)]
    if any(earlier):
        head, rows = [*head, "by the earlier rule"], [[*row, own] for row, own in zip(rows, earlier, strict=True)]
    if any(before):
        head, rows = [*head, "campaign before"], [[*row, own] for row, own in zip(rows, before, strict=True)]
    return HTML(html_table(head, rows, numeric=set()) if rows else style.NOTHING_YET)
