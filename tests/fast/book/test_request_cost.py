"""What became of the predictions about a cost per request, by hand-made squares; and the figure of them."""

from types import SimpleNamespace

import pandas as pd
import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import request_cost
from longlook.book.muthuraj2024.request_cost import AXIS, CostSquare, _rows
from longlook.figure.live import offline_spec
from longlook.figure.steps import COLUMNS, LOADS, steps_chart

COSTS = (None, 100, 200, 400, 800, 1600)
PLAIN = [340.0, 350.0, 360.0] * 4


def loads(*early):
    """Twelve loads a cost, so many of them 500 ms slower; each with its work of 100 requests."""
    return {
        cost: [one + (cost or 0) / 10 + (500 if at < slow else 0) for at, one in enumerate(PLAIN)]
        for cost, slow in zip(COSTS, early, strict=True)
    }


def square(*early, objects=100, bandwidth=100.0, rtt=36.0, published=727.0):
    return CostSquare(f"{objects} objects", objects, bandwidth, rtt, Summary(published, 39.0, 20), loads(*early))


def test_early_loads_are_those_that_their_work_does_not_explain():
    one = square(0, 1, 2, 5, 9, 12)
    assert [one.early(cost) for cost in COSTS] == [0, 1, 2, 5, 9, 12]
    assert one.work_ms(800) == 80 and one.work_ms(None) == 0


@pytest.mark.parametrize(
    ("early", "holds"),
    [
        ((0, 1, 3, 5, 9, 12), True), ((2, 2, 3, 5, 9, 12), False), ((0, 0, 0, 2, 9, 12), False),
        ((0, 0, 0, 3, 5, 5), False), ((0, 0, 0, 9, 6, 12), False), ((0, 0, 0, 8, 6, 12), True),
    ],
)  # fmt: skip
def test_more_cost_more_early_loads(early, holds):
    assert request_cost.groups([square(*early)]).holds is holds
    assert request_cost.groups([square(*early), square(0, 0, 3, 5, 9, 12)]).holds is holds


def test_ten_objects_bear_their_work_only():
    same = CostSquare("ten", 10, 100.0, 36.0, None, {None: [300.0, 310.0], 1600: [320.0, 330.0]})
    assert request_cost.few_objects([same]).holds
    more = CostSquare("ten", 10, 100.0, 36.0, None, {None: [300.0, 310.0], 1600: [340.0, 350.0]})
    assert not request_cost.few_objects([same, more]).holds
    assert not request_cost.long_way([same], 400).holds, "nothing of 100 objects: nothing holds"


def test_two_groups_scatter_and_a_long_way_bears_more():
    assert request_cost.scatter([square(0, 1, 3, 5, 9, 12)]).holds
    assert not request_cost.scatter([square(0, 0, 0, 5, 9, 12)]).holds
    assert request_cost.long_way([square(0, 0, 1, 0, 3, 6, rtt=112.0)], 400).holds
    assert not request_cost.long_way([square(0, 0, 0, 0, 3, 6, rtt=112.0)], 800).holds
    assert not request_cost.long_way([square(0, 0, 0, 0, 0, 5, rtt=112.0)], 400).holds


def test_a_narrow_link_hides_it():
    assert request_cost.narrow([square(0, 0, 0, 0, 0, 0, bandwidth=10.0)]).holds
    assert not request_cost.narrow([square(0, 0, 0, 0, 0, 1, bandwidth=10.0)]).holds


def test_no_one_cost_or_one():
    hundred, two = square(0, 0, 0, 0, 0, 6), square(0, 0, 0, 0, 0, 0, objects=200, published=360.0)
    assert request_cost.not_alone([hundred, two]).holds
    assert not request_cost.not_alone([square(0, 0, 0, 0, 9, 12), two]).holds, "800 us are near enough"
    assert request_cost.one_cost([square(0, 0, 0, 4, 9, 12, published=557.0)]).holds
    assert not request_cost.one_cost([square(0, 0, 0, 0, 0, 0, published=350.0)]).holds
    assert request_cost.one_group([square(0, 0, 0, 0, 0, 0, objects=200)]).holds
    assert not request_cost.one_group([square(0, 0, 0, 0, 5, 0, objects=200)]).holds


def test_gquics_groups():
    assert request_cost.groups_of_gquic([square(0, 1, 2, 5, 9, 9)]).holds
    for early in ((0, 2, 2, 5, 9, 9), (0, 0, 3, 5, 9, 9), (0, 0, 0, 0, 8, 12)):
        assert not request_cost.groups_of_gquic([square(*early)]).holds


def test_the_figure_has_every_load_and_a_mean_for_each_cost():
    one = square(0, 1, 3, 5, 9, 12)
    frame = pd.DataFrame(list(_rows(one)))
    each = pd.DataFrame([("100 objects", "none", 340.0)], columns=LOADS)
    assert tuple(frame.columns) == COLUMNS and list(frame["step"]) == ["none", "100", "200", "400", "800", "1600"]
    assert "cost per request" in str(offline_spec(steps_chart(frame, AXIS, each)))


def test_nothing_measured_is_said(monkeypatch):
    monkeypatch.setattr(request_cost, "squares", lambda paper, series: [])
    assert request_cost.quicv1(SimpleNamespace()) == request_cost.gquic37(SimpleNamespace()) == ()
    assert "Not measured yet" in request_cost.figure(SimpleNamespace(), request_cost.QUICV1).data
