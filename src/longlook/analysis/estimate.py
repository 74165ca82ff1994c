"""An estimate with its interval, and what bounds say of it: means, their ratios, differences and slopes. Pure.

Intervals are of 99 %: Welch's of a difference of two means, Fieller's of their ratio, and 2.576 standard errors of what
is made of more of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scipy.special import stdtrit

from longlook.analysis.ratio import ratio_of
from longlook.analysis.welch import ALPHA, Summary, welch_from_summaries

CONFIDENT = 2.576
"""Standard errors on either side of a 99 % interval of a sum of many loads."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 99 % interval, or NaN where there is none: where only means are printed."""

    value: float
    low: float = math.nan
    high: float = math.nan
    p_value: float = field(default=math.nan, compare=False)
    """Of Welch's test of the two means that it is made of."""
    runs: tuple[Any, ...] = field(default=(), compare=False, kw_only=True)
    """Those that it is made of, where that is rates of flows: campaign and cell of each."""

    @property
    def least(self) -> float:
        """The lower end as it is shown: times are not negative, whatever an interval of few of them says."""
        return max(self.low, 0.0)

    def within(self, at_least: float = -math.inf, at_most: float = math.inf, *, by_value: bool = False) -> bool | None:
        """Whether the interval lies inside; None where it lies across a bound, or has no end. Without one the number
        decides, as it does `by_value`."""
        inside = at_least <= self.value <= at_most
        if by_value:
            return inside
        if math.isnan(self.low):
            return None if math.isinf(self.high) else inside
        if self.high < at_least or self.low > at_most:
            return False
        return True if at_least <= self.low and self.high <= at_most else None

    @property
    def reciprocal(self) -> Estimate:
        """Of a ratio; without an upper end where its interval reaches down to nothing."""
        return Estimate(1 / self.value, 1 / self.high, math.inf if self.low <= 0 else 1 / self.low)

    def __neg__(self) -> Estimate:
        """The other way round."""
        return Estimate(-self.value, -self.high, -self.low)

    def per(self, number: float) -> Estimate:
        """In another unit."""
        return replace(self, value=self.value / number, low=self.low / number, high=self.high / number)


def times(base: Summary, other: Summary) -> Estimate:
    """Mean of `other` over that of `base`."""
    found = ratio_of(base, other)
    return Estimate(found.value, found.low, found.high, found.test.p_value)


def difference(base: Summary, other: Summary) -> Estimate:
    """By how much the mean of `other` is above that of `base`, in their unit, with Welch's interval."""
    value = other.mean - base.mean
    test = welch_from_summaries(base, other)
    if test.note == "no variance":
        return Estimate(value, value, value, test.p_value)
    if math.isnan(test.p_value):
        return Estimate(value)
    error = math.sqrt(base.sd**2 / base.n + other.sd**2 / other.n)
    reach = float(stdtrit(test.degrees_of_freedom, 1 - ALPHA / 2)) * error
    return Estimate(value, value - reach, value + reach, test.p_value)


def minus(one: Estimate, other: Estimate) -> Estimate:
    """Their difference, as of two that know nothing of each other."""
    value = one.value - other.value
    reach = math.hypot(one.value - one.low, other.value - other.low)
    return Estimate(value, value - reach, value + reach)


def quotient(over: tuple[Summary, Summary], under: tuple[Summary, Summary]) -> Estimate:
    """How many times one quotient of means is another: (a / b) / (c / d), by the errors of their logarithms."""
    means = (*over, *under)
    logs = [math.log(one.mean) for one in means]
    middle = logs[0] - logs[1] - logs[2] + logs[3]
    reach = CONFIDENT * math.sqrt(sum((one.sd / one.mean) ** 2 / one.n for one in means))
    return Estimate(*(math.exp(middle + off) for off in (0, -reach, reach)))


def interval(found: Summary) -> Estimate:
    """A mean of its own."""
    reach = CONFIDENT * found.sd / math.sqrt(found.n)
    return Estimate(found.mean, found.mean - reach, found.mean + reach)


def combined(weights: Sequence[float], parts: Sequence[Summary]) -> Summary:
    """A weighted sum of means, with the error that it has."""
    mean = sum(weight * one.mean for weight, one in zip(weights, parts, strict=True))
    variance = sum(weight**2 * one.sd**2 / one.n for weight, one in zip(weights, parts, strict=True))
    loads = sum(one.n for one in parts)
    return Summary(mean, math.sqrt(variance * loads), loads)


def slope(along: Sequence[float], means: Sequence[Summary]) -> Summary:
    """By how much a mean grows for each unit of a condition: least squares over the means."""
    middle = sum(along) / len(along)
    square = sum((one - middle) ** 2 for one in along)
    return combined([(one - middle) / square for one in along], means)
