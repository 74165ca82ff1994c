"""Published cells beside re-measured ones: which are the same, ratios, verdicts, errors."""

import math

import pandas as pd
import pytest
from results import COLD, QUIC, TCP, make_cell, result_of

from longlook.analysis.agreement import agreement, agreements, within_prediction
from longlook.analysis.compared import compared_cells, count_agreeing, largest, median_error, overall
from longlook.analysis.twofold import share_agreeing
from longlook.dataset.agreement import means_and_verdicts_rows
from longlook.published.cells import PublishedCell, PublishedMean

FAST, SLOW = (100.0, 2.0, 20), (150.0, 2.0, 20)


def published(size=5, quic=FAST, tcp=SLOW, table="B.1", **changes):
    cell = make_cell(size, **changes)
    means = {name: PublishedMean(*known) for name, known in zip(cell.arm_names, (quic, tcp), strict=True)}
    return PublishedCell(table, cell, "plt_ms", means)


def measured(size=5, quic=FAST, tcp=SLOW, **changes):
    return result_of(make_cell(size, **changes), quic, tcp)


def compared(known, results):
    """As the tables tell it."""
    found = agreements(known, results)
    means, verdicts = means_and_verdicts_rows(found)
    cells = pd.DataFrame(
        [
            {"campaign": one.campaign, "cell_id": one.cell.id, "title": "a cell", "mode": one.cell.mode}
            for one in results
        ]
    )
    return compared_cells(pd.DataFrame(means), pd.DataFrame(verdicts), cells) if found else ()


def test_ratios_are_measured_over_published_and_equal_verdicts_agree():
    (cell,) = agreements([published()], [measured(quic=(110.0, 2.0, 6), tcp=(120.0, 2.0, 6))])
    assert [mean.ratio.value for mean in cell.means] == [pytest.approx(1.1), pytest.approx(0.8)]
    (verdict,) = cell.verdicts
    assert (verdict.a.verdict, verdict.b.verdict, verdict.agrees) == ("left", "left", True)
    assert (verdict.a.pct, verdict.b.pct) == (50, pytest.approx(9.0909, abs=1e-4))
    assert cell.result.campaign == "mine-20260101T000000" and cell.published.table == "B.1"


def test_an_arm_that_only_the_measured_cell_has_is_held_against_nothing():
    arms = [QUIC, TCP, TCP | {"handshake": "warm"}]
    cell = make_cell(arms=arms)
    quic, tcp, _ = cell.arm_names
    known = PublishedCell("B.1", cell, "plt_ms", {quic: PublishedMean(*FAST), tcp: PublishedMean(*SLOW)})
    (found,) = agreements([known], [result_of(cell, FAST, SLOW, (120.0, 2.0, 20))])
    assert [mean.arm for mean in found.means] == [quic, tcp] and len(found.verdicts) == 1


def test_verdicts_come_from_mean_deviation_and_n_of_each_side():
    (cell,) = agreements([published()], [measured(quic=(100.0, 80.0, 20), tcp=(150.0, 80.0, 20))])
    (verdict,) = cell.verdicts
    assert (verdict.a.verdict, verdict.b.verdict, verdict.agrees) == ("left", "none", False)


OTHERS = [
    {"bandwidth_mbps": 50.0},
    {"rtt_ms": 112.0},
    {"loss_pct": 1.0},
    {"jitter_ms": 30.0},
    {"queue_bytes": 30_000},
    {"queue_packets": 50},
    {"series": "4.6b"},
    {"study": "other"},
    {"arms": [COLD, TCP]},
    {"arms": [QUIC | {"cca": "bbr", "emulated_connections": None}, TCP]},
    {"arms": [QUIC | {"emulated_connections": 1}, TCP]},
    {"arms": [QUIC | {"stack": "gquic37"}, TCP | {"stack": "gquic37"}]},
    {"arms": [QUIC | {"server": "gquicd"}, TCP]},
    {"arms": [QUIC, TCP | {"initial_window": 32}]},
    {"arms": [QUIC | {"client_cpu_pct": 50}, TCP]},
]


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_cells_are_the_same_by_everything_that_defines_them(other):
    assert agreements([published()], [measured(**other)]) == ()
    assert len(agreements([published(**other)], [measured(**other)])) == 1


def test_of_several_cells_each_finds_its_own_in_the_order_of_the_published():
    found = agreements([published(5), published(10)], [measured(100), measured(10), measured(5)])
    assert [cell.result.cell.workload.object_bytes for cell in found] == [5120, 10240]


def test_arms_are_the_same_by_their_conditions_whatever_their_order_and_names():
    arms = [TCP | {"name": "apache"}, QUIC | {"name": "envoy"}]
    result = result_of(make_cell(arms=arms), (130.0, 2.0, 20), (100.0, 2.0, 20))
    (cell,) = agreements([published()], [result])
    assert [(mean.arm, mean.a.mean, mean.b.mean) for mean in cell.means] == [("envoy", 100, 100), ("apache", 150, 130)]
    assert [cell.protocol(mean) for mean in cell.means] == ["quic", "tcp"]
    (verdict,) = cell.verdicts
    assert (verdict.left, verdict.right, verdict.b.verdict, verdict.agrees) == ("envoy", "apache", "left", True)
    assert verdict.b.pct == pytest.approx(30)


