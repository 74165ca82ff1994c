"""What became of predictions, by hand-made squares: the loss in each direction, one cost per request."""

from types import SimpleNamespace

import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import each_way, one_cost, smooth, stopwatch
from longlook.book.muthuraj2024.both import Both
from longlook.book.predicted import JudgedPrediction, predictions_table
from longlook.published.muthuraj2024 import page_load_times

B4 = [one for one in page_load_times() if one.table == each_way.TABLE]


def both(factor_divided, factor_whole, quic=1.0):
    """Every cell of table B.4, its means measured as these multiples of the published ones."""

    def times(one, factor):
        return {
            arm.protocol: Summary(one.arms[arm.name].mean * (factor if arm.protocol == "tcp" else quic), 10.0, 20)
            for arm in one.cell.arms
        }

    return [Both(one, times(one, factor_divided), times(one, factor_whole)) for one in B4]


@pytest.mark.parametrize(("means", "variances", "holds"), [(2.0, 2.0, True), (30.0, 1.9, False), (-3.0, 9.0, False)])
def test_means_and_variances_must_each_support_it(means, variances, holds):
    found = each_way.supported(10, means, variances)
    assert found.holds is holds and found.found.startswith("10 cells: 10^")


@pytest.mark.parametrize(("divided", "whole", "holds"), [(0.6, 0.9, True), (0.6, 0.8, False), (0.95, 0.9, False)])
def test_tcp_must_be_nearer_in_most_cells_and_near(divided, whole, holds):
    assert each_way.nearer(both(divided, whole)).holds is holds


def test_pages_of_many_objects_must_all_miss():
    assert each_way.many(both(1, 1, quic=0.3)).holds
    found = each_way.many(both(1, 1, quic=1.0))
    assert not found.holds
    assert found.found == "6 of 6 within the 99 % prediction interval; means 1.00 to 1.00 of the published"
    assert not each_way.many([]).holds


def costly(objects, rtt=36.0, bandwidth=100.0, published=620.0, without=320.0, costs=(620.0,), sd=60.0, tcp=450.0):
    """A square of pages of many objects: QUIC published, without a cost and with each; TCP as measured."""
    series = one_cost.QUICV1 if len(costs) == 2 else one_cost.GQUIC37
    return one_cost.OneCostSquare(
        "a page",
        objects,
        bandwidth,
        rtt,
        {"quic": Summary(published, 90.0, 20), "tcp": Summary(460.0, 5.0, 20)},
        {"quic": Summary(without, 20.0, 20), "tcp": Summary(450.0, 5.0, 20)},
        {cost: Summary(mean, sd, 20) for cost, mean in zip(one_cost.COSTS[series], costs, strict=True)},
        Summary(tcp, 5.0, 20),
    )


def test_one_cost_must_meet_most_and_none_few():
    assert one_cost.most_meet([costly(100)] * 9 + [costly(100, costs=(900.0,))] * 3).holds
    assert not one_cost.most_meet([costly(100)] * 8 + [costly(100, costs=(900.0,))] * 4).holds
    assert not one_cost.most_meet([costly(100)] * 5 + [costly(100, without=620.0)] * 7).holds


def test_red_squares_must_turn_blue():
    pair = [costly(100, bandwidth=50.0), costly(100)]
    assert one_cost.blue([*pair, costly(100, bandwidth=10.0, costs=(300.0,)), costly(200, costs=(300.0,))]).holds
    assert not one_cost.blue(pair[:1]).holds
    assert not one_cost.blue([pair[0], costly(100, costs=(440.0,))]).holds
    assert not one_cost.blue([pair[0], costly(100, without=455.0)]).holds


def test_a_long_way_must_bear_the_cost():
    far = costly(100, rtt=112.0, without=740.0, costs=(776.0,))
    assert one_cost.long_way_untouched([far, costly(100)]).holds
    found = one_cost.long_way_untouched([far, costly(200, rtt=112.0, without=740.0, costs=(700.0,))])
    assert not found.holds and found.found == "by \N{MINUS SIGN}5.4% to +4.9%"
    assert not one_cost.long_way_untouched([costly(100)]).holds


def test_large_pictures_must_meet_and_fall_into_two_groups():
    near = [costly(100, costs=(620.0, 500.0), sd=300.0)] * 2
    far = [costly(100, rtt=112.0, costs=(620.0, 500.0), sd=300.0)] * 2
    assert one_cost.large_meet([*near, *far]).holds and one_cost.two_groups([*near, *far]).holds
    assert not one_cost.large_meet([costly(100, costs=(1500.0, 500.0))] * 2 + far).holds
    assert not one_cost.two_groups([*near, far[0], costly(100, rtt=112.0, costs=(620.0, 500.0))]).holds
    assert not one_cost.two_groups(near).holds


@pytest.mark.parametrize(
    ("near", "far", "sd", "holds"),
    [
        (620.0, 800.0, 60.0, True),
        (900.0, 800.0, 60.0, False),
        (620.0, 1100.0, 60.0, False),
        (620.0, 800.0, 160.0, False),
    ],
)
def test_small_pictures_must_meet_nearby_and_change_little_far_away(near, far, sd, holds):
    squares = [costly(200, costs=(1.0, near), sd=60.0)] * 2
    squares += [costly(200, rtt=112.0, without=790.0, costs=(1.0, far), sd=sd)] * 2
    assert one_cost.small(squares).holds is holds


def test_nothing_measured_is_said(monkeypatch):
    monkeypatch.setattr(smooth, "squares", lambda paper: [])
    assert "Not measured yet" in smooth.table(SimpleNamespace()).data
    assert "Not measured yet" in predictions_table(()).data


def test_a_cause_has_a_row_for_each_prediction_and_says_if_it_is_not_measured():
    told = stopwatch.Cause("it rains", "a cloud", "wet", lambda paper: (JudgedPrediction("wet", "dry", False),) * 2)
    asked = stopwatch.Cause("it snows", "a flake", "cold", lambda paper: ())
    text = stopwatch.causes(SimpleNamespace(), (told, asked)).data
    assert text.count("does not hold") == 2 and text.count("it rains") == 1
    assert text.count("not measured yet") == 1 and text.count("ll-row-start") == 2
