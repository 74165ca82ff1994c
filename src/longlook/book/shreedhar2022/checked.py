"""Numbers of a prediction against its bounds. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from longlook.book.predicted import Prediction, all_of
from longlook.book.times import Times
from longlook.figure import style


@dataclass(frozen=True)
class Check:
    """One number of a prediction against its bounds; None where there is none."""

    name: str
    found: Times | None
    low: float = -math.inf
    high: float = math.inf


def judge(said: str, checks: Iterable[Check], text: Callable[[Times], str]) -> Prediction:
    """Whether all lie within their bounds, with those that there are."""
    own = list(checks)
    texts = [f"{one.name}: {text(one.found) if one.found else style.DASH}" for one in own]
    holds = all_of(*(one.found.within(one.low, one.high) if one.found else None for one in own))
    return Prediction(said, "; ".join(texts), holds)
