"""The browser's processor time as a share of PLT."""

import math
from dataclasses import replace

import pandas as pd
import plans
import pytest

from longlook.analysis.processor import bound_cells, elasticities, slower_than
from longlook.analysis.result import CellResult
from longlook.experiment.registry import named
from longlook.record.samples import Sample

QUIC_ALONE, NEITHER, BOTH = (True, False, True), (False, False, False), (True, True, True)


@pytest.mark.parametrize(
    ("cpu_s", "busy", "bound"),
    [
        ((0.21, 0.1), 0.2, QUIC_ALONE),
        ((0.19, 0.1), 0.3, NEITHER),
        ((0.19, 0.1), 0.31, BOTH),
        ((0.19, 0.1), None, NEITHER),
        ((0.19, None), 0.9, (True, None, True)),
    ],
)
def test_an_arm_is_bound_beyond_half_of_its_plt_or_three_tenths_of_the_only_processor(cpu_s, busy, bound):
    cell = plans.cell()
    loads = [
        Sample(arm.name, 1, 0, 0, True, False, None, False, None, {"plt_ms": 400.0, "client_cpu_s": used}, 0, busy)
        for arm, used in zip(cell.arms, cpu_s, strict=True)
        for _ in range(2)
    ]
    result = CellResult("c", named("plt", "a test"), (cell,), tuple(loads), processors=1)
    assert (*(result.processor_bound(arm) for arm in cell.arms), result.processor_bound(*cell.arms)) == bound
    of_several = replace(result, processors=2)
    assert of_several.processor_bound(*cell.arms) == (cpu_s[0] > 0.2)


def test_cells_without_processor_time_are_neither_bound_nor_free():
    rows = [("c", "one", False), ("c", "one", True), ("c", "two", None), ("c", "three", False)]
    arms = pd.DataFrame(rows, columns=["campaign", "cell_id", "processor_bound"])
    assert bound_cells(arms) == {("c", "one"): True, ("c", "three"): False}


def _campaigns(elasticity: float) -> pd.DataFrame:
    """One page of 1 s, of which 0.52 s are the browser's, on machines as quick, a tenth and two tenths slower."""
    rows = []
    for campaign, slower in (("a", 1.0), ("b", 1.1), ("c", 1.2)):
        for name, value in (("plt_ms", 1000 * slower**elasticity), ("client_cpu_s", 0.52 * slower)):
            rows.append((campaign, "cell", "quic", name, value, 36.0, None, None))
    columns = ["campaign", "cell_id", "arm", "metric", "mean", "rtt_ms", "loss_pct", "jitter_ms"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize("elasticity", [0.0, 0.5, 1.0])
def test_plt_moves_with_the_processor_time(elasticity):
    (found,) = elasticities(_campaigns(elasticity), ["rtt_ms"])
    assert (found.least, found.arms, found.campaigns) == (0.5, 3, 3)
    assert found.low <= found.value <= found.high and math.isclose(found.value, elasticity, abs_tol=1e-12)


def test_other_conditions_and_losses_are_no_other_campaign():
    arms = _campaigns(0.5)
    assert elasticities(arms.assign(loss_pct=1.0), ["rtt_ms"]) == []
    assert elasticities(arms.assign(rtt_ms=[36.0, 36.0, 50.0, 50.0, 112.0, 112.0]), ["rtt_ms"]) == []


def test_a_machine_is_slower_by_the_pages_that_others_measured():
    times, arms = slower_than(_campaigns(0.5), ["c"], ["rtt_ms"])
    assert arms == 1 and math.isclose(times, 1.2 / math.sqrt(1.1))
    assert slower_than(_campaigns(0.5), ["a", "b", "c"], ["rtt_ms"]) is None
