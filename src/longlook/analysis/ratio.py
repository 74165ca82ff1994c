"""The ratio of two means with its confidence interval, for two campaigns' loads of the same cell. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from longlook.analysis.welch import ALPHA, Summary, Welch, welch_from_summaries

CONFIDENCE = 1 - ALPHA
"""Of the interval: it leaves out 1 exactly where Welch's test is significant."""


@dataclass(frozen=True)
class Ratio:
    """`b` over `a`, its interval (`low`, `high`) and Welch's test of the two means; NaN where it cannot be computed."""

    value: float
    low: float
    high: float
    test: Welch


def ratio_of(a: Summary, b: Summary) -> Ratio:
    """Mean of `b` over mean of `a`. The means must not be negative; a mean of 0 in `a` has no ratio."""
    test = welch_from_summaries(a, b)
    value = b.mean / a.mean if a.mean > 0 else math.nan
    low, high = _interval(a, b, test) if math.isfinite(value) else (math.nan, math.nan)
    return Ratio(value, low, high, test)


def _interval(a: Summary, b: Summary, test: Welch) -> tuple[float, float]:
    """Fieller's interval (1954) with the degrees of freedom of Welch's test: the two then say the same about 1.

    Scipy has none of a ratio: the `confidence_interval` of its test is that of the difference.
    Its ends are the r that solve (b - r a)^2 = t^2 (var b + r^2 var a), the variances being those of the means.
    Where `a` itself cannot be told from 0 no upper end exists.
    """
    if test.note == "no variance":
        return b.mean / a.mean, b.mean / a.mean
    if math.isnan(test.p_value):
        return math.nan, math.nan
    t_squared = float(stdtrit(test.degrees_of_freedom, 1 - ALPHA / 2)) ** 2
    rest_a = a.mean**2 - t_squared * a.sd**2 / a.n
    rest_b = b.mean**2 - t_squared * b.sd**2 / b.n
    if rest_a <= 0:
        return math.nan, math.inf
    middle = a.mean * b.mean
    reach = math.sqrt(max(middle**2 - rest_a * rest_b, 0.0))
    return (middle - reach) / rest_a, (middle + reach) / rest_a
