"""The percentage difference of two arms (thesis, equation 4.1) and the verdict of a square."""

from __future__ import annotations

import math
from dataclasses import dataclass

from longlook.analysis.welch import Summary, Welch, welch_from_summaries

NO_VERDICT = "none"


@dataclass(frozen=True)
class Difference:
    """One square: `pct` is positive (red) where the left arm, QUIC, is faster."""

    left: Summary
    right: Summary
    pct: float
    test: Welch
    verdict: str
    """Name of the arm that is significantly faster, or `none` (white)."""


def percentage_difference(left_mean_ms: float, right_mean_ms: float) -> float:
    """(right - left) / left * 100 %, equation 4.1 with QUIC left and TCP right; NaN where a mean is missing."""
    if not (math.isfinite(left_mean_ms) and math.isfinite(right_mean_ms)):
        return math.nan
    if left_mean_ms <= 0:
        raise ValueError(f"a mean PLT must be above 0 ms, not {left_mean_ms}")
    return (right_mean_ms - left_mean_ms) / left_mean_ms * 100


def difference(left: Summary, right: Summary, arms: tuple[str, str] = ("quic", "tcp")) -> Difference:
    """Equation 4.1, Welch's test and the verdict for two arms."""
    test = welch_from_summaries(left, right)
    verdict = NO_VERDICT
    if test.significant:
        verdict = arms[0] if left.mean < right.mean else arms[1]
    return Difference(left, right, percentage_difference(left.mean, right.mean), test, verdict)
