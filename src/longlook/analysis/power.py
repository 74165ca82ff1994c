"""What a test without a verdict could have seen: the least difference that so many samples tell. Pure."""

from __future__ import annotations

import math
from functools import lru_cache

from scipy.optimize import brentq
from scipy.stats import nct
from scipy.stats import t as student

from longlook.analysis.welch import ALPHA, Summary, welch_from_summaries

POWER = 0.8
"""A difference counts as told where so large a share of repetitions would find it significant."""
MOST_ERRORS = 1e6
"""Differences are sought up to so many standard errors: two samples of two loads need some hundreds."""


def detectable(a: Summary, b: Summary, alpha: float = ALPHA, power: float = POWER) -> float:
    """The least difference of two means, in their unit, that Welch's two-sided test finds with this power where the
    standard deviations and numbers are those measured. 0 without any variance, NaN where there is no test."""
    if a.n < 2 or b.n < 2 or not (math.isfinite(a.sd) and math.isfinite(b.sd)):
        return math.nan
    total = a.sd**2 / a.n + b.sd**2 / b.n
    if total == 0:
        return 0.0
    return _errors(welch_from_summaries(a, b).degrees_of_freedom, alpha, power) * math.sqrt(total)


def loads_within(aim: float, reach: float, loads: int, alpha: float = ALPHA) -> int:
    """How many loads bring the half width of a mean's interval down to `aim`, where it is `reach` with `loads` and more
    scatter as these do, to 2 %. A few loads have wide intervals because they are few (Student's t), not for their
    scatter alone."""
    scatter, found = reach * math.sqrt(loads) / student.isf(alpha / 2, loads - 1), 2
    while student.isf(alpha / 2, found - 1) * scatter > aim * math.sqrt(found):
        found += 1 + found // 50
    return found


def power_of(errors: float, freedom: float, alpha: float = ALPHA) -> float:
    """How often the test is significant where the true difference is so many standard errors: noncentral t."""
    limit = student.isf(alpha / 2, freedom)
    wrong_side = float(nct.cdf(-limit, freedom, errors))  # scipy has NaN where that is next to nothing
    return float(nct.sf(limit, freedom, errors)) + (0.0 if math.isnan(wrong_side) else wrong_side)


@lru_cache(maxsize=4096)
def _errors(freedom: float, alpha: float, power: float) -> float:
    """The difference in standard errors."""
    high = 2.0
    while power_of(high, freedom, alpha) < power:
        high *= 2
        if high > MOST_ERRORS:
            return math.nan
    return float(brentq(lambda errors: power_of(errors, freedom, alpha) - power, 0.0, high, xtol=1e-9))
