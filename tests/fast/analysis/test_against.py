"""A number held against another: quotients and differences of two, and percentage points outside what several span."""

import pytest

from longlook.analysis.evidence import Column, numbers
from longlook.plan.criteria import Criterion, Judging

MEANS = {"quic": 90.0, "tcp": 100.0}
BESIDE = {"small": 1.0, "large": 1.2, "largest": 1.5}
"""Series -> how many times QUIC's time is there what it is in the first."""


def row(series, arm):
    ms = MEANS[arm] * (BESIDE[series] if arm == "quic" else 1)
    return {"series": series, "arm": arm, "metric": "ttlb_ms", "mean": ms, "sd": 0.1, "n": 3, "protocol": arm}


def column():
    return Column(
        lambda series: [row(series, arm) for arm in MEANS],
        lambda one: tuple(one["mean"] + off for off in (-0.1, 0, 0.1)),
    )


def number(statistic, **said):
    rule = Judging(series=["small"], metric="ttlb_ms", statistic=statistic)
    (leaf,) = Criterion.parse(said).leaves(rule)
    (found,) = numbers(leaf, {"reference": column()}, "reference")
    return found


@pytest.mark.parametrize("statistic", ["mean", "lowest-median"])
@pytest.mark.parametrize("series", ["large", "largest"])
def test_a_ratio_or_a_difference_against_that_of_another_series(statistic, series):
    against, pair = {"series": series}, ["quic", "tcp"]
    times = number(statistic, ratio=pair, against=against, at_most=1)
    assert times.estimate.value == pytest.approx(1 / BESIDE[series])
    assert times.estimate.low < times.estimate.value < times.estimate.high
    less = number(statistic, difference=pair, against=against, at_most=1)
    assert less.estimate.value == pytest.approx(90 * (1 - BESIDE[series]))
    assert less.estimate.low < less.estimate.value < less.estimate.high
    over = number(statistic, ratio=pair, over=against, at_most=1)
    assert over.estimate.value == pytest.approx(1 / BESIDE[series])


def test_how_many_times_one_difference_is_another():
    slower = {"difference": ["tcp", "quic"], "unit": "times", "within": [-3, 3]}
    assert number("mean", **slower, against={"difference": ["tcp", "quic"]}).estimate.value == 1
    found = number("lowest-median", **slower, against={"series": "small"})
    assert (found.estimate.value, found.left.value, found.right.value) == (1, 10, 10)
    with pytest.raises(ValueError, match="not enough values"):  # nothing is a multiple of what is no growth
        number("mean", **slower, against={"series": "largest"})


@pytest.mark.parametrize(
    ("series", "points"), [(["large"], 18), (["large", "largest"], 18), (["small", "large"], 0), (["largest"], 45)]
)
@pytest.mark.parametrize("statistic", ["mean", "lowest-median"])
def test_points_are_told_of_how_far_a_ratio_is_outside_what_others_span(statistic, series, points):
    against = [{"series": one} for one in series]
    found = number(statistic, ratio=["quic", "tcp"], against=against, unit="points", at_most=20)
    assert found.estimate.value == pytest.approx(points) and found.holds is (points <= 20)
