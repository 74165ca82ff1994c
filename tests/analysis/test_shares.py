"""Who gets what of a shared bottleneck."""

import math

import pytest
from results import QUIC, TCP, make_cell, result_of

from longlook.analysis.fairness import between_protocols, jain, share_contrast
from longlook.analysis.twofold import decided_by, means_and_verdicts
from longlook.analysis.welch import Summary
from longlook.plan.cell import Cell
from longlook.published.muthuraj2024 import shares
from longlook.record.samples import Sample
from longlook.stack.arms import open_sweep


def test_jain():
    assert jain([2.5, 2.5]) == 1 and jain([5, 0]) == 0.5
    assert math.isnan(jain([0, 0]))


def share(mean, sd=0.05, n=5):
    return Summary(mean, sd, n)


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (share(3.7), share(1.2), "left"),
        (share(1.7), share(3.2), "right"),
        (share(2.5, 0.3), share(2.4, 0.3), "none"),
        (share(2.0), share(3.0), "right"),
        (share(2.43, 0.02), share(2.54, 0.02), "none"),  # significant, and less than a tenth
        (share(3.7, n=1), share(1.2, n=1), None),
    ],
)
def test_verdicts(left, right, verdict):
    assert share_contrast(left, right).verdict == verdict


@pytest.mark.parametrize(
    ("protocols", "places"),
    [("qt", (0, 1)), ("qq", (0, 1)), ("qqt", (0, 2)), ("tqt", (0, 1)), ("qtttt", (0, 1)), ("q", (0, 0))],
)
def test_the_first_flow_of_each_protocol_decides(protocols, places):
    assert between_protocols([{"q": "quic", "t": "tcp"}[one] for one in protocols]) == places


def test_a_flow_alone_decides_nothing():
    alone = make_cell(arms=[QUIC], mode="together", experiment="fairness")
    assert list(decided_by(alone)) == []


def test_published_verdicts_are_those_of_the_thesis():
    found = {}
    for one in shares():
        known = [(Summary(mean.mean, mean.sd, mean.n),) * 2 for mean in one.arms.values()]
        (verdict,) = means_and_verdicts(one.cell, known, "high").verdicts
        found[one.cell.label] = {"left": verdict.left, "right": verdict.right}.get(verdict.a.verdict, "fair")
    assert found == {
        "QUIC vs QUIC": "fair", "TCP vs TCP": "fair", "QUIC vs TCP": "quic1", "QUIC vs TCPx2": "quic1",
        "QUIC vs TCPx4": "quic1", "QUIC BBR vs TCP BBR": "tcp1", "QUIC CUBIC vs TCP BBR": "tcp1",
    }  # fmt: skip


def test_only_accepted_runs_count():
    result = result_of(
        make_cell(arms=[QUIC, TCP], mode="together", experiment="fairness"), (3.5, 0.5, 2), (1.0, 0.1, 2)
    )
    bad = Sample("quic1", 3, 0, 9, False, False, "disturbed", True, None, {"mean_mbps": 9.0})
    found = type(result)(result.campaign, result.experiment, result.cells, (*result.samples, bad)).summary("quic1")
    assert (found.mean, found.n) == (3.5, 2)


def test_cells_of_a_table():
    cells = open_sweep("table-4.1").cells()
    assert len(cells) == len({cell.id for cell in cells}) == len({cell.seed for cell in cells}) == 35
    busiest = next(cell for cell in cells if cell.label == "QUIC vs TCPx4")
    assert busiest.arm_names == ("quic1", "tcp1", "tcp2", "tcp3", "tcp4")
    assert Cell.parse(busiest.model_dump(mode="json")) == busiest
