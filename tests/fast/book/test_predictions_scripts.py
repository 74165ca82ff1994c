"""What became of predictions about the thesis's scripts and kernels, on made-up loads."""

from types import SimpleNamespace

import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import each_way, seldom, threshold, threshold_controls, unprinted
from longlook.book.muthuraj2024.both import Both, agreeing
from longlook.book.muthuraj2024.threshold_controls import EACH_WAY, NEITHER, REMEMBERED
from longlook.book.muthuraj2024.unprinted import LossSquare
from longlook.plan.workload import bytes_of_kb
from longlook.published.muthuraj2024 import page_load_times

PRINTED = page_load_times()


def cells(table, usual=(1.0, 1.0), changed=(1.0, 1.0)):
    """A published table, measured twice; means as multiples of the published ones, QUIC's and TCP's."""

    def loads(one, factors):
        return {
            arm.protocol: Summary(one.arms[arm.name].mean * factor, one.arms[arm.name].sd, 20)
            for arm, factor in zip(one.cell.arms, factors, strict=True)
        }

    return [Both(one, loads(one, usual), loads(one, changed)) for one in PRINTED if one.table == table]


def test_a_cell_tells_which_mean_is_nearer_met_and_whether_the_verdict_is_the_published_one():
    (one, *_) = cells("B.11", (1.0, 3.0), (1.0, 1.0))
    assert one.is_nearer("tcp") and not one.is_nearer("quic")
    assert one.is_met("tcp") and not one.was_met("tcp") and one.agrees
    assert one.times("tcp") == pytest.approx(1 / 3) and one.error("tcp") == pytest.approx(0)
    assert not any(one.agrees for one in cells("B.9", changed=(3.0, 1.0))[:3])


def test_ten_megabytes_must_be_near_for_both():
    assert each_way.large(cells("B.3", changed=(1.09, 0.86))).holds
    assert each_way.large(cells("B.3", changed=(1.11, 1.0))).holds is False
    assert each_way.large(cells("B.3", changed=(1.0, 0.84))).holds is False
    few = [one for one in cells("B.3") if one.printed.cell.workload.object_bytes != each_way.LARGE_BYTES]
    assert len(few) == 18 and each_way.large(few).holds is None


@pytest.mark.parametrize(("factor", "holds"), [(1.08, True), (0.91, True), (1.11, False), (0.89, False)])
def test_what_was_measured_beside_others_must_be_as_alone(factor, holds):
    alone = {"quic": Summary(14000, 900, 10), "tcp": Summary(23000, 900, 10)}
    assert each_way.near(alone, alone | {"tcp": Summary(23000 * factor, 900, 20)}).holds is holds


def test_of_no_new_cell_nothing_is_supported():
    assert each_way.supported(0, 0.0, 0.0).holds is None


def test_the_nearer_means_of_table_b3_are_of_21():
    found = each_way.nearer(cells("B.3", (1, 0.7), (1, 0.9)), 21, 0.12)
    assert found.holds and found.found.startswith("21 of 21") and "of 21 means" in found.said
    assert not each_way.nearer(cells("B.3", (1, 0.7), (1, 0.87)), 21, 0.12).holds


def size(kb, bandwidth=10.0, quic=1000.0, tcp=1200.0, divided=900.0):
    usual = dict.fromkeys(("quic", "tcp"), Summary(divided, 50.0, 20))
    whole = {"quic": Summary(quic, 50.0, 20), "tcp": Summary(tcp, 50.0, 20)}
    return LossSquare(bytes_of_kb(kb), bandwidth, usual, whole)


@pytest.mark.parametrize(("tcp", "holds"), [(900, True), (760, True), (740, False), (960, False), (1100, False)])
def test_ten_megabytes_with_n_1_must_be_tcps_by_so_much(tcp, holds):
    found = [size(10_000, tcp=float(tcp)), size(10_000, 50.0)]
    assert unprinted.tcp_ahead(found, unprinted.TCP_BY_PCT).holds is holds
    assert unprinted.tcp_ahead([size(5)]).holds is None


def test_with_bbr_any_significant_lead_of_tcp_will_do():
    assert unprinted.tcp_ahead([size(10_000, tcp=500.0)]).holds
    assert not unprinted.tcp_ahead([size(10_000, tcp=990.0)]).holds


def test_five_kilobytes_must_stay_below_and_small_objects_be_quics():
    assert unprinted.no_luck([size(5, tcp=2300.0)]).holds
    assert not unprinted.no_luck([size(5, tcp=2500.0)]).holds
    small = [size(kb, rate) for kb in (5, 10, 100, 200) for rate in (10.0, 50.0, 100.0)]
    assert unprinted.quic_ahead([*small, size(1000, tcp=1.0)]).holds
    assert not unprinted.quic_ahead([*small[1:], size(5, tcp=999.0)]).holds
    assert not unprinted.quic_ahead(small[1:]).holds, "a square is missing"


def test_more_loss_must_take_both_longer_and_with_bbr_little():
    assert unprinted.higher([size(5)] * 17 + [size(5, quic=800.0)] * 4).holds
    assert not unprinted.higher([size(5)] * 16 + [size(5, quic=800.0)] * 5).holds
    assert unprinted.little_higher([size(5, tcp=1100.0)] * 17 + [size(5, quic=1300.0)] * 4).holds
    assert not unprinted.little_higher([size(5, tcp=1300.0)] * 5 + [size(5, tcp=1100.0)] * 16).holds


