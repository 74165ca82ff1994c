"""Pairs of loads: by hand, and what the committed tables say of them beside Welch's test."""

import math

import pytest
from scipy.stats import ttest_rel

from longlook.analysis.newest import newest
from longlook.analysis.paired import paired
from longlook.book.data import load

LEFT = {(1, 0): 100.0, (2, 0): 900.0, (3, 1): 400.0, (9, 0): 5.0}
RIGHT = {(3, 1): 480.0, (1, 0): 121.0, (2, 0): 1080.0, (3, 0): 7.0}


def test_only_loads_of_one_index_and_attempt_are_a_pair():
    found = paired(LEFT, RIGHT)
    logs = [[math.log(one[place]) for place in ((1, 0), (2, 0), (3, 1))] for one in (RIGHT, LEFT)]
    known = ttest_rel(*logs)
    interval = known.confidence_interval(0.99)
    assert found.pairs == 3 and found.p_value == pytest.approx(known.pvalue)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert paired(LEFT, RIGHT, "high").log_ratio == -found.log_ratio < 0


def test_what_is_no_pair_has_no_number():
    for left, right in (({}, {}), ({(1, 0): 2.0}, {(1, 0): 3.0}), ({(1, 0): 0.0, (2, 0): 1.0},) * 2):
        found = paired(left, right)
        assert found.pairs == 0 and math.isnan(found.log_ratio) and found.winner == "none"


def test_a_difference_is_shown_or_shown_to_be_small_or_neither():
    def told(*ratios):
        return paired({(n, 0): 100.0 for n in range(len(ratios))}, {(n, 0): 100 * one for n, one in enumerate(ratios)})

    assert told(1.4, 1.5, 1.45, 1.42, 1.47).shown == "shown"
    assert told(1.001, 0.999, 1.0, 1.002, 0.998).shown == "shown to be small"
    assert told(1.0, 2.0, 0.5, 1.3, 0.8).shown == "not shown"


@pytest.mark.parametrize(
    ("series", "squares", "quic", "tcp"),
    [("4.6e", 18, 16, 0), ("4.6b", 21, 21, 0), ("4.9d", 18, 16, 0), ("4.5e", 18, 18, 0), ("4.11d", 18, 0, 1)],
)
def test_committed_pairs_are_those_that_a_reviewer_counted(series, squares, quic, tcp):
    """Computed without this code, from campaigns before 28 November 2026. Figure 4.11d is the control: under jitter
    pairing buys nothing."""
    rows = load().where("contrasts", study="muthuraj2024", series=series)
    rows = rows[(rows["metric"] == "plt_ms") & (rows["campaign"].str[-15:] < "20261128")]
    rows = newest(rows, "reference")
    own = rows[rows["p_paired"] < 0.01]
    assert (len(rows), (own["log_ratio"] > 0).sum(), (own["log_ratio"] < 0).sum()) == (squares, quic, tcp)
    assert (rows["log_ratio_low"] < rows["log_ratio"]).all() and (rows["pairs"] >= 10).all()
