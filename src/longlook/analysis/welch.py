"""Welch's two-sided t-test (unequal variances): does the mean PLT of two arms differ? Thesis 4.2, reference 64."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from scipy.special import stdtr

ALPHA = 0.01
"""A difference is significant where p is below this (thesis 4.2)."""


@dataclass(frozen=True)
class Summary:
    """Mean and sample standard deviation (n - 1) of n samples, in their unit (PLTs: ms, rates: Mbit/s).

    NaN where n is too small.
    """

    mean: float
    sd: float
    n: int


def summary_of(row: Any, prefix: str = "") -> Summary:
    """Of a row of a table, by its columns mean, sd and n, each with this prefix (`left_`)."""
    return Summary(float(row[f"{prefix}mean"]), float(row[f"{prefix}sd"]), int(row[f"{prefix}n"]))


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


def summarise(samples: Sequence[float]) -> Summary:
    """Mean and sample standard deviation, summed exactly, so equal on every machine."""
    n = len(samples)
    return Summary(
        mean=statistics.fmean(samples) if n else math.nan,
        sd=statistics.stdev(samples) if n > 1 else math.nan,
        n=n,
    )


def welch_from_samples(a_ms: Sequence[float], b_ms: Sequence[float]) -> Welch:
    """Welch's test from the loads of two arms, ms."""
    return welch_from_summaries(summarise(a_ms), summarise(b_ms))


def welch_from_summaries(a: Summary, b: Summary) -> Welch:
    """Welch's test from mean, standard deviation and n, as the published tables give them.

    Fewer than two loads in an arm: no test. No variance in either arm: p is 1 for equal means and 0
    for different ones, the limits that the test tends to. One arm without variance needs no exception.
    The same as scipy's `ttest_ind_from_stats`, but for its rounding, which alters stored p-values' last digits (1e-13).
    """
    if a.n < 2 or b.n < 2 or not all(map(math.isfinite, (a.mean, a.sd, b.mean, b.sd))):
        return Welch(math.nan, math.nan, math.nan, "too few loads")
    if a.sd < 0 or b.sd < 0:
        raise ValueError(f"a standard deviation cannot be negative: {a.sd}, {b.sd}")
    difference = a.mean - b.mean
    square_a, square_b = a.sd**2 / a.n, b.sd**2 / b.n
    if square_a + square_b == 0:
        statistic = math.copysign(math.inf, difference) if difference else 0.0
        return Welch(statistic, math.nan, 0.0 if difference else 1.0, "no variance")
    statistic = difference / math.sqrt(square_a + square_b)
    share = square_a / (square_a + square_b)  # as shares, so that tiny variances do not underflow
    freedom = 1 / (share**2 / (a.n - 1) + (1 - share) ** 2 / (b.n - 1))
    return Welch(statistic, freedom, float(2 * stdtr(freedom, -abs(statistic))))


def significant(p_values: Sequence[float]) -> list[bool]:
    """Of each test whether it stays significant when the family of all is taken into account (Holm 1979)."""
    found = [False] * len(p_values)
    for rank, at in enumerate(sorted(range(len(p_values)), key=lambda at: (math.isnan(p_values[at]), p_values[at]))):
        if not p_values[at] < ALPHA / (len(p_values) - rank):
            break
        found[at] = True
    return found
