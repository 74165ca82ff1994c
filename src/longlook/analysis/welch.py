"""Welch's two-sided t-test (unequal variances): does the mean PLT of two arms differ? Thesis 4.2, reference 64."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import stdtr

ALPHA = 0.01
"""A difference is significant where p is below this (thesis 4.2)."""


@dataclass(frozen=True)
class Summary:
    """Mean and sample standard deviation (n - 1) of n loads, ms; both NaN where n is too small for them."""

    mean_ms: float
    sd_ms: float
    n: int


@dataclass(frozen=True)
class Welch:
    """Result of the test of `a - b`. Where it cannot be made, `p_value` is NaN and `note` says why."""

    statistic: float
    degrees_of_freedom: float
    p_value: float
    note: Literal["", "too few loads", "no variance"] = ""

    @property
    def significant(self) -> bool:
        """True where p is below `ALPHA`; never where the test could not be made."""
        return self.p_value < ALPHA


def summarise(samples_ms: Sequence[float]) -> Summary:
    """Mean and sample standard deviation, summed exactly, so equal on every machine."""
    n = len(samples_ms)
    return Summary(
        mean_ms=statistics.fmean(samples_ms) if n else math.nan,
        sd_ms=statistics.stdev(samples_ms) if n > 1 else math.nan,
        n=n,
    )


def welch_from_samples(a_ms: Sequence[float], b_ms: Sequence[float]) -> Welch:
    """Welch's test from the loads of two arms, ms."""
    return welch_from_summaries(summarise(a_ms), summarise(b_ms))


def welch_from_summaries(a: Summary, b: Summary) -> Welch:
    """Welch's test from mean, standard deviation and n, as the published tables give them.

    Fewer than two loads in an arm: no test. No variance in either arm: p is 1 for equal means and 0
    for different ones, the limits that the test tends to. One arm without variance needs no exception.
    """
    if a.n < 2 or b.n < 2 or not all(map(math.isfinite, (a.mean_ms, a.sd_ms, b.mean_ms, b.sd_ms))):
        return Welch(math.nan, math.nan, math.nan, "too few loads")
    if a.sd_ms < 0 or b.sd_ms < 0:
        raise ValueError(f"a standard deviation cannot be negative: {a.sd_ms}, {b.sd_ms}")
    difference = a.mean_ms - b.mean_ms
    square_a, square_b = a.sd_ms**2 / a.n, b.sd_ms**2 / b.n
    if square_a + square_b == 0:
        statistic = math.copysign(math.inf, difference) if difference else 0.0
        return Welch(statistic, math.nan, 0.0 if difference else 1.0, "no variance")
    statistic = difference / math.sqrt(square_a + square_b)
    share = square_a / (square_a + square_b)  # as shares, so that tiny variances do not underflow
    freedom = 1 / (share**2 / (a.n - 1) + (1 - share) ** 2 / (b.n - 1))
    return Welch(statistic, freedom, float(2 * stdtr(freedom, -abs(statistic))))
