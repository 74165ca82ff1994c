"""What several campaigns found of one square, combined: campaigns are random too. Pure.

The interval of one campaign holds what its loads scatter, and not what another day does. A random-effects model has a
variance between campaigns besides: by the moments of R. DerSimonian and N. Laird (Controlled Clinical Trials 7, 1986,
177-188); Cochran's Q tests that there is none. The interval is by Student's t with one degree of freedom less than
there are campaigns (J. Hartung and G. Knapp, Statistics in Medicine 20, 2001, 3875-3889): two campaigns can hardly
show anything, since two say next to nothing of a third.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy.special import chdtrc, stdtr, stdtrit

from longlook.analysis.paired import Paired
from longlook.analysis.welch import ALPHA


@dataclass(frozen=True)
class Campaigns:
    """`sd_between`: of the true values that campaigns have; 0 where the scatter within them explains all.
    `p_same`: that all have one value, by Cochran's Q."""

    ratio: Paired
    sd_between: float
    p_same: float


def combined(found: Sequence[Paired]) -> Campaigns:
    """Of the logarithms of ratios; two campaigns or more, each with an interval."""
    values, variances = [one.log_ratio for one in found], [_error(one) ** 2 for one in found]
    weights = [1 / one for one in variances]
    fixed = _mean(weights, values)
    spread = sum(weight * (value - fixed) ** 2 for weight, value in zip(weights, values, strict=True))
    scale = sum(weights) - sum(weight**2 for weight in weights) / sum(weights)
    freedom = len(found) - 1
    p_same = float(chdtrc(freedom, spread))
    between = max(0.0, (spread - freedom) / scale)
    weights = [1 / (one + between) for one in variances]
    middle = _mean(weights, values)
    spread = sum(weight * (value - middle) ** 2 for weight, value in zip(weights, values, strict=True)) / freedom
    error = math.sqrt(max(spread, 1.0) / sum(weights))
    reach = float(stdtrit(freedom, 1 - ALPHA / 2)) * error
    p_value = float(2 * stdtr(freedom, -abs(middle) / error))
    pairs = sum(one.pairs for one in found)
    return Campaigns(Paired(middle, middle - reach, middle + reach, p_value, pairs), math.sqrt(between), p_same)


def _error(one: Paired) -> float:
    return (one.high - one.low) / 2 / float(stdtrit(one.pairs - 1, 1 - ALPHA / 2))


def _mean(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
