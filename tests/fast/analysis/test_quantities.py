"""Quantities that criteria name, of known loads."""

import pytest

from longlook.analysis.quantities import BETWEEN, OF_ARMS, OF_PAIRS, kept_median, late_share, paired_ratio, rate_ratio
from longlook.plan import criteria

PLT = {"one": {1: 100.0, 2: 110.0, 3: 120.0, 4: 400.0}, "two": {1: 50.0, 2: 60.0}}
STOOD = {"one": {1: 10.0, 2: 10.0, 3: 10.0, 4: 99.0}, "two": {1: 10.0, 2: 10.0}}


def numbered(row, metric):
    if row["arm"] == "tcp":
        return dict.fromkeys((1, 2, 3, 4), 20.0) if metric == "connect_ms" else {}
    return (PLT if metric == "plt_ms" else STOOD)[row["cell_id"]]


def sides(*cells):
    return [[{"cell_id": cell, "arm": arm} for cell in cells] for arm in ("quic", "tcp")]


def test_every_quantity_that_a_criterion_may_name_is_there():
    known = criteria.OF_PAIRS, criteria.OF_ARMS, criteria.BETWEEN
    assert (tuple(OF_PAIRS), tuple(OF_ARMS), tuple(BETWEEN)) == known


def test_loads_whose_connection_was_late_are_told_of_all_cells_together():
    assert late_share(numbered, sides("one")).value == pytest.approx(1 / 4)
    assert late_share(numbered, sides("one", "two")).value == pytest.approx(1 / 6)
    assert late_share(numbered, [[], []]) is None


def test_what_is_kept_has_its_median():
    assert kept_median(numbered, sides("one")).value == pytest.approx(110 / 115)
    assert kept_median(numbered, sides("two")).value == 1
    assert kept_median(lambda row, metric: {}, sides("one")) is None


def test_rates_of_two_flows_are_compared_run_by_run():
    rates = {"quic1": {"a": 4.0, "b": 1.0}, "tcp1": {"a": 1.0, "b": 1.0, "c": 9.0}}
    sides = [[{"arm": arm}] for arm in rates]
    assert rate_ratio(lambda row, metric: rates[row["arm"]], sides).value == pytest.approx(2)
    assert rate_ratio(lambda row, metric: {}, sides) is None


def test_loads_of_one_number_are_a_pair():
    took = {"one stream": {1: 110.0, 2: 440.0, 3: 7.0}, "streams": {1: 100.0, 2: 400.0}}
    sides = [[{"arm": arm, "metric": "ttlb_ms"}] for arm in took]
    found = paired_ratio(lambda row, metric: took[row["arm"]], sides)
    assert (found.value, found.low, found.high) == (pytest.approx(1.1),) * 3 and found.p_value < 0.01
    assert paired_ratio(lambda row, metric: {1: 5.0}, sides) is None
    assert paired_ratio(lambda row, metric: took[row["arm"]], [sides[0], []]) is None


FILE = {"object_bytes": 2_000_000, "n": 2, "client_cpu_pct": 25.0, "server_cpu_pct": None}
OF_FILE = {"ttlb_ms": {1: 160.0, 2: 200.0}, "client_cpu_s": {1: 0.03, 2: 0.04}, "server_cpu_s": {1: 0.01, 2: 0.03}}


@pytest.mark.parametrize(
    ("quantity", "metric", "row", "mean"),
    [
        ("throughput_mb_s", "ttlb_ms", {}, (2 / 0.16 + 2 / 0.2) / 2),
        ("goodput_mbps", "ttlb_ms", {}, 2 * 8 / 0.18),
        ("cpu_s_per_gb", "client_cpu_s", {}, 17.5),
        ("cpu_used_pct", "client_cpu_s", {}, 100 * 0.035 / 0.18 / 0.25),
        ("cpu_used_pct", "server_cpu_s", {}, None),
        ("busier_cpu_used_pct", "client_cpu_s", {}, 100 * 0.035 / 0.18 / 0.25),
        ("busier_cpu_used_pct", "client_cpu_s", {"server_cpu_pct": 12.5}, 100 * 0.02 / 0.18 / 0.125),
        ("throughput_mb_s", "ttlb_ms", {"n": 0}, None),
    ],
)
def test_what_is_made_of_an_arm_s_loads(quantity, metric, row, mean):
    found = OF_ARMS[quantity](lambda row, metric: OF_FILE[metric], FILE | row, metric)
    assert (found and found.mean) == (mean and pytest.approx(mean))


def test_work_at_requests_is_no_part_of_slow_start():
    rows = {cost: {"arm": cost, "n": 3, "object_count": 100, "request_cost_us": cost} for cost in (None, 800)}
    times = {None: {1: 340.0, 2: 350.0, 3: 360.0}, 800: {1: 430.0, 2: 569.0, 3: 571.0}}

    def numbered(row, metric):
        return times[row["arm"]]

    assert OF_PAIRS["early_loads"](numbered, [[rows[800]], [rows[None]]]).value == 1
    assert OF_PAIRS["early_loads"](numbered, [[rows[800]], []]) is None
    assert OF_ARMS["plt_without_work_ms"](numbered, rows[800], "plt_ms").mean == pytest.approx((1570 - 240) / 3)


def test_a_white_square_tells_no_less_than_its_loads_show():
    quiet, rough = ([[{"mean": 100.0, "sd": sd, "n": 10}]] * 2 for sd in (1.0, 10.0))
    told = [OF_PAIRS["least_told_pct"](numbered, sides).value for sides in (quiet, rough)]
    assert told[1] == pytest.approx(10 * told[0]) and 1.0 < told[0] < 2.5
    assert OF_PAIRS["least_told_pct"](numbered, [[], []]) is None
