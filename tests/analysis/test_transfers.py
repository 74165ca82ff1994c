"""Thinning, fairness, and the cells of transfers."""

import pandas as pd
import pytest
from pydantic import ValidationError

from longlook.analysis.fairness import Share, jain, measured_contests, published_contests, verdict_of
from longlook.paths import PUBLISHED, SWEEPS
from longlook.probe.thin import thin
from longlook.scenario import ScenarioError
from longlook.sweep import Sweep, load_sweep
from longlook.transfers import TransferCell


def test_thinning_keeps_extremes_and_order():
    table = pd.DataFrame({"time_s": [n / 1000 for n in range(10_000)], "value": [0.0] * 10_000})
    table.loc[4321, "value"], table.loc[8765, "value"] = 99.0, -99.0
    made = thin(table, ["value"], bins=50)
    assert len(made) <= 50 * 4 and {99.0, -99.0} <= set(made["value"])
    assert made["time_s"].is_monotonic_increasing and made["time_s"].iloc[-1] == 9.999


def test_a_short_timeline_stays_as_it_is():
    table = pd.DataFrame({"time_s": [0.0, 1.0], "value": [1.0, None]})
    assert thin(table, ["value"], bins=50).equals(table)


def test_jain():
    assert jain([2.5, 2.5]) == 1 and jain([5, 0]) == 0.5


def share(protocol, mean, std=0.05, runs=5):
    return Share(protocol, protocol, mean, std, runs)


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ([share("quic", 3.7), share("tcp", 1.2)], "quic"),
        ([share("quic", 1.7), share("tcp", 3.2)], "tcp"),
        ([share("quic", 2.5, 0.3), share("tcp", 2.4, 0.3)], "fair"),
        ([share("tcp", 2.0), share("tcp", 3.0)], "unfair"),
        ([share("quic", 2.43, 0.02), share("quic", 2.54, 0.02)], "fair"),
        ([share("quic", 3.7, runs=1), share("tcp", 1.2, runs=1)], "fair"),
    ],
)
def test_verdicts(shares, verdict):
    assert verdict_of(shares) == verdict


def test_published_verdicts_are_those_of_the_thesis():
    published = pd.read_csv(PUBLISHED / "muthuraj2024_fairness.csv", dtype={"table": str})
    assert {one.scenario: one.verdict for table in ("4.1", "4.2") for one in published_contests(published, table)} == {
        "QUIC vs QUIC": "fair", "TCP vs TCP": "fair", "QUIC vs TCP": "quic", "QUIC vs TCPx2": "quic", "QUIC vs TCPx4": "quic",
        "QUIC BBR vs TCP BBR": "tcp", "QUIC CUBIC vs TCP BBR": "tcp",
    }  # fmt: skip


def test_only_accepted_runs_count():
    rows = [
        ("QUIC vs TCP", "quic1", "quic", rate, accepted) for rate, accepted in ((3.0, True), (4.0, True), (9.0, False))
    ]
    (contest,) = measured_contests(
        pd.DataFrame(rows, columns=["scenario", "flow", "protocol", "mean_mbps", "accepted"])
    )
    assert contest.shares[0].mean_mbps == 3.5 and contest.shares[0].runs == 2


def test_cells_of_a_table():
    cells = load_sweep(SWEEPS / "table-4.1.toml").cells()
    assert len(cells) == len({cell.cell_id for cell in cells}) == len({cell.seed for cell in cells}) == 35
    busiest = next(cell for cell in cells if cell.scenario == "QUIC vs TCPx4")
    assert busiest.names == ("quic1", "tcp1", "tcp2", "tcp3", "tcp4")
    assert TransferCell.parse(busiest.model_dump(mode="json")) == busiest


@pytest.mark.parametrize(("experiment", "words"), [("plt", "has at least one"), ("fairness", "has at least one")])
def test_a_sweep_has_the_blocks_of_its_experiment(experiment, words):
    with pytest.raises(ScenarioError, match=words):
        Sweep.parse({"name": "x", "title": "x", "stack": "quicv1", "experiment": experiment})


def test_an_unknown_key_of_a_flow_is_an_error():
    with pytest.raises((ScenarioError, ValidationError), match="emulated"):
        TransferCell.parse(
            {
                "figure": "x",
                "stack": "quicv1",
                "scenario": "x",
                "flows": [{"protocol": "quic", "emulated": 1}],
                "workload": {"size_kb": 5},
                "link": {"bandwidth_mbps": 5, "rtt_ms": 36},
            }
        )
