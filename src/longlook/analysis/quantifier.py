"""Of how many squares a criterion is asked, and what the verdicts of its squares come to. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from longlook.plan.criteria import Squares

Asked = Squares | Literal["every", "any", "none", "not-every"]


def decided(asked: Asked, said: Sequence[bool | None], of: int) -> bool | None:
    """Whether as many squares hold as are asked for, of so many that there should be; None where that is open, as it
    is with fewer squares, unless those that are there decide it."""
    yes, no, missing = said.count(True), said.count(False), max(0, of - len(said))
    undecided = said.count(None) + missing
    least = asked.least if isinstance(asked, Squares) else {"every": of, "none": of}.get(asked, 1)
    if asked in ("none", "not-every"):
        yes, no = no, yes
    if yes + undecided < least:
        return False
    return True if yes >= least and not missing else None
