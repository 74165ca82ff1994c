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


class InCampaigns:
    """What campaigns of the same cells make of one statement: each is judged alone, none outvotes another."""

    now: bool | None
    """Whether it holds in the newest; None where the numbers leave it open."""
    before: tuple[bool | None, ...]
    """In those before, the newest of them first."""

    @property
    def _every(self) -> tuple[bool | None, ...]:
        return (self.now, *self.before)

    @property
    def disagrees(self) -> bool:
        """It holds in some campaigns and not in all."""
        return True in self._every and not all(self._every)

    @property
    def holds(self) -> bool | None:
        """True where it holds in every campaign, False where in none; None where they disagree or leave it open."""
        return None if self.disagrees else True if self.now else False if False in self._every else None

    @property
    def counted(self) -> str:
        """In words, of those that disagree."""
        return f"holds in {self._every.count(True)} of {len(self._every)} campaigns"


@dataclass(frozen=True)
class ClaimPart(InCampaigns):
    """One part of a claim by some numbers."""

    name: str
    """The figure, the stack, the bandwidth."""
    numbers: str
    """Of the newest campaign."""
    now: bool | None
    before: tuple[bool | None, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.name}: {self.numbers}" + (f" ({self.counted})" if self.disagrees else "")


def verdict(parts: Sequence[ClaimPart], of: int) -> str:
    """`holds`, or in how many of its parts and in which not; of at least one part, with a remark where some are
    missing."""
    apart = [part.name for part in parts if part.disagrees]
    if apart and len(parts) == of == 1:
        return parts[0].counted
    holding, failing = ([part.name for part in parts if part.holds is one] for one in (True, False))
    undecided = [part.name for part in parts if part.holds is None and not part.disagrees]
    word = "holds" if len(holding) == len(parts) else f"holds in {len(holding)} of {len(parts)}"
    if len(failing) == len(parts):
        word = "does not hold"
    elif len(undecided) == len(parts):
        word = "open"
    elif len(holding) < len(parts):
        others = {"not in": failing, "open in": undecided, "campaigns disagree in": apart}
        word += "".join(f", {how} {', '.join(names)}" for how, names in others.items() if names)
    return word if len(parts) == of else f"{word} ({len(parts)} of {of} parts)"


def claims_table(claims: Sequence[Claim], columns: Mapping[str, Sequence[Sequence[ClaimPart] | str]], name: str) -> str:
    """Claims and their criteria down; columns across, each with its verdict and the numbers of a few parts, or with why
    it has none. Numbers that are those of the column before stand once. The numbers of all parts are in a file of that
    `name`."""
    rows, every = [], []
    for index, claim in enumerate(claims):
        row = [f'<b id="{claim.id}">{claim.says}</b><br>Criterion: {claim.criterion}']
        whole = [f"{claim.says}\nCriterion: {claim.criterion}"]
        before: Sequence[ClaimPart] = ()
        for title, found in columns.items():
            parts = found[index] or ("no numbers" if title == PUBLISHED.title else NOT_YET)
            if isinstance(parts, str):
                row.append(parts)
                whole.append(parts)
                continue
            said, each = verdict(parts, claim.parts), [part.text for part in parts]
            row.append("<br>".join([f"<b>{said}</b>", *(each if len(each) <= FEW and parts != before else [])]))
            whole.append("\n".join([said, *each]))
            before = parts
        rows.append(row)
        every.append(whole)
    head = ["claim", *columns]
    return html_table(head, rows, escape=False) + offered(csv_file(f"{CLAIMS}{name}.csv", head, every))
