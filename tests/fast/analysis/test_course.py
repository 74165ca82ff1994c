"""The course of a transfer over its time, and the numbers that criteria make of it."""

import math

import pandas as pd
import pytest

from longlook.analysis.course import OF_COURSES, Course, median_over_time, share_below
from longlook.analysis.evidence import Column
from longlook.analysis.judge import judge
from longlook.plan import criteria
from longlook.plan.criteria import Criterion, Judging

STEPS, TOTAL = 50, 1_048_576
COLUMNS = ("source", "time_s", "acked_bytes", "bytes_in_flight", "lost", "cwnd_bytes", "allowed_bytes")


def transfer(*lines, first_s=0.05, length_s=1.08, rtt_ms=15.0):
    """As much acknowledged in each of STEPS equal times, two losses, half of what the link holds in flight."""
    held = 1250 * rtt_ms
    steps = [(at, first_s + length_s * at / STEPS) for at in range(STEPS + 1)]
    found = [("acks", s, TOTAL * (at + 1) / (STEPS + 1), None, None, None, None) for at, s in steps]
    found += [("tcp_probe", s, None, held / 2, 2.0 if at > 10 else 0.0, 2 * held, 50e3) for at, s in steps]
    table = pd.DataFrame([*found, *lines], columns=COLUMNS).sort_values("time_s", kind="stable")
    return Course("campaign", "cell", 10.0, rtt_ms, {"lost": 3.0, "spurious": 1.0, "finished_s": 1.2}, table)


def test_every_quantity_that_a_criterion_may_name_is_there():
    assert tuple(OF_COURSES) == criteria.OF_COURSES


def test_what_is_seen_of_a_transfer():
    one = transfer()
    assert (one.first_s, one.whole_s, one.finished_s) == pytest.approx((0.05, 0.05 + 1.08, 1.2))
    assert one.reached_s(0.5) == pytest.approx(0.05 + 1.08 / 2, abs=0.03) and one.reached_s(1) == one.whole_s
    assert one.lost == 2 and one.losses["count"].tolist() == [2.0]
    assert one.losses["time_s"].tolist() == pytest.approx([0.05 + 1.08 * 11 / STEPS])
    assert one.thin_share == pytest.approx(1) and one.limited_share == 0
    assert one.window["bytes"].max() == 2 * one.held_bytes and one.in_flight["bytes"].max() == 9375


def test_the_best_round_trip_is_that_with_most():
    trip = 0.115 / (1.0 / STEPS) * TOTAL / (STEPS + 1) / 143_750
    assert transfer(length_s=1.0, rtt_ms=115.0).best_share == pytest.approx(trip, rel=0.25)
    assert transfer(length_s=0.001, rtt_ms=115.0).best_share > 3


def test_what_its_lines_do_not_tell_is_no_number():
    one = transfer()
    bare = Course("campaign", "cell", 10.0, 15.0, {}, one.lines.iloc[:0])
    assert all(math.isnan(number(bare)) for number in OF_COURSES.values())


def test_a_share_of_time_counts_each_value_until_the_next():
    line = pd.DataFrame({"time_s": [0.5, 1.0, 1.2, 9.0], "bytes": [1000.0, 2000.0, 0.0, 0.0]})
    assert share_below(line, 1500, 0.0, 2.0) == pytest.approx((1.0 + 0.8) / 2)
    assert share_below(line, 1500, 1.0, 1.2) == 0 and share_below(line, 1500, 1.2, 1.2) == 0
    assert share_below(line, 1500, 1.1, 2.0) == pytest.approx(0.8 / 0.9)


def test_a_median_is_by_the_time_that_a_value_lasts():
    line = pd.DataFrame({"time_s": [0.0, 1.0, 1.1, 4.0], "bytes": [10.0, 90.0, 20.0, 500.0]})
    assert median_over_time(line) == 20
    assert median_over_time(line.head(1)) == 10


def test_of_a_window_each_cut_leaves_a_share():
    sizes = [20, 50, 35, 50, 35, 34.9]
    lines = [("ngtcp2", s, None, None, None, kb, None) for s, kb in enumerate(sizes)]
    one = Course("", "", 1, 1, {}, pd.DataFrame(lines, columns=COLUMNS))
    assert one.kept == pytest.approx(0.7) and len(one.cuts) == 2


RUNS = {
    ("quic", "acked_50_pct_ms"): {"a": 60.0, "b": 50.0, "c": 90.0},
    ("quic", criteria.WHOLE): {"a": 110.0, "b": 100.0, "c": 130.0},
    ("tcp", "acked_50_pct_ms"): {"a": 40.0, "b": 44.0},
    ("tcp", criteria.WHOLE): {"a": 100.0, "b": 120.0},
}
RULE = Judging.parse({"metric": "finished_s", "series": "s", "by": "value"})


def judged(**said):
    rows = [{"series": "s", "metric": "finished_s", "arm": arm, "n": 3, "rtt_ms": 20.0} for arm in ("quic", "tcp")]

    def numbered(row, metric):
        whole = RUNS[row["arm"], criteria.WHOLE]
        if metric in criteria.TENTHS and metric not in ("acked_50_pct_ms", criteria.WHOLE):
            return dict.fromkeys(whole, 10.0)
        return RUNS.get((row["arm"], metric), {})

    columns = {"reference": Column(lambda _: rows, numbered=numbered)}
    return judge(Criterion.parse(said), RULE, columns, "reference", 1)


@pytest.mark.parametrize(
    ("said", "value", "low", "high"),
    [
        ({"value": "quic"}, 60, 50, 90),
        ({"ratio": ["quic", "tcp"]}, 60 / 40, 50 / 44, 90 / 40),
        ({"arms": "quic", "over": {"arm": "tcp"}}, 60 / 40, 50 / 44, 90 / 40),
        ({"difference": ["quic", "tcp"], "unit": "trips"}, 1, 6 / 20, 50 / 20),
        ({"spread": "*"}, 60 / 40, 50 / 44, 90 / 40),
        ({"arms": "quic", "over": {"arm": "tcp"}, "quantity": criteria.APART}, 20, 10, 50),
    ],
)
def test_of_repeats_that_in_the_middle_decides_and_the_interval_is_of_every_choice(said, value, low, high):
    (found,) = judged(**{"quantity": "acked_50_pct_ms", "at_most": 1e3} | said).found
    assert (found.estimate.value, found.estimate.low, found.estimate.high) == pytest.approx((value, low, high))


@pytest.mark.parametrize(("by", "holds"), [("value", True), ("interval", None)])
def test_by_interval_what_another_choice_makes_untrue_is_open(by, holds):
    assert judged(quantity="acked_50_pct_ms", value="quic", at_most=70, by=by).holds is holds


def test_a_number_that_no_repeat_has_leaves_it_open():
    assert judged(quantity="limited_pct", value="quic", at_most=5).holds is None
