"""Which cells of two campaigns are the same, and what their means say together."""

import math

import pytest
from results import COLD, QUIC, TCP, make_cell, result_of

from longlook.analysis.pairing import largest_shifts, pair, share_within, shifts
from longlook.analysis.twofold import count_agreeing, kind_of, share_agreeing
from longlook.plan.cell import Cell

BBR = {"cca": "bbr", "emulated_connections": None}
TRANSFER = {
    "study": "muthuraj2024",
    "series": "table-4.1",
    "label": "QUIC vs TCP",
    "experiment": "fairness",
    "mode": "together",
    "arms": [QUIC, TCP],
    "workload": {"size_kb": 50000},
    "link": {"bandwidth_mbps": 5, "rtt_ms": 36, "queue_bytes": 30720},
    "duration_s": 60,
}


def measured(quic=100.0, tcp=150.0, sd=1.0, n=20, size_kb=1000, **changes):
    return result_of(make_cell(size_kb, **changes), (quic, sd, n), (tcp, sd, n))


DIFFERENT = [
    {"arms": [QUIC | {"stack": "gquic37"}, TCP | {"stack": "gquic37"}]},
    {"arms": [QUIC, QUIC | {"quic_options": ["IW10"]}]},
    {"arms": [QUIC | BBR, TCP | {"cca": "bbr"}]},
    {"arms": [QUIC | {"emulated_connections": 1}, TCP]},
    {"workload": {"size_kb": 1000, "count": 2}},
    {"workload": {"kind": "download", "size_kb": 1000}},
    {"queue_bytes": 30000},
    {"queue_packets": 50},
    {"loss_pct": 1},
    {"arms": [COLD, TCP]},
    {"arms": [QUIC | {"quic_options": ["IW10"]}, TCP]},
    {"arms": [QUIC, TCP | {"initial_window": 32}]},
    {"arms": [QUIC | {"client_cpu_pct": 20.0}, TCP | {"client_cpu_pct": 20.0}]},
    {"arms": [QUIC | {"server_cpu_pct": 20.0}, TCP]},
    {"arms": [QUIC | {"server": "gquicd"}, TCP]},
    {"arms": [QUIC, TCP | {"client": "curl"}]},
]
SAME = [
    {"series": "4.6d"},
    {"study": "mine"},
    {"label": "x"},
    {"seed": 9},
    {"loads": 6},
    {"replicate": 3},
    {"queue_bytes": 90000},
]


@pytest.mark.parametrize("changes", DIFFERENT, ids=str)
def test_what_defines_a_cell_tells_cells_apart_also_in_their_labels(changes):
    other = measured(**changes)
    assert pair([measured()], [other]).pairs == ()
    programs = any(arm.stack != "quicv1" or arm.server == "gquicd" or arm.client == "curl" for arm in other.cell.arms)
    assert programs or other.cell.full_label != measured().cell.full_label


@pytest.mark.parametrize("changes", SAME, ids=str)
def test_what_only_names_or_samples_it_does_not(changes):
    found = pair([measured()], [measured(**changes)])
    assert len(found.pairs) == 1 and found.only_a == found.only_b == ()


def test_arms_are_matched_by_their_conditions_whatever_their_names_and_order():
    other = measured(quic=165.0, tcp=102.0, arms=[TCP | {"name": "one"}, QUIC | {"name": "two"}])
    (found,) = pair([measured()], [other]).pairs
    assert [(mean.arm, mean.ratio.value) for mean in found.means] == [("quic", 1.02), ("tcp", pytest.approx(1.1))]
    (verdict,) = found.verdicts
    assert (verdict.left, verdict.a.verdict, verdict.b.verdict, verdict.agrees) == ("quic", "left", "left", True)


def test_a_transfer_is_the_same_by_its_flows_and_time():
    cell = Cell.parse(TRANSFER)
    assert cell.key == Cell.parse(TRANSFER | {"replicate": 4, "seed": 5, "label": "one of each"}).key
    assert cell.key != Cell.parse(TRANSFER | {"duration_s": 30.0}).key
    assert cell.key == Cell.parse(TRANSFER | {"arms": TRANSFER["arms"][::-1]}).key  # they start together
    assert cell.key != Cell.parse(TRANSFER | {"arms": [*TRANSFER["arms"], TCP]}).key
    assert cell.full_label == "QUIC vs TCP, 50 MB x 1, 5 Mbit/s, 36 ms, queue 30720 bytes, 60 s"


