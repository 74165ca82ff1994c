"""The ratio of two means: its interval says the same about 1 as Welch's test does."""

import math
import random

import pytest

from longlook.analysis.ratio import ratio_of
from longlook.analysis.welch import Summary, summarise


def test_the_interval_leaves_out_1_exactly_where_the_test_is_significant():
    generator = random.Random(1)
    seen = set()
    for _ in range(300):
        a = [generator.gauss(100, 3) for _ in range(generator.randint(3, 20))]
        b = [generator.gauss(103, 5) for _ in range(generator.randint(3, 20))]
        found = ratio_of(summarise(a), summarise(b))
        assert found.low < found.value < found.high
        assert found.test.significant == (not found.low <= 1 <= found.high)
        seen.add(found.test.significant)
    assert seen == {True, False}


def test_the_interval_by_hand():
    """10 and 10 loads, equal variances: 18 degrees of freedom, t = 2.878; the means' sd is 1/sqrt(10) each."""
    found = ratio_of(Summary(100, 1, 10), Summary(110, 1, 10))
    reach = 2.878 / math.sqrt(10) / 100 * math.sqrt(1 + 1.1**2)  # the first term of the interval, g being 1e-4
    assert found.value == pytest.approx(1.1)
    assert found.low == pytest.approx(1.1 - reach, abs=1e-4) and found.high == pytest.approx(1.1 + reach, abs=1e-4)


def test_it_covers_the_true_ratio_as_often_as_it_says():
    generator = random.Random(2)
    inside = 0
    for _ in range(1000):
        a = summarise([generator.gauss(100, 10) for _ in range(10)])
        b = summarise([generator.gauss(80, 5) for _ in range(10)])
        found = ratio_of(a, b)
        inside += found.low <= 0.8 <= found.high
    assert 980 <= inside <= 998


def test_what_cannot_be_computed_is_nan():
    few = ratio_of(Summary(100, math.nan, 1), Summary(110, 2, 5))
    assert few.value == pytest.approx(1.1) and math.isnan(few.low) and few.test.note == "too few loads"
    assert math.isnan(ratio_of(Summary(math.nan, math.nan, 0), Summary(110, 2, 5)).value)
    assert math.isnan(ratio_of(Summary(0.0, 0.0, 5), Summary(1.0, 0.1, 5)).value)
    assert ratio_of(Summary(1.0, 9.0, 3), Summary(1.0, 9.0, 3)).high == math.inf  # the first cannot be told from 0


def test_without_any_variance_the_interval_is_the_ratio():
    found = ratio_of(Summary(100, 0, 5), Summary(110, 0, 5))
    assert (found.low, found.high) == (1.1, 1.1) and found.test.significant
