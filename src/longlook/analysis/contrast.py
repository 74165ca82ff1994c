"""Two arms compared in one metric: the percentage difference (thesis, equation 4.1), Welch's test, the verdict.
Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from longlook.analysis.welch import Summary, Welch, welch_from_summaries

Better = Literal["low", "high"]
Verdict = Literal["left", "right", "none"]


@dataclass(frozen=True)
class Contrast:
    """`pct` is positive where the left arm is the better one (for page load times: where it is faster)."""

    left: Summary
    right: Summary
    pct: float
    test: Welch
    verdict: Verdict | None
    """Which arm is significantly better; `none`: no significant difference; None: too few samples for the test."""


def percentage_difference(left_mean: float, right_mean: float, better: Better = "low") -> float:
    """By how much the left arm is better, %: (right - left) / left, equation 4.1 with QUIC left and TCP right; where
    more is better (left - right) / right. NaN where a mean is missing."""
    if not (math.isfinite(left_mean) and math.isfinite(right_mean)):
        return math.nan
    good, bad = (left_mean, right_mean) if better == "low" else (right_mean, left_mean)
    if good <= 0:
        if better == "high":
            return math.nan  # a flow that got nothing: no share of it can be taken
        raise ValueError(f"a mean time must be above 0, not {good}")
    return (bad - good) / good * 100


def contrast(left: Summary, right: Summary, better: Better = "low") -> Contrast:
    """Percentage difference, Welch's test and the verdict."""
    test = welch_from_summaries(left, right)
    verdict: Verdict | None = None if math.isnan(test.p_value) else "none"
    if test.significant:
        left_is_better = (left.mean < right.mean) == (better == "low")
        verdict = "left" if left_is_better else "right"
    possible = better == "high" or min(left.mean, right.mean) > 0  # a phase may take no time; nothing is a share of it
    pct = percentage_difference(left.mean, right.mean, better) if possible else math.nan
    return Contrast(left, right, pct, test, verdict)
