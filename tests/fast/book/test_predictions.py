"""What became of predictions, by hand-made squares: the loss in each direction, the client that is slow evenly."""

from types import SimpleNamespace

import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import each_way, one_cost, smooth, stopwatch, unprinted
from longlook.book.muthuraj2024.both import Both
from longlook.book.muthuraj2024.smooth import EVEN, FREE, STOPPED, Square
from longlook.book.predicted import Prediction, predictions_table
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


def square(quic_even=300.0, quic_stopped=600.0, tcp_even=450.0, tcp_stopped=452.0):
    means = {
        (FREE, "quic"): 280.0, (FREE, "tcp"): 420.0, (EVEN, "quic"): quic_even, (EVEN, "tcp"): tcp_even,
        (STOPPED, "quic"): quic_stopped, (STOPPED, "tcp"): tcp_stopped,
    }  # fmt: skip
    return Square("a page", {name: Summary(mean, 10.0, 16) for name, mean in means.items()})


def test_stops_must_slow_quic_alone():
    assert smooth.slower([square()] * 4).holds
    assert smooth.slower([square()] * 3 + [square(quic_stopped=301.0)]).holds
    assert not smooth.slower([square()] * 3 + [square(quic_stopped=299.0)]).holds
    assert not smooth.slower([square()] * 2 + [square(quic_stopped=301.0)] * 2).holds
    assert not smooth.slower([square()] * 2 + [square(tcp_stopped=600.0)] * 2).holds


def test_an_evenly_slow_client_must_make_no_square_blue():
    assert smooth.no_blue([square(), square(quic_even=449.0)]).holds
    assert not smooth.no_blue([square(), square(quic_even=500.0)]).holds


def test_the_lead_must_be_smaller_at_every_square():
    assert smooth.smaller_lead([square()] * 4).holds
    assert not smooth.smaller_lead([square()] * 3 + [square(quic_stopped=300.0)]).holds


def lossy(objects, quic=1000.0, tcp=1200.0, divided=900.0):
    """A square of an unprinted figure: means with the loss each way, and both protocols' with it divided."""
    usual = {"quic": Summary(divided, 50.0, 20), "tcp": Summary(divided, 50.0, 20)}
    return unprinted.Square(objects, usual, {"quic": Summary(quic, 50.0, 20), "tcp": Summary(tcp, 50.0, 20)})


@pytest.mark.parametrize(
    ("tcps", "holds"), [([1200] * 9, False), ([900] * 5 + [1200] * 4, True), ([999] * 9, False), ([900] * 4, False)]
)
def test_tcp_must_be_ahead_where_the_text_has_it_and_once_significantly(tcps, holds):
    assert unprinted.tcp_ahead([lossy(100, tcp=float(tcp)) for tcp in tcps] + [lossy(1, tcp=1.0)]).holds is holds


def test_quic_must_be_ahead_in_the_other_squares():
    assert unprinted.quic_ahead([lossy(1)] * 7 + [lossy(2, tcp=900.0)] * 2 + [lossy(10, tcp=900.0)] * 9).holds
    assert not unprinted.quic_ahead([lossy(1)] * 6 + [lossy(2, tcp=900.0)] * 3).holds


def test_more_loss_must_take_both_longer():
    assert unprinted.higher([lossy(1)] * 16 + [lossy(1, quic=800.0)] * 2).holds
    assert not unprinted.higher([lossy(1)] * 15 + [lossy(1, quic=800.0)] * 3).holds


def test_with_bbr_one_square_must_be_nobodys_and_no_lead_larger_than_the_texts():
    assert not unprinted.one_is_not_quics([lossy(1)] * 18).holds
    assert unprinted.one_is_not_quics([lossy(1)] * 17 + [lossy(1, tcp=1001.0)]).holds
    assert unprinted.no_larger_lead([lossy(1)] * 18).found == "the largest is +20"
    assert not unprinted.no_larger_lead([lossy(1), lossy(1, tcp=1440.0)]).holds
    assert unprinted.no_larger_lead([lossy(1, tcp=1000.0)]).found == "none is significant"


def test_with_bbr_means_must_be_little_higher():
    assert unprinted.little_higher([lossy(1, tcp=1100.0)] * 16 + [lossy(1, quic=1300.0)] * 2).holds
    assert not unprinted.little_higher([lossy(1, tcp=1300.0)] * 3 + [lossy(1, tcp=1100.0)] * 15).holds


def costly(objects, rtt=36.0, bandwidth=100.0, published=620.0, without=320.0, costs=(620.0,), sd=60.0, tcp=450.0):
    """A square of pages of many objects: QUIC published, without a cost and with each; TCP as measured."""
    series = one_cost.QUICV1 if len(costs) == 2 else one_cost.GQUIC37
    return one_cost.Square(
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


def test_the_table_has_the_verdict_in_words():
    text = predictions_table([smooth.no_blue([square()]), smooth.no_blue([square(quic_even=500.0)])]).data
    assert text.count("does not hold") == 1 and text.count(">holds<") == 1


def test_nothing_measured_is_said(monkeypatch):
    monkeypatch.setattr(smooth, "squares", lambda paper: [])
    assert "Not measured yet" in smooth.table(SimpleNamespace()).data
    assert smooth.predictions(SimpleNamespace()) == ()
    assert "Not measured yet" in predictions_table(()).data


def test_a_cause_has_a_row_for_each_prediction_and_says_if_it_is_not_measured():
    told = stopwatch.Cause("it rains", "a cloud", "wet", lambda paper: (Prediction("wet", "dry", False),) * 2)
    asked = stopwatch.Cause("it snows", "a flake", "cold", lambda paper: ())
    text = stopwatch.causes(SimpleNamespace(), (told, asked)).data
    assert text.count("does not hold") == 2 and text.count("it rains") == 1
    assert text.count("not measured yet") == 1 and text.count("ll-row-start") == 2