def test_flows_in_another_order_are_found_again():
    swapped = Cell.parse(TRANSFER | {"arms": TRANSFER["arms"][::-1]})
    a, b = (
        result_of(Cell.parse(TRANSFER), (3.7, 0.1, 5), (1.2, 0.1, 5)),
        result_of(swapped, (1.2, 0.1, 5), (3.7, 0.1, 5)),
    )
    (found,) = pair([a], [b]).pairs
    assert [(mean.arm, mean.kind, mean.ratio.value) for mean in found.means] == [
        ("quic1", "quic", 1),
        ("tcp1", "tcp", 1),
    ]
    assert [(one.left, one.right, one.agrees) for one in found.verdicts] == [("quic1", "tcp1", True)]


def test_what_an_arm_is_counted_with():
    """Arms that are told apart by their name; equals, and flows, by their protocol."""
    cells = [
        make_cell(),
        make_cell(arms=[QUIC, COLD]),
        make_cell(arms=[COLD, COLD], control=True),
        Cell.parse(TRANSFER),
    ]
    assert [[kind_of(cell, arm) for arm in cell.arms] for cell in cells] == [
        ["quic", "tcp"], ["0rtt", "1rtt"], ["quic", "quic"], ["quic", "tcp"],
    ]  # fmt: skip


def test_cells_of_one_id_are_paired_first_and_the_rest_in_order():
    a = [measured(series="4.6a"), measured(series="4.6d"), measured(series="x")]
    b = [measured(series="4.6d"), measured(series="y")]
    found = pair(a, b)
    assert [(one.a.cell.series, one.b.cell.series) for one in found.pairs] == [("4.6a", "y"), ("4.6d", "4.6d")]
    assert [one.cell.series for one in found.only_a] == ["x"] and found.only_b == ()


def test_cells_of_one_campaign_only_are_listed():
    bbr, reno = (
        {"arms": [QUIC | {"cca": cca, "emulated_connections": None}, TCP | {"cca": cca}]} for cca in ("bbr", "reno")
    )
    found = pair([measured(), measured(**bbr)], [measured(), measured(**reno)])
    assert [one.cell.full_label[-3:] for one in found.only_a] == ["BBR"]
    assert [one.cell.full_label[-4:] for one in found.only_b] == ["RENO"]


def test_ratios_shifts_and_verdicts_by_hand():
    a = [measured(size_kb=size) for size in (5, 10, 100)]
    b = [
        measured(size_kb=5, quic=102.0, tcp=165.0),
        measured(size_kb=10, quic=100.0, tcp=180.0),
        measured(size_kb=100, quic=99.9, tcp=75.0),
    ]
    found = pair(a, b)
    assert [one.agrees for pair_ in found.pairs for one in pair_.verdicts] == [True, True, False]
    assert count_agreeing(found.pairs) == (2, 3) and share_agreeing(found.pairs) == pytest.approx(2 / 3)
    quic, tcp = shifts(found.every_mean())
    assert (quic.kind, quic.means, quic.above, quic.significant) == ("quic", 3, 1, 1)
    assert quic.median_ratio == pytest.approx(1.0)
    assert (tcp.kind, tcp.above, tcp.significant, tcp.median_ratio) == ("tcp", 2, 3, pytest.approx(1.1))
    assert (quic.significant_above, quic.furthest_ratio) == (1, pytest.approx(1.02))
    assert (tcp.significant_above, tcp.furthest_ratio) == (2, pytest.approx(0.5))
    assert quic.reach == pytest.approx(2.71 * math.sqrt(2 / 20) / 100, rel=0.02)  # t of 38 degrees of freedom, 99 %
    assert share_within(found.every_mean(), 0.01) == (2, 6)
    assert [(mean.arm, mean.ratio.value) for _, mean in largest_shifts(found.pairs, 2)] == [
        ("tcp", pytest.approx(0.5)), ("tcp", pytest.approx(1.2)),
    ]  # fmt: skip


def test_a_cell_without_loads_enough_neither_agrees_nor_differs():
    (one,) = pair([measured()], [measured(n=1)]).pairs
    (verdict,) = one.verdicts
    assert not verdict.tested and not verdict.agrees
    assert not any(mean.tested or mean.significant for mean in one.means)
    assert math.isnan(share_agreeing([one]))
