"""What a study claims, in parts: each held to a criterion, never pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from longlook.book.data import COLUMNS
from longlook.book.value import NOT_YET
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table


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


@dataclass(frozen=True)
class Claim:
    """`parts`: what the numbers of a column say; those that there are none for are left out."""

    name: str
    text: str
    criterion: str
    parts: Callable[[Any], list[ClaimPart]]
    of: int
    """So many parts it has where everything is measured."""


class Stated(Protocol):
    """A claim as a study's module has it; its parts are made of that study's own kind of evidence."""

    @property
    def text(self) -> str: ...
    @property
    def criterion(self) -> str: ...
    @property
    def parts(self) -> Callable[[Any], list[ClaimPart]]: ...
    @property
    def of(self) -> int: ...


def evaluated(claims: Sequence[Stated], evidence_of: Callable[[str], Any]) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each claim; the published column, and those that have numbers for any.

    `evidence_of`: what a column (`published`, `reference`, `yours`) has.
    """
    found = {PUBLISHED.title: [claim.parts(evidence_of(PUBLISHED.key)) for claim in claims]}
    for key, _, title in COLUMNS:
        parts = [claim.parts(evidence_of(key)) for claim in claims]
        if any(parts):
            found[title] = parts
    return found


def claims_table(
    claims: Sequence[Stated],
    columns: Mapping[str, list[list[ClaimPart]]],
    heading: Callable[[Any], str] = lambda claim: f"<b>{claim.text}</b>",
) -> str:
    """Claims and their criteria down; columns (of `evaluated`) across, each with its verdict and the parts' numbers."""
    rows = []
    for index, claim in enumerate(claims):
        row = [f"{heading(claim)}<br>Criterion: {claim.criterion}"]
        for title, found in columns.items():
            parts = found[index]
            absent = "no numbers" if title == PUBLISHED.title else NOT_YET
            lines = [f"<b>{verdict(parts, claim.of)}</b>", *(part.text for part in parts)]
            row.append("<br>".join(lines) if parts else absent)
        rows.append(row)
    return html_table(["claim", *columns], rows, escape=False)
