"""Equation 4.1 and the verdict of two arms."""

import math

import pytest

from longlook.analysis.contrast import contrast, percentage_difference
from longlook.analysis.welch import Summary


def test_the_published_example():
    """Table B.1, 5 KB at 10 Mbit/s: 106.37 and 183.41 ms are printed as 72 %."""
    assert percentage_difference(106.37, 183.41) == pytest.approx(72.4265, abs=1e-3)


def test_the_divisor_is_the_left_arm():
    assert percentage_difference(100, 150) == 50
    assert percentage_difference(150, 100) == pytest.approx(-33.333, abs=1e-3)


def test_where_more_is_better_the_divisor_is_the_right_arm():
    assert percentage_difference(150, 100, "high") == 50
    assert percentage_difference(100, 150, "high") == pytest.approx(-33.333, abs=1e-3)


def test_a_missing_mean_gives_no_difference_and_an_impossible_one_is_refused():
    assert math.isnan(percentage_difference(math.nan, 1.0))
    with pytest.raises(ValueError, match="above 0"):
        percentage_difference(0.0, 1.0)
    assert math.isnan(percentage_difference(1.0, 0.0, "high"))  # a flow that got nothing


def test_a_phase_without_duration_has_a_verdict_and_no_percentage():
    found = contrast(Summary(0, 0, 20), Summary(40, 1, 20))
    assert found.verdict == "left" and math.isnan(found.pct)


@pytest.mark.parametrize(
    ("quic", "tcp", "verdict"),
    [
        (Summary(100, 5, 20), Summary(120, 5, 20), "left"),
        (Summary(120, 5, 20), Summary(100, 5, 20), "right"),
        (Summary(100, 50, 20), Summary(120, 50, 20), "none"),
        (Summary(100, 5, 1), Summary(120, 5, 20), None),
    ],
)
def test_the_verdict_needs_significance_and_names_the_better_arm(quic, tcp, verdict):
    assert contrast(quic, tcp).verdict == verdict
    mirrored = {"left": "right", "right": "left"}.get(verdict, verdict)
    assert contrast(quic, tcp, "high").verdict == contrast(tcp, quic).verdict == mirrored


def test_the_threshold_is_one_percent():
    """p just above and just below 0.01, n = 20: t(38) = 2.7116 at p = 0.01."""
    step = 2.7116 * math.sqrt(2 / 20)
    assert contrast(Summary(100, 1, 20), Summary(100 + step * 0.99, 1, 20)).verdict == "none"
    assert contrast(Summary(100, 1, 20), Summary(100 + step * 1.01, 1, 20)).verdict == "left"
