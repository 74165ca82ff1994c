"""How many times one mean is another, with its interval, and what bounds say of it. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import stdtrit

from longlook.analysis.ratio import ratio_of
from longlook.analysis.welch import ALPHA, Summary, welch_from_summaries
from longlook.book.claimed import ClaimPart
from longlook.figure import style

CONFIDENT = 2.576
"""Standard errors on either side of a 99 % interval of a sum of many loads."""


@dataclass(frozen=True)
class Times:
    """How many times something, or by how much; with its 99 % interval, or NaN where only means are printed."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def least(self) -> float:
        """The lower end as it is shown: times are not negative, whatever an interval of few of them says."""
        return max(self.low, 0.0)

    def within(self, at_least: float = -math.inf, at_most: float = math.inf) -> bool | None:
        """Whether the interval lies inside; None where it lies across a bound, or has no end. Without one the number
        decides."""
        if math.isnan(self.low):
            return None if math.isinf(self.high) else at_least <= self.value <= at_most
        if self.high < at_least or self.low > at_most:
            return False
        return True if at_least <= self.low and self.high <= at_most else None


def times(base: Summary, other: Summary) -> Times:
    """Mean of `other` over that of `base`."""
    found = ratio_of(base, other)
    return Times(found.value, found.low, found.high)


def difference(base: Summary, other: Summary) -> Times:
    """By how much the mean of `other` is above that of `base`, in their unit, with Welch's interval."""
    value = other.mean - base.mean
    test = welch_from_summaries(base, other)
    if test.note == "no variance":
        return Times(value, value, value)
    if math.isnan(test.p_value):
        return Times(value)
    error = math.sqrt(base.sd**2 / base.n + other.sd**2 / other.n)
    reach = float(stdtrit(test.degrees_of_freedom, 1 - ALPHA / 2)) * error
    return Times(value, value - reach, value + reach)


def quotient(over: tuple[Summary, Summary], under: tuple[Summary, Summary]) -> Times:
    """How many times one quotient of means is another: (a / b) / (c / d), by the errors of their logarithms."""
    means = (*over, *under)
    logs = [math.log(one.mean) for one in means]
    middle = logs[0] - logs[1] - logs[2] + logs[3]
    reach = CONFIDENT * math.sqrt(sum((one.sd / one.mean) ** 2 / one.n for one in means))
    return Times(*(math.exp(middle + off) for off in (0, -reach, reach)))


def part_of(name: str, found: Times, at_least: float = -math.inf, at_most: float = math.inf) -> ClaimPart:
    """A number against its bounds."""
    return ClaimPart(name, percent_text(found), found.within(at_least, at_most))


def percent_text(found: Times) -> str:
    """`+3.7 % (+3.5 to +3.9)`: by how much it differs from once."""
    interval = "" if math.isnan(found.low) else f" ({_percent(found.least)} to {_percent(found.high)})"
    return f"{_percent(found.value)} %{interval}"


def ms_text(found: Times) -> str:
    """`14.2 ms (12.9 to 15.0)`."""
    texts = [f"{one:z.1f}".replace("-", style.MINUS) for one in (found.value, found.low, found.high)]
    return f"{texts[0]} ms" + ("" if texts[1] == "nan" else f" ({texts[1]} to {texts[2]})")


def _percent(times: float) -> str:
    return f"{(times - 1) * 100:+.1f}".replace("-", style.MINUS)
