"""What a sweep predicted, what its campaign found, and whether that is what was predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat

from IPython.display import HTML

from longlook.book.claimed import InCampaigns
from longlook.figure import style
from longlook.figure.live import csv_file, offered
from longlook.figure.table import html_table
from longlook.record.criteria import CHANGED

PREDICTIONS = "predictions-"
"""Begins the name of a file that has them."""
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


def predictions_table(
    predictions: Sequence[JudgedPrediction],
    criteria: Sequence[str] | None = None,
    earlier: Sequence[str] = (),
    before: Sequence[str] = (),
    name: str = "",
) -> HTML:
    """A row each; without any, that nothing is measured yet. `criteria`: whether each was sealed before its data;
    `earlier`: the verdict by another rule, of those that had one; `before`: what earlier campaigns found. With a
    `name` all are in a file of it, and rows those that do not hold in all campaigns, or had another rule or
    criterion."""
    head, rows = ["predicted", "found", "verdict"], [[one.said, one.found, one.verdict] for one in predictions]
    if criteria is not None:
        head, rows = [*head, "criterion"], [[*row, own] for row, own in zip(rows, criteria, strict=True)]
    if any(earlier):
        head, rows = [*head, "by the earlier rule"], [[*row, own] for row, own in zip(rows, earlier, strict=True)]
    if any(before):
        head, rows = [*head, "campaigns before"], [[*row, own] for row, own in zip(rows, before, strict=True)]
    if not name or not rows:
        return HTML(html_table(head, rows, numeric=set()) if rows else style.NOTHING_YET)
    quiet = [one.holds and not rule and not own.startswith(CHANGED) for one, rule, own in zip(
        predictions, earlier or repeat(""), criteria or repeat(""), strict=False)]  # fmt: skip
    others = [row for row, same in zip(rows, quiet, strict=True) if not same]
    held = f"{sum(one.holds is True for one in predictions)} of {len(rows)} predictions hold"
    files = offered(csv_file(f"{PREDICTIONS}{name}.csv", head, rows))
    if criteria is not None and len(set(criteria)) == 1:
        held += f" (criterion: {criteria[0]})"
        head, *others = ([*row[:3], *row[4:]] for row in (head, *others))
    if not others:
        return HTML(f"<p>{held}.</p>{files}")
    kinds = {row[2] == "holds" for row in others}
    which = " and ".join(("the others", "those judged otherwise before")[kind] for kind in sorted(kinds))
    return HTML(f"<p>{held}; {which}:</p>{html_table(head, others, numeric=set())}{files}")
