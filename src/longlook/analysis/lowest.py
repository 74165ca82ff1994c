"""Medians of several clients' loads compared by the paper's rule, with bootstrap intervals. Pure.

The paper compares the lowest median of some clients with the lowest of others. An interval has to know of that
choice: each client's loads are drawn anew and the lowest median is looked for again. Of a few loads such an interval is
narrower than it should be; of four it is hardly more than their range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from longlook.analysis.estimate import Estimate
from longlook.analysis.ratio import CONFIDENCE

Loads = tuple[float, ...]
Clients = tuple[Loads, ...]
Both = tuple[Clients, Clients]
RESAMPLES = 2000
SEED = 2021
Statistic = Callable[[np.ndarray], np.ndarray]
"""Of the centres of the samples, a row each."""


@lru_cache(maxsize=4096)
def lowest(clients: Clients) -> Estimate:
    """The lowest median of all, in its unit."""
    return _estimated(clients, lambda rows: rows.min(axis=0))


@lru_cache(maxsize=4096)
def lowest_ratio(over: Clients, under: Clients) -> Estimate:
    """The lowest median of `over` over the lowest one of `under`."""
    split = len(over)
    return _estimated((*over, *under), lambda rows: rows[:split].min(axis=0) / rows[split:].min(axis=0))


@lru_cache(maxsize=4096)
def lowest_difference(one: Clients, other: Clients) -> Estimate:
    """By how much the lowest median of `one` is above the lowest one of `other`, in their unit."""
    split = len(one)
    return _estimated((*one, *other), lambda rows: rows[:split].min(axis=0) - rows[split:].min(axis=0))


@lru_cache(maxsize=4096)
def spread(clients: Clients) -> Estimate:
    """The greatest median over the lowest. Drawn anew, it is rather greater than it is: the interval is cautious."""
    return _estimated(clients, lambda rows: rows.max(axis=0) / rows.min(axis=0))


@lru_cache(maxsize=4096)
def lowest_excess(one: Both, other: Both) -> Estimate:
    """By how much more the first lowest median of `one` is above its second than that of `other` is, in their unit."""
    return _of_four(one, other, lambda a, b, c, d: a - b - (c - d))


@lru_cache(maxsize=4096)
def lowest_quotient(one: Both, other: Both) -> Estimate:
    """How many times the ratio of `one`'s lowest medians is that of `other`'s."""
    return _of_four(one, other, lambda a, b, c, d: a / b / (c / d))


def _of_four(one: Both, other: Both, form: Callable[..., np.ndarray]) -> Estimate:
    sides = (*one, *other)
    ends = np.cumsum([len(side) for side in sides])
    return _estimated(
        [loads for side in sides for loads in side],
        lambda rows: form(*(part.min(axis=0) for part in np.split(rows, ends[:-1]))),
    )


@lru_cache(maxsize=4096)
def growth_ratio(one: tuple[Loads, Loads], other: tuple[Loads, Loads]) -> Estimate:
    """By what share the mean of `one` grows from its first loads to its second, over the same of `other`."""

    def ratio(rows: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return (rows[1] / rows[0] - 1) / np.maximum(rows[3] / rows[2] - 1, 0)

    return _estimated((*one, *other), ratio, np.mean)


def _estimated(samples: Sequence[Loads], of: Statistic, centre: Callable[..., Any] = np.median) -> Estimate:
    """With its interval, or without one where an arm has a single load."""

    def statistic(*drawn: np.ndarray, axis: int = -1) -> np.ndarray:
        return of(np.stack([centre(one, axis=axis) for one in drawn]))

    if min(map(len, samples)) < 2:
        return Estimate(float(statistic(*map(np.asarray, samples))))
    return resampled(samples, statistic)


def resampled(samples: Sequence[Any], statistic: Callable[..., Any], paired: bool = False) -> Estimate:
    """A statistic of arrays, along `axis`, with its bootstrap interval; `paired`: what belongs together is drawn so."""
    with np.errstate(invalid="ignore"):  # of a share without end the standard error, which nobody asks for, is none
        found = bootstrap(
            samples,
            statistic,
            paired=paired,
            n_resamples=RESAMPLES,
            vectorized=True,
            confidence_level=CONFIDENCE,
            method="percentile",
            rng=np.random.default_rng(SEED),
        ).confidence_interval
    value = float(statistic(*map(np.asarray, samples)))
    return Estimate(value, float(found.low), float(found.high))