def test_most_squares_must_be_quics_with_bbr():
    assert unprinted.quics([size(5)] * 14 + [size(5, tcp=1001.0)] * 7).holds
    assert not unprinted.quics([size(5)] * 13 + [size(5, tcp=1001.0)] * 8).holds


def test_a_threshold_must_meet_enough_means_and_leave_the_first_flight():
    good, bad = cells("B.11"), cells("B.11", changed=(1.0, 5.0))
    assert threshold.met(good[:13] + bad[13:], threshold.SIZES).holds
    assert not threshold.met(good[:12] + bad[12:], threshold.SIZES).holds
    assert threshold.near(cells("B.11", changed=(1, 1.11))).holds
    assert not threshold.near(cells("B.11", changed=(1, 1.13))).holds
    assert threshold.first_flight(cells("B.11", changed=(1.0, 1.14))).holds
    assert not threshold.first_flight(cells("B.11", changed=(1.0, 0.84))).holds


def test_seventeen_verdicts_must_agree():
    good, bad = cells("B.11"), cells("B.11", changed=(50.0, 1.0))

    def agree(found):
        return agreeing(found, threshold.AGREE_LEAST, threshold.SQUARES)

    assert agree(good[:17] + bad[17:]).holds and not agree(good[:16] + bad[16:]).holds


def test_four_squares_must_stay_above():
    four = [one for one in cells("B.12") if threshold.is_other(one)]
    assert len(four) == 4 and {one.printed.cell.workload.object_count for one in four} == {5, 10, 100, 200}
    assert threshold.others(cells("B.12", changed=(1, 3))).holds
    assert not threshold.others(cells("B.12", changed=(1, 0.1))).holds, "below is not above"
    assert not threshold.others(cells("B.12")).holds and threshold.others([]).holds is None


def test_a_threshold_is_tcps():
    one = cells("B.11")[0].printed.cell
    assert [arm.remembered_ssthresh for arm in threshold.remembering(one).arms] == [None, 7]


def control(
    workload="100kb-x1", published=1000.0, sd=100.0, neither=700.0, remembered=1000.0, each=1000.0, own_sd=60.0
):
    means = {NEITHER: neither, REMEMBERED: remembered, EACH_WAY: each}
    loads = {how: Summary(mean, own_sd if how == REMEMBERED else sd, 12) for how, mean in means.items()}
    return threshold_controls.ControlSquare(workload, Summary(published, sd, 20), loads)


def test_published_loads_must_scatter_more_than_those_with_a_threshold():
    assert threshold_controls.wider([control()] * 6 + [control(own_sd=80.0)] * 2).holds
    assert not threshold_controls.wider([control()] * 5 + [control(own_sd=80.0)] * 3).holds


def test_the_likelier_of_loss_and_threshold_is_told():
    assert threshold_controls.likelier([control(remembered=2000.0)] * 8).holds
    assert not threshold_controls.likelier([control(each=2000.0, own_sd=100.0)] * 8).holds


@pytest.mark.parametrize(
    ("remembered", "each", "holds"), [(2000.0, 1000.0, True), (1000.0, 1000.0, False), (2000.0, 2000.0, False)]
)
def test_of_the_middle_sizes_the_threshold_must_miss_one_and_the_loss_none(remembered, each, holds):
    own = [control(), control("200kb-x1"), control("500kb-x1", remembered=remembered, each=each)]
    assert threshold_controls.middle([*own, control("1000kb-x1", remembered=2000.0, each=2000.0)]).holds is holds
    assert threshold_controls.middle([]).holds is None


def test_under_jitter_a_threshold_must_be_higher_and_farther_in_all_four():
    far, near = control(neither=1100.0, remembered=1300.0), control(neither=700.0, remembered=800.0)
    assert threshold_controls.higher([far] * 4).holds and threshold_controls.farther([far] * 4).holds
    assert threshold_controls.higher([near] * 4).holds and not threshold_controls.farther([far] * 3 + [near]).holds
    assert not threshold_controls.higher([far] * 3).holds, "a square is missing"


def test_delays_that_change_seldom_must_meet_and_leave_small_objects():
    assert [seldom.seldom(one.printed.cell).link.jitter_interval_ms for one in cells("B.16")] == [200] * 18
    own = [one for one in cells("B.15") if one.printed.cell.workload.object_bytes <= seldom.LARGEST]
    assert len(own) == 18 and seldom.met(own, "tcp", 15).holds
    missed = cells("B.16", changed=(1.0, 5.0))
    assert not seldom.met(own[:14] + missed[:4], "tcp", 15).holds
    assert not seldom.met(cells("B.16", changed=(1.0, 1.13)), "tcp", 0, 0.12).holds
    assert seldom.few_trips(own).holds
    moved = cells("B.15", changed=(1.2, 1.0))
    assert seldom.few_trips(own[2:] + moved[:2]).holds and not seldom.few_trips(own[3:] + moved[:3]).holds


def test_nothing_measured_is_said(monkeypatch):
    paper = SimpleNamespace(data=None)
    for module in (threshold, seldom):
        monkeypatch.setattr(module, "cells", lambda paper, series: [])
        assert module.sizes(paper) == module.counts(paper) == ()
    monkeypatch.setattr(threshold_controls, "squares", lambda paper, series, ways: [])
    monkeypatch.setattr(unprinted, "squares", lambda paper, series: [])
    for predictions in (threshold_controls.loss, threshold_controls.jitter, unprinted.fewer_connections, unprinted.bbr):
        assert predictions(paper) == ()
