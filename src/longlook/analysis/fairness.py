"""Who gets what of a shared bottleneck: rates per flow over the runs of a scenario, and Jain's index. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from scipy.special import stdtrit

from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.welch import ALPHA, Summary, summarise

MATERIAL = 1.1
"""Rates that differ by less are called fair whatever their p: five runs on a deterministic link tell 2.43 from 2.54."""


def jain(rates: Sequence[float]) -> float:
    """(sum x)^2 / (n sum x^2) of the flows' rates: 1 where all are equal, 1/n where one has everything (Jain 1984)."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else float("nan")


def between_protocols(protocols: Sequence[str]) -> tuple[int, int]:
    """Which two flows decide: the first one, and the first of the other protocol or else the second."""
    other = next((index for index, one in enumerate(protocols) if one != protocols[0]), None)
    return 0, other if other is not None else min(1, len(protocols) - 1)


ShareVerdict = Literal["left", "right", "none", "open"]


@dataclass(frozen=True)
class ShareRatio:
    """How many times the other flow's rate a flow gets: geometric mean over the runs, with its 99 % interval."""

    value: float
    low: float
    high: float
    runs: int

    @property
    def verdict(self) -> ShareVerdict | None:
        """`left` or `right`: that flow has more, by more than a tenth; `none`: they differ by less than a tenth;
        `open`: the interval says neither. None with too few runs."""
        if not math.isfinite(self.low):
            return None
        if self.low > MATERIAL:
            return "left"
        if self.high < 1 / MATERIAL:
            return "right"
        return "none" if self.low > 1 / MATERIAL and self.high < MATERIAL else "open"

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 1."""
        return self.low > 1 or self.high < 1


def ratio_of_runs(*campaigns: Sequence[tuple[float, float]]) -> ShareRatio:
    """From the rates of both flows in each run of each campaign; what one flow gets the other lacks, so a run is one
    observation. Every campaign counts alike.

    The interval covers that of each campaign, all by the scatter of runs within campaigns. Of two campaigns no interval
    can say what a third one will find; one over all their runs, as if they were of one campaign, would say so.
    """
    found = [runs for runs in campaigns if runs]
    total = sum(map(len, found))
    if not found or any(min(pair) <= 0 for runs in found for pair in runs):
        return ShareRatio(math.nan, math.nan, math.nan, total)
    logarithms = [summarise([math.log(left / right) for left, right in runs]) for runs in found]
    freedom = sum(one.n - 1 for one in logarithms)
    squares = sum((one.n - 1) * one.sd**2 for one in logarithms if one.n > 1)
    within = math.sqrt(squares / freedom) if freedom else math.nan
    each = [_interval(replace(one, sd=within), freedom) for one in logarithms]
    value = math.exp(statistics.fmean(one.mean for one in logarithms))
    return ShareRatio(value, min(low for low, _ in each), max(high for _, high in each), total)


def ratio_of_means(left: Summary, right: Summary) -> ShareRatio:
    """The same where the runs are not known: as if the flows shared a full link, where their deviations add up."""
    if min(left.mean, right.mean) <= 0:
        return ShareRatio(math.nan, math.nan, math.nan, left.n)
    deviation = left.sd / left.mean + right.sd / right.mean
    logarithm = Summary(math.log(left.mean / right.mean), deviation, left.n)
    return ShareRatio(math.exp(logarithm.mean), *_interval(logarithm, left.n - 1), left.n)


def _interval(logarithm: Summary, freedom: int) -> tuple[float, float]:
    """Ends of the 99 % interval of the ratio; NaN where there is none."""
    if freedom < 1 or not math.isfinite(logarithm.sd):
        return math.nan, math.nan
    reach = float(stdtrit(freedom, 1 - ALPHA / 2)) * logarithm.sd / math.sqrt(logarithm.n)
    return math.exp(logarithm.mean - reach), math.exp(logarithm.mean + reach)


def share_contrast(left: Summary, right: Summary) -> Contrast:
    """Rates of two flows of one campaign, as published ones are tested; a difference of less than a tenth is none."""
    found = contrast(left, right, "high")
    if found.verdict in ("left", "right") and max(left.mean, right.mean) < MATERIAL * min(left.mean, right.mean):
        return replace(found, verdict="none")
    return found
