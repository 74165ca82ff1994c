"""What a study claims, in parts: each held to a criterion, never pooled."""

from __future__ import annotations

from dataclasses import dataclass


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
