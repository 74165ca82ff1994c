"""Of how many squares a criterion is asked, and what the verdicts of its squares come to. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from longlook.plan.criteria import Squares

Asked = Squares | Literal["every", "any", "none", "not-every", "most", "told", "median", "sum"]
POOLS: Mapping[object, Callable[[Sequence[float]], float]] = {"median": statistics.median, "sum": math.fsum}
"""How one number is made of those of all squares."""


def decided(asked: Asked, said: Sequence[bool | None], of: int, opposite: int = 0) -> bool | None:
    """Whether as many squares hold as are asked for, of so many that there should be, and no more are the opposite than
    may be; None where that is open, as it is with fewer squares, unless those that are there decide it."""
    if asked == "told":
        return True
    yes, no, missing = said.count(True), said.count(False), max(0, of - len(said))
    undecided = said.count(None) + missing
    if isinstance(asked, Squares):
        least, most, may_be = asked.least or 0, *(of if one is None else one for one in (asked.most, asked.opposite))
        if yes + undecided < least or yes > most or opposite > may_be:
            return False
        is_sure = yes >= least and yes + undecided <= most and opposite + said.count(None) <= may_be
        return True if is_sure and not missing else None
    if asked == "most":
        if opposite or 2 * (yes + undecided) <= of:
            return False
        return True if 2 * yes > of and not undecided else None
    least = of if asked in ("every", "none") else 1
    if asked in ("none", "not-every"):
        yes, no = no, yes
    if yes + undecided < least:
        return False
    return True if yes >= least and not missing else None
