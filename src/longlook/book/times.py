"""How many times one mean is another, with its interval, and what bounds say of it. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from longlook.analysis.ratio import ratio_of
from longlook.analysis.welch import Summary
from longlook.book.claimed import ClaimPart
from longlook.figure import style


@dataclass(frozen=True)
class Times:
    """How many times something; with its 99 % interval, or NaN where only means are printed."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def least(self) -> float:
        """The lower end as it is shown: times are not negative, whatever an interval of few of them says."""
        return max(self.low, 0.0)

    def within(self, at_least: float = -math.inf, at_most: float = math.inf) -> bool | None:
        """Whether the interval lies inside; None where it lies across a bound. Without one the number decides."""
        if math.isnan(self.low):
            return at_least <= self.value <= at_most
        if self.high < at_least or self.low > at_most:
            return False
        return True if at_least <= self.low and self.high <= at_most else None


def times(base: Summary, other: Summary) -> Times:
    """Mean of `other` over that of `base`."""
    found = ratio_of(base, other)
    return Times(found.value, found.low, found.high)


def part_of(name: str, found: Times, at_least: float = -math.inf, at_most: float = math.inf) -> ClaimPart:
    """A number against its bounds."""
    return ClaimPart(name, percent_text(found), found.within(at_least, at_most))


def percent_text(found: Times) -> str:
    """`+3.7 % (+3.5 to +3.9)`: by how much it differs from once."""
    interval = "" if math.isnan(found.low) else f" ({_percent(found.least)} to {_percent(found.high)})"
    return f"{_percent(found.value)} %{interval}"


def _percent(times: float) -> str:
    return f"{(times - 1) * 100:+.1f}".replace("-", style.MINUS)
