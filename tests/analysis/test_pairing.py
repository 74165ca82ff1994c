"""Which cells of two campaigns are the same, and what their means say together."""

import math

import pytest

from longlook.analysis.cells import full_label_of
from longlook.analysis.pairing import MeasuredCell, condition_of, largest_shifts, pair, share_within, shifts
from longlook.analysis.welch import Summary
from longlook.scenario import Cell, Link, Workload
from longlook.transfers import Flow, TransferCell

CELL = Cell(figure="4.6a", stack="quicv1", workload=Workload(size_kb=1000), link=Link(bandwidth_mbps=10, rtt_ms=36))
TRANSFER = TransferCell(
    figure="table-4.1", stack="quicv1", scenario="QUIC vs TCP", flows=(Flow(protocol="quic"), Flow(protocol="tcp")),
    workload=Workload(size_kb=50000), link=Link(bandwidth_mbps=5, rtt_ms=36, queue_bytes=30720), duration_s=60,
)  # fmt: skip


def measured(quic=100.0, tcp=150.0, verdict="quic", sd=1.0, n=20, **changes):
    cell = CELL.model_copy(update=changes)
    return MeasuredCell(
        cell_id=cell.cell_id, figure=cell.figure, label=full_label_of(cell), condition=condition_of(cell),
        arms={"quic": Summary(quic, sd, n), "tcp": Summary(tcp, sd, n)}, kinds={"quic": "quic", "tcp": "tcp"},
        verdict=verdict, tested=n > 1,
    )  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {"stack": "gquic37"}, {"protocols": ("quic", "quic")}, {"cca": "bbr"}, {"emulated_connections": 1},
        {"workload": Workload(size_kb=1000, count=2)}, {"link": Link(bandwidth_mbps=10, rtt_ms=36, queue_bytes=30000)},
        {"link": Link(bandwidth_mbps=10, rtt_ms=36, loss_pct=1)}, {"handshakes": ("1rtt", "1rtt")}, {"quic_options": ("IW10",)},
        {"tcp_initial_window": 32}, {"client_cpu_pct": 20.0}, {"quic_server_cpu_pct": 20.0},
    ],
)  # fmt: skip
def test_what_defines_a_cell_tells_cells_apart_also_in_their_labels(changes):
    assert pair([measured()], [measured(**changes)]).pairs == ()
    assert "stack" in changes or measured(**changes).label != measured().label


@pytest.mark.parametrize(
    "changes",
    [
        {"figure": "4.6d"},
        {"seed": 9},
        {"loads": 6},
        {"replicate": 3},
        {"link": Link(bandwidth_mbps=10, rtt_ms=36, queue_bytes=90000)},
    ],
)
def test_what_only_names_or_samples_it_does_not(changes):
    found = pair([measured()], [measured(**changes)])
    assert len(found.pairs) == 1 and found.only_a == found.only_b == ()


def test_a_transfer_is_the_same_by_its_flows_and_time():
    assert condition_of(TRANSFER) == condition_of(
        TRANSFER.model_copy(update={"replicate": 4, "seed": 5, "scenario": "one of each"})
    )
    assert condition_of(TRANSFER) != condition_of(TRANSFER.model_copy(update={"duration_s": 30.0}))
    assert condition_of(TRANSFER) != condition_of(TRANSFER.model_copy(update={"flows": TRANSFER.flows[::-1]}))
    assert full_label_of(TRANSFER) == "QUIC vs TCP, 50 MB x 1, 5 Mbit/s, 36 ms, queue 30720 bytes, 60 s"


def test_cells_of_one_id_are_paired_first_and_the_rest_in_order():
    a = [measured(figure="4.6a"), measured(figure="4.6d"), measured(figure="x")]
    b = [measured(figure="4.6d"), measured(figure="y")]
    found = pair(a, b)
    assert [(one.a.figure, one.b.figure) for one in found.pairs] == [("4.6a", "y"), ("4.6d", "4.6d")]
    assert [cell.figure for cell in found.only_a] == ["x"] and found.only_b == ()


def test_cells_of_one_campaign_only_are_listed():
    found = pair([measured(), measured(cca="bbr")], [measured(), measured(cca="reno")])
    assert [cell.label[-3:] for cell in found.only_a] == ["BBR"] and [cell.label[-4:] for cell in found.only_b] == [
        "RENO"
    ]


def test_ratios_shifts_and_verdicts_by_hand():
    a = [measured(workload=Workload(size_kb=size)) for size in (5, 10, 100)]
    b = [
        measured(workload=Workload(size_kb=5), quic=102.0, tcp=165.0),
        measured(workload=Workload(size_kb=10), quic=100.0, tcp=180.0),
        measured(workload=Workload(size_kb=100), quic=99.9, tcp=75.0, verdict="tcp"),
    ]
    found = pair(a, b)
    assert [one.agrees for one in found.pairs] == [True, True, False]
    quic, tcp = shifts(found.every_arm())
    assert (quic.kind, quic.means, quic.above, quic.significant, quic.median_ratio) == ("quic", 3, 1, 1, 1.0)
    assert (tcp.kind, tcp.above, tcp.significant, tcp.median_ratio) == ("tcp", 2, 3, pytest.approx(1.1))
    assert (quic.significant_above, quic.furthest_ratio) == (1, 1.02) and (
        tcp.significant_above,
        tcp.furthest_ratio,
    ) == (2, 0.5)
    assert quic.reach == pytest.approx(2.71 * math.sqrt(2 / 20) / 100, rel=0.02)  # t of 38 degrees of freedom, 99 %
    assert share_within(found.every_arm(), 0.01) == (2, 6)
    assert [(arm.arm, arm.ratio.value) for _, arm in largest_shifts(found.pairs, 2)] == [("tcp", 0.5), ("tcp", 1.2)]


def test_a_cell_without_loads_enough_neither_agrees_nor_differs():
    (one,) = pair([measured()], [measured(n=1)]).pairs
    assert not one.tested and not one.agrees
    assert not any(arm.tested or arm.significant for arm in one.arms)
