"""What a study claims, in parts: each held to a criterion, never pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longlook.book.value import NOT_YET
from longlook.figure.live import csv_file, offered
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.plan.statements import Claim

CLAIMS = "claims-"
"""Begins the name of a file that has the numbers of all parts."""
FEW = 2
"""The numbers of so many parts stand beside the verdict."""


@dataclass(frozen=True)
class ClaimPart:
    """One part of a claim by some numbers."""

    name: str
    """The figure, the stack, the bandwidth."""
    numbers: str
    holds: bool | None
    """None where the numbers leave it open."""

    @property
    def text(self) -> str:
        return f"{self.name}: {self.numbers}"


def verdict(parts: list[ClaimPart], of: int) -> str:
    """`holds`, or in how many of its parts and in which not; of at least one part, with a remark where some are
    missing."""
    holding, failing, undecided = ([part.name for part in parts if part.holds is one] for one in (True, False, None))
    word = "holds" if len(holding) == len(parts) else f"holds in {len(holding)} of {len(parts)}"
    if len(failing) == len(parts):
        word = "does not hold"
    elif len(undecided) == len(parts):
        word = "open"
    elif len(holding) < len(parts):
        others = {"not in": failing, "open in": undecided}
        word += "".join(f", {how} {', '.join(names)}" for how, names in others.items() if names)
    return word if len(parts) == of else f"{word} ({len(parts)} of {of} parts)"


def claims_table(claims: Sequence[Claim], columns: Mapping[str, Sequence[list[ClaimPart] | str]], name: str) -> str:
    """Claims and their criteria down; columns across, each with its verdict and the numbers of a few parts, or with why
    it has none. The numbers of all parts are in a file of that `name`."""
    rows, every = [], []
    for index, claim in enumerate(claims):
        row = [f'<b id="{claim.id}">{claim.says}</b><br>Criterion: {claim.criterion}']
        whole = [f"{claim.says}\nCriterion: {claim.criterion}"]
        for title, found in columns.items():
            parts = found[index] or ("no numbers" if title == PUBLISHED.title else NOT_YET)
            if isinstance(parts, str):
                row.append(parts)
                whole.append(parts)
                continue
            said, each = verdict(parts, claim.parts), [part.text for part in parts]
            row.append("<br>".join([f"<b>{said}</b>", *(each if len(each) <= FEW else [])]))
            whole.append("\n".join([said, *each]))
        rows.append(row)
        every.append(whole)
    head = ["claim", *columns]
    return html_table(head, rows, escape=False) + offered(csv_file(f"{CLAIMS}{name}.csv", head, every))
