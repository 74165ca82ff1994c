"""Loads of two arms that met the same losses are a pair: the logarithm of their ratio, with interval and test. Pure.

Arms that take turns in a cell meet the same losses and delays in loads of the same index and draw. Where these
scatter more than the arms differ, as under loss, Welch's test, which does not know of the pairs, leaves open what the
paired t-test tells; where loads of a pair are no more alike than others, as under jitter, pairing buys nothing. An A/A
control has none: each of its arms draws its own losses.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from scipy.special import stdtr, stdtrit

from longlook.analysis.contrast import Better
from longlook.analysis.welch import ALPHA, summarise

Place = tuple[int, int]
"""Index of a load, and the draw of losses that it met."""
Shown = Literal["shown", "shown to be small", "not shown"]
SMALL_PCT = 5.0
"""A difference below this, either way, is called small."""


@dataclass(frozen=True)
class Paired:
    """The mean of the logarithms of the ratio is positive where the left arm is better; ends of its 99 % interval."""

    log_ratio: float
    low: float
    high: float
    p_value: float
    pairs: int

    @property
    def shown(self) -> Shown:
        """What the interval shows: a difference; that none, or a small one, is left; or neither."""
        if -math.log1p(SMALL_PCT / 100) < self.low and self.high < math.log1p(SMALL_PCT / 100):
            return "shown to be small"
        return "shown" if self.p_value < ALPHA else "not shown"

    @property
    def winner(self) -> Literal["left", "right", "none"]:
        """The arm that is significantly better (p < 0.01)."""
        if not self.p_value < ALPHA:
            return "none"
        return "left" if self.log_ratio > 0 else "right"

    @property
    def pct(self) -> tuple[float, float, float]:
        """By how much the left arm is better, %, as the mean of the logarithms has it; ends of its interval."""
        found, low, high = (100 * math.expm1(one) for one in (self.log_ratio, self.low, self.high))
        return found, low, high


NONE = Paired(math.nan, math.nan, math.nan, math.nan, 0)


COLUMNS = ("log_ratio", "log_ratio_low", "log_ratio_high", "p_paired", "pairs")
"""Those of `contrasts` that hold one."""


def of_row(row: Mapping[Hashable, Any]) -> Paired:
    """What a row with COLUMNS says; NONE of one without pairs."""
    number, low, high, p_value, pairs = (row[name] for name in COLUMNS)
    return Paired(number, low, high, p_value, int(pairs)) if pairs and not math.isnan(pairs) else NONE


def paired(left: Mapping[Place, float], right: Mapping[Place, float], better: Better = "low") -> Paired:
    """Of the loads that both have; none where a number is not above zero, or of fewer than two pairs."""
    common = [place for place in left if place in right]
    pairs = [(left[place], right[place]) for place in common]
    if len(pairs) < 2 or not all(one > 0 and other > 0 for one, other in pairs):
        return NONE
    signed = 1 if better == "low" else -1
    found = summarise([signed * math.log(other / one) for one, other in pairs])
    error, freedom = found.sd / math.sqrt(found.n), found.n - 1
    reach = float(stdtrit(freedom, 1 - ALPHA / 2)) * error
    p_value = float(2 * stdtr(freedom, -abs(found.mean) / error)) if error else float(found.mean == 0)
    return Paired(found.mean, found.mean - reach, found.mean + reach, p_value, found.n)
