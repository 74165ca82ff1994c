"""What several campaigns found of one square, combined."""

import math

import pytest
from scipy.special import stdtrit

from longlook.analysis.paired import Paired
from longlook.analysis.random_effects import combined


def found(log_ratio: float, error: float, pairs: int = 20) -> Paired:
    """A campaign whose mean logarithm has this standard error."""
    reach = float(stdtrit(pairs - 1, 0.995)) * error
    return Paired(log_ratio, log_ratio - reach, log_ratio + reach, 0.5, pairs)


def test_campaigns_that_agree_have_no_variance_between_them() -> None:
    all_of_them = combined([found(0.2, 0.01), found(0.2, 0.01), found(0.2, 0.01)])
    assert all_of_them.sd_between == 0
    assert all_of_them.ratio.log_ratio == pytest.approx(0.2)
    assert all_of_them.ratio.shown == "shown"
    assert all_of_them.ratio.pairs == 60


def test_campaigns_that_differ_by_more_than_their_loads_scatter() -> None:
    """By hand: weights 10^4, Q = 200, so that the variance between is (200 - 1) / 10^4."""
    all_of_them = combined([found(0.0, 0.01), found(0.2, 0.01)])
    assert all_of_them.sd_between == pytest.approx(math.sqrt(0.0199))
    assert all_of_them.ratio.log_ratio == pytest.approx(0.1)
    assert all_of_them.ratio.shown == "not shown"
    assert all_of_them.p_same < 1e-6


def test_the_surer_campaign_weighs_more() -> None:
    assert combined([found(0.0, 0.01), found(0.02, 0.02)]).ratio.log_ratio == pytest.approx(0.004)
