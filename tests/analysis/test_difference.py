"""Equation 4.1 and the verdict of a square."""

import math

import pytest

from longlook.analysis.difference import difference, percentage_difference
from longlook.analysis.welch import Summary


def test_the_published_example():
    """Table B.1, 5 KB at 10 Mbit/s: 106.37 and 183.41 ms are printed as 72 %."""
    assert percentage_difference(106.37, 183.41) == pytest.approx(72.4265, abs=1e-3)


def test_the_divisor_is_the_left_arm():
    assert percentage_difference(100, 150) == 50
    assert percentage_difference(150, 100) == pytest.approx(-33.333, abs=1e-3)


def test_a_missing_mean_gives_no_difference_and_an_impossible_one_is_refused():
    assert math.isnan(percentage_difference(math.nan, 1.0))
    with pytest.raises(ValueError, match="above 0 ms"):
        percentage_difference(0.0, 1.0)


@pytest.mark.parametrize(
    ("quic", "tcp", "verdict"),
    [
        (Summary(100, 5, 20), Summary(120, 5, 20), "quic"),
        (Summary(120, 5, 20), Summary(100, 5, 20), "tcp"),
        (Summary(100, 50, 20), Summary(120, 50, 20), "none"),
        (Summary(100, 5, 1), Summary(120, 5, 20), "none"),
    ],
)
def test_the_verdict_needs_significance_and_names_the_faster_arm(quic, tcp, verdict):
    assert difference(quic, tcp).verdict == verdict


def test_the_threshold_is_one_percent():
    """p just above and just below 0.01, n = 20: t(38) = 2.7116 at p = 0.01."""
    step = 2.7116 * math.sqrt(2 / 20)
    assert difference(Summary(100, 1, 20), Summary(100 + step * 0.99, 1, 20)).verdict == "none"
    assert difference(Summary(100, 1, 20), Summary(100 + step * 1.01, 1, 20)).verdict == "quic"


def test_arms_of_the_control_keep_their_names():
    assert difference(Summary(100, 1, 20), Summary(90, 1, 20), ("a", "b")).verdict == "b"
