"""Who gets what of a shared bottleneck."""

import math

import pytest
from results import QUIC, TCP, make_cell, result_of
from scipy import stats

from longlook.analysis.fairness import between_protocols, jain, ratio_of_means, ratio_of_runs, share_contrast
from longlook.analysis.twofold import decided_by, means_and_verdicts
from longlook.analysis.welch import Summary, summarise
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


@pytest.mark.parametrize(
    ("pairs", "verdict"),
    [
        ([(3.0, 1.0), (3.1, 1.0), (2.9, 1.0)], "left"),
        ([(1.0, 3.0), (1.0, 3.1), (1.0, 2.9)], "right"),
        ([(2.5, 2.45), (2.45, 2.5)] * 3, "none"),
        ([(2.6, 2.4), (2.4, 2.6), (2.9, 2.1)], "open"),  # may be anything
        ([(2.6, 2.36)] * 4 + [(2.65, 2.31)], "open"),  # more, by a tenth or not
        ([(3.0, 1.0)], None),
        ([(3.0, 0.0), (3.0, 1.0)], None),
    ],
)
def test_a_verdict_of_shares_is_that_of_the_whole_interval(pairs, verdict):
    assert ratio_of_runs(pairs).verdict == verdict


def test_the_interval_is_students_of_the_logarithms():
    found = ratio_of_runs([(2.0, 1.0), (4.0, 1.0), (8.0, 1.0)])
    reach = stats.t.interval(0.99, 2, loc=math.log(4), scale=math.log(2) / math.sqrt(3))
    assert found.value == pytest.approx(4)
    assert (found.low, found.high) == pytest.approx([math.exp(end) for end in reach])
    assert not found.differs and ratio_of_runs([(3.0, 1.0), (3.1, 1.0), (2.9, 1.0)]).differs


def test_the_interval_of_several_campaigns_covers_that_of_each():
    first, again = [(2.0, 1.0), (2.2, 1.0), (1.8, 1.0)], [(3.1, 1.0), (2.9, 1.0)]
    found = ratio_of_runs(first, again)
    logs = [[math.log(left / right) for left, right in runs] for runs in (first, again)]
    means = [sum(own) / len(own) for own in logs]
    within = math.sqrt(sum((one - mean) ** 2 for own, mean in zip(logs, means, strict=True) for one in own) / 3)
    ends = [stats.t.interval(0.99, 3, loc=at, scale=within / n**0.5) for at, n in zip(means, (3, 2), strict=True)]
    assert found.value == pytest.approx(math.exp(sum(means) / 2)) and found.runs == 5
    assert (found.low, found.high) == pytest.approx([math.exp(end) for end in (ends[0][0], ends[1][1])])
    assert found.high > max(ratio_of_runs(first + again).high, 3)  # a sceptic would not take them for five runs alike


def test_campaigns_of_one_run_have_no_interval():
    assert ratio_of_runs([(3.0, 1.0)], [(2.0, 1.0)]).verdict is None


def test_means_of_two_flows_that_fill_a_link_give_what_their_runs_give():
    quic = [3.6, 3.7, 3.8, 3.75, 3.65]
    runs = ratio_of_runs([(rate, 5 - rate) for rate in quic])
    means = ratio_of_means(summarise(quic), summarise([5 - rate for rate in quic]))
    assert means.value == pytest.approx(runs.value, rel=0.01)
    assert (means.low, means.high) == pytest.approx((runs.low, runs.high), rel=0.02)
