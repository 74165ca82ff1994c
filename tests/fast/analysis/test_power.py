"""The least difference that a test tells: against R's power.t.test, against draws, and where there is no test."""

import math

import numpy as np
import pytest
from scipy.stats import t as student

from longlook.analysis.power import detectable, loads_within, power_of
from longlook.analysis.welch import Summary, welch_from_samples


def test_the_power_is_that_of_rs_examples():
    """Of R's documentation: power.t.test(n = 20, delta = 1, sd = 1) has a power of 0.8689528 at 0.05."""
    assert power_of(1 / math.sqrt(2 / 20), 38, alpha=0.05) == pytest.approx(0.8689528, abs=1e-6)


def test_the_difference_is_that_of_cohens_table():
    """Table 2.4.1 of Cohen (1988): at 0.01, two-sided, half a standard deviation takes 95 in each sample for 0.80."""
    assert detectable(Summary(0, 1, 95), Summary(0, 1, 95)) == pytest.approx(0.5, abs=0.003)
    assert detectable(Summary(0, 10, 20), Summary(5, 10, 20)) == pytest.approx(11.30, abs=0.01)


def test_so_many_draws_find_it():
    rng = np.random.default_rng(3)
    one, other = Summary(100, 5, 12), Summary(100, 15, 20)
    least = detectable(one, other)
    found = sum(
        welch_from_samples(list(rng.normal(100, 5, 12)), list(rng.normal(100 + least, 15, 20))).significant
        for _ in range(2000)
    )
    assert found / 2000 == pytest.approx(0.8, abs=0.04)


def test_more_loads_tell_more_and_less_scatter_too():
    same = Summary(100, 10, 20)
    assert detectable(Summary(100, 10, 80), Summary(100, 10, 80)) < detectable(same, same) / 1.9
    assert detectable(Summary(100, 1, 20), Summary(100, 1, 20)) == pytest.approx(detectable(same, same) / 10)


@pytest.mark.parametrize("loads", [2, 3, 5, 20])
def test_an_interval_of_few_loads_is_wide_because_they_are_few(loads):
    """Of a standard deviation of 10: 31 loads have a half width of 5 at 99 %, however few it was seen in."""
    reach = student.isf(0.005, loads - 1) * 10 / math.sqrt(loads)
    assert loads_within(5, reach, loads) == 31
    assert loads_within(reach, reach, loads) == loads


def test_few_samples_need_much_and_none_tell_nothing():
    assert detectable(Summary(0, 1, 2), Summary(0, 1, 2)) > 10
    assert detectable(Summary(0, 0, 5), Summary(0, 0, 5)) == 0
    assert math.isnan(detectable(Summary(0, 1, 1), Summary(0, 1, 20)))
    assert math.isnan(detectable(Summary(0, math.nan, 5), Summary(0, 1, 20)))
