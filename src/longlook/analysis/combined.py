"""Sums and differences of several means, with an interval. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

from longlook.analysis.welch import ALPHA, Summary


@dataclass(frozen=True)
class Interval:
    """A number and the ends of its 99 % interval, in the unit of what it is made of; NaN where there is none."""

    value: float
    low: float
    high: float

    @property
    def contains_zero(self) -> bool:
        return self.low <= 0 <= self.high


def combined(parts: Sequence[tuple[float, Summary]]) -> Interval:
    """The sum of each factor times its mean. The samples are independent; the degrees of freedom are Welch's and
    Satterthwaite's, so that of two means it says of 0 what Welch's test says."""
    value = math.fsum(factor * one.mean for factor, one in parts)
    if any(one.n < 2 or not math.isfinite(one.sd) for _, one in parts):
        return Interval(value, math.nan, math.nan)
    variances = [(factor * one.sd) ** 2 / one.n for factor, one in parts]
    total = math.fsum(variances)
    if total == 0:
        return Interval(value, value, value)
    shares = [variance / total for variance in variances]  # as shares, so that tiny variances do not underflow
    freedom = 1 / math.fsum(share**2 / (one.n - 1) for share, (_, one) in zip(shares, parts, strict=True))
    reach = float(stdtrit(freedom, 1 - ALPHA / 2)) * math.sqrt(total)
    return Interval(value, value - reach, value + reach)
