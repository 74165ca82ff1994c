"""The browser's processor time as a share of PLT."""

import math

import pandas as pd
import pytest

from longlook.analysis.processor import client_share, elasticities, slower_than


def test_a_cells_share_is_the_greatest_of_its_arms():
    rows = [
        ("c", "one", "quic", "plt_ms", 400.0),
        ("c", "one", "quic", "client_cpu_s", 0.3),
        ("c", "one", "tcp", "plt_ms", 500.0),
        ("c", "one", "tcp", "client_cpu_s", 0.1),
        ("c", "two", "quic", "plt_ms", 1000.0),
        ("c", "two", "quic", "client_cpu_s", 0.1),
        ("c", "two", "quic", "server_cpu_s", 9.0),
    ]
    arms = pd.DataFrame(rows, columns=["campaign", "cell_id", "arm", "metric", "mean"])
    assert client_share(arms).to_dict() == {("c", "one"): 0.75, ("c", "two"): 0.1}


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
