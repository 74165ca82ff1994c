"""What was predicted of gQUIC's 10 MB over a queue of 50 packets, on made-up loads."""

import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import queue_slots
from longlook.book.muthuraj2024.both import Both
from longlook.plan.workload import bytes_of_kb
from longlook.published.muthuraj2024 import page_load_times

CELLS = [
    one
    for one in page_load_times()
    if one.table in queue_slots.TABLES
    and one.cell.workload.object_bytes == bytes_of_kb(10_000)
    and one.cell.link.bandwidth_mbps > 10
]


def measured(quic=1.0, tcp=1.0, sd=1.0, cells=CELLS):
    """Means and QUIC's standard deviations as multiples of the published ones."""

    def loads(one, factors):
        return {
            arm.protocol: Summary(one.arms[arm.name].mean * factors[arm.protocol], one.arms[arm.name].sd * sd, 20)
            for arm in one.cell.arms
        }

    return [Both(one, loads(one, {"quic": 1.0, "tcp": 1.0}), loads(one, {"quic": quic, "tcp": tcp})) for one in cells]


def test_it_is_about_four_squares():
    assert len(CELLS) == queue_slots.SQUARES


@pytest.mark.parametrize(("quic", "tcp", "holds"), [(1.0, 1.0, True), (1.0, 1.9, False), (3.0, 1.0, False)])
def test_all_means_must_be_met(quic, tcp, holds):
    assert queue_slots.met(measured(quic, tcp)).holds is holds


@pytest.mark.parametrize(("sd", "holds"), [(1.0, True), (0.34, True), (0.3, False)])
def test_quic_must_scatter(sd, holds):
    assert queue_slots.scatter(measured(sd=sd)).holds is holds


@pytest.mark.parametrize(("tcp", "holds"), [(1.6, True), (1.4, False)])
def test_what_was_tried_by_hand_speaks_against_it(tcp, holds):
    assert queue_slots.far_off(measured(tcp=tcp)).holds is holds


def test_of_fewer_squares_nothing_is_said():
    few = measured(cells=CELLS[:1])
    assert queue_slots.met(few).holds is queue_slots.scatter(few).holds is None


def test_the_cell_has_that_queue_and_nothing_else_changes():
    usual = CELLS[0].cell
    changed = queue_slots.slots(usual)
    assert changed.link.queue_packets == 50 and changed.link.effective_queue_bytes is None
    assert changed.key != usual.key and changed.workload == usual.workload and changed.arms == usual.arms