def test_cells_of_any_arms_agree_or_do_not():
    """Resumed loads against cold ones, and three arms: every two are a verdict."""
    pair = {"arms": [QUIC, COLD]}
    (cell,) = agreements([published(**pair)], [measured(**pair)])
    assert [mean.arm for mean in cell.means] == ["0rtt", "1rtt"] and cell.verdicts[0].agrees
    three = make_cell(arms=[QUIC, COLD, TCP])
    means = [FAST, (120.0, 2.0, 20), SLOW]
    known = PublishedCell(
        "x", three, "plt_ms", dict(zip(three.arm_names, map(PublishedMean, *zip(*means, strict=True)), strict=True))
    )
    found = agreement(known, result_of(three, FAST, SLOW, (120.0, 2.0, 20)))
    assert [one.agrees for one in found.verdicts] == [True, True, False] and len(found.means) == 3
    assert share_agreeing([found]) == pytest.approx(2 / 3)


def test_a_mean_within_what_the_published_kind_would_give():
    """t(19) = 2.861 for 99 %: 2 * 2.861 * sqrt(1/20 + 1/5) = 2.86 ms."""
    near, far = (agreement(published(), measured(quic=(mean, 1.0, 5))).means[0] for mean in (102.8, 102.9))
    assert within_prediction(near) is True and within_prediction(far) is False
    assert within_prediction(agreement(published(quic=(100.0, math.nan, 20)), measured()).means[0]) is None


def test_shares_and_median_errors_by_hand():
    known = [published(size) for size in (5, 10, 100)]
    cells = compared(
        known,
        [
            measured(5, quic=(101.0, 2.0, 20)),
            measured(10, quic=(110.0, 2.0, 20), tcp=(300.0, 2.0, 20)),
            measured(100, quic=(50.0, 2.0, 20), tcp=(40.0, 2.0, 20)),
        ],
    )
    assert count_agreeing(cells) == (2, 3)
    assert median_error(cells, "quic") == pytest.approx(0.10)
    assert median_error(cells, "tcp") == pytest.approx(11 / 15)
    assert median_error(cells) == pytest.approx((0.1 + 0.5) / 2)  # of 0, 0.01, 0.1, 0.5, 0.733, 1
    found = overall(cells, "plt_ms")
    assert (found.cells, found.agreeing_share) == (3, pytest.approx(2 / 3))
    assert found.median_errors == {"quic": pytest.approx(0.10), "tcp": pytest.approx(11 / 15)}
    none = overall(cells, "mean_mbps")
    assert none.cells == 0 and math.isnan(none.agreeing_share) and math.isnan(none.median_error)


def test_the_largest_disagreements_treat_half_and_double_alike():
    cells = compared(
        [published(5), published(10)], [measured(5, quic=(160.0, 2.0, 20)), measured(10, tcp=(75.0, 2.0, 20))]
    )
    assert [(mean.arm, mean.ratio) for _, mean in largest(cells, 2)] == [("tcp", 0.5), ("quic", pytest.approx(1.6))]


def test_a_missing_mean_is_left_out_of_errors_and_is_no_agreement():
    none, white = (math.nan, math.nan, 0), {"quic": (100.0, 80.0, 20), "tcp": (110.0, 80.0, 20)}
    (cell,) = compared([published()], [measured(tcp=none)])
    assert math.isnan(median_error([cell], "tcp")) and median_error([cell]) == 0
    assert cell.verdicts[0].measured is None and not cell.tested and not cell.agrees
    assert [mean.arm for _, mean in largest([cell])] == ["quic"]
    (untested,) = compared([published(**white)], [measured(tcp=none)])
    (tested,) = compared([published(**white)], [measured(**white)])
    assert count_agreeing([untested]) == (0, 0)  # white for want of loads is no agreement
    assert tested.agrees and count_agreeing([untested, tested]) == (1, 1)


def test_shares_of_a_link_are_decided_by_the_first_flow_of_each_protocol():
    arms = {"arms": [QUIC, TCP, TCP], "mode": "together", "experiment": "fairness", "label": "QUIC vs TCPx2"}
    cell = make_cell(**arms)
    means = dict(
        zip(
            cell.arm_names,
            [PublishedMean(2.6, 0.02, 5), PublishedMean(1.2, 0.03, 5), PublishedMean(1.2, 0.01, 5)],
            strict=True,
        )
    )
    known = PublishedCell("4.1", cell, "mean_mbps", means)
    (found,) = agreements([known], [result_of(cell, (2.8, 0.05, 5), (1.1, 0.04, 5), (1.0, 0.02, 5))])
    (verdict,) = found.verdicts
    assert (verdict.left, verdict.right, verdict.a.verdict, verdict.b.verdict) == ("quic1", "tcp1", "left", "left")
    fair = agreement(known, result_of(cell, (1.7, 0.01, 5), (1.65, 0.01, 5), (1.6, 0.01, 5))).verdicts[0]
    assert fair.b.verdict == "none" and fair.b.test.significant and not fair.agrees  # less than a tenth is fair
