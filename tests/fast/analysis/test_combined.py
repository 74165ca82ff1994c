"""Sums and differences of means: of two what scipy's Welch test has, of more what draws show."""

import math

import numpy as np
import pytest
from scipy import stats

from longlook.analysis.combined import combined
from longlook.analysis.welch import Summary, summarise


def test_of_two_means_it_is_welchs_interval():
    rng = np.random.default_rng(1)
    a, b = rng.normal(100, 5, 12), rng.normal(110, 20, 7)
    found = combined([(1.0, summarise(list(a))), (-1.0, summarise(list(b)))])
    known = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.99)
    assert (found.low, found.high) == pytest.approx((known.low, known.high))
    assert found.value == pytest.approx(a.mean() - b.mean())


def test_a_difference_of_differences_is_covered_as_often_as_said():
    rng = np.random.default_rng(2)
    means, sds, n = (90.0, 160.0, 95.0, 170.0), (2.0, 1.0, 4.0, 2.0), 10
    hits = 0
    for _ in range(2000):
        own = [summarise(list(rng.normal(mean, sd, n))) for mean, sd in zip(means, sds, strict=True)]
        found = combined(list(zip((-1.0, 1.0, 1.0, -1.0), own, strict=True)))
        hits += found.low <= -5 <= found.high
    assert hits / 2000 == pytest.approx(0.99, abs=0.007)


def test_too_few_loads_and_no_variance():
    assert math.isnan(combined([(1.0, Summary(5.0, math.nan, 1))]).low)
    exact = combined([(1.0, Summary(5.0, 0.0, 3)), (-1.0, Summary(5.0, 0.0, 3))])
    assert (exact.value, exact.low, exact.high) == (0, 0, 0) and exact.contains_zero
