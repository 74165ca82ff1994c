"""Real transfers: what the probes say agrees with each other and with the link."""

import json

import pandas as pd
import pytest

from longlook.experiment import transfer
from longlook.experiment.transfer import run_transfer
from longlook.transfers import TransferCell

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser]
LINK = {"bandwidth_mbps": 5, "rtt_ms": 36, "queue_bytes": 30720}
LARGE = {"size_kb": 20000}


def cell(flows, **values):
    given = {
        "figure": "t",
        "stack": "quicv1",
        "scenario": "t",
        "flows": flows,
        "workload": LARGE,
        "link": LINK,
        "duration_s": 8,
    }
    return TransferCell.parse(given | values)


def run(wanted, tmp_path, testbed_name):
    outcome = run_transfer(wanted, tmp_path, "trial", testbed_name)
    assert outcome.accepted or outcome.reject_reason.startswith("disturbed"), outcome
    return outcome, pd.read_parquet(tmp_path / "timeline.parquet"), pd.read_parquet(tmp_path / "throughput.parquet")


def test_flows_share_the_link_and_each_is_seen_from_inside(tmp_path, testbed_name):
    outcome, timeline, bins = run(cell([{"protocol": "quic"}, {"protocol": "tcp"}]), tmp_path, testbed_name)
    rates = {name: flow["mean_mbps"] for name, flow in outcome.flows.items()}
    assert 4.2 < sum(rates.values()) < 5.05 and rates["quic1"] > rates["tcp1"] > 0.2
    assert set(timeline.groupby(["flow", "source"]).groups) == {
        ("quic1", "capture"),
        ("quic1", "envoy"),
        ("quic1", "rtt_parts"),
        ("tcp1", "tcp_probe"),
    }
    assert set(bins["flow"]) == {"quic1", "tcp1"} and bins["time_s"].max() == 7.75
    record = json.loads((tmp_path / "cell.json").read_text())
    assert record["schema"] == "longlook.transfer/1" and set(record["flows"]) == {"quic1", "tcp1"}


def test_bytes_in_flight_of_the_capture_are_the_window_that_the_server_tells(tmp_path, testbed_name, monkeypatch):
    monkeypatch.setattr(transfer, "thin", lambda table, columns, bins: table)
    _, timeline, _ = run(cell([{"protocol": "quic"}]), tmp_path, testbed_name)
    steady = timeline[timeline["time_s"] > 2].sort_values("time_s")
    told = steady[steady["source"] == "envoy"][["time_s", "cwnd_bytes"]].dropna()
    seen = steady[steady["source"] == "capture"][["time_s", "bytes_in_flight"]]
    # In recovery less than the window is in flight: the upper envelope over a fifth of a second is the window.
    both = pd.merge_asof(told, _envelope(seen), on="time_s")
    ratio = (both["bytes_in_flight"] / both["cwnd_bytes"]).median()
    assert 0.95 < ratio < 1.05


def _envelope(seen):
    stamped = seen.set_index(pd.to_timedelta(seen["time_s"], unit="s"))
    return seen.assign(bytes_in_flight=stamped["bytes_in_flight"].rolling("200ms").max().to_numpy())


def test_one_emulated_connection_gives_up_more_at_a_loss(tmp_path, testbed_name):
    """CUBIC keeps 0.85 of its window with N = 2 and 0.7 with N = 1."""
    shares = {}
    for n in (1, 2):
        folder = tmp_path / str(n)
        folder.mkdir()
        _, timeline, _ = run(
            cell([{"protocol": "quic", "emulated_connections": n}], duration_s=10), folder, testbed_name
        )
        window = timeline[(timeline["source"] == "envoy") & (timeline["time_s"] > 3)]["cwnd_bytes"]
        ratio = window / window.shift()
        shares[n] = ratio[ratio < 0.93].median()
    assert shares[1] == pytest.approx(0.7, abs=0.05) and shares[2] == pytest.approx(0.85, abs=0.05)


def test_a_page_is_loaded_whole_and_its_time_is_told(tmp_path, testbed_name):
    wanted = cell([{"protocol": "tcp"}], workload={"size_kb": 100, "count": 3}, duration_s=None)
    outcome, timeline, _ = run(wanted, tmp_path, testbed_name)
    assert 0.5 < outcome.flows["tcp1"]["finished_s"] < 3
    assert timeline["cwnd_bytes"].max() > 10 * 1448


def test_an_object_that_ends_too_soon_voids_the_run(tmp_path, testbed_name, monkeypatch):
    monkeypatch.setattr(transfer, "ATTEMPTS", 1)
    outcome = run_transfer(
        cell([{"protocol": "quic"}], workload={"size_kb": 100}, duration_s=3), tmp_path, "trial", testbed_name
    )
    assert not outcome.accepted and "too small" in outcome.reject_reason
    assert json.loads((tmp_path / "cell.json").read_text())["reject_reason"] == outcome.reject_reason


def test_a_rejected_attempt_is_repeated_and_the_record_lists_it(tmp_path, testbed_name, monkeypatch):
    judge, wrong = transfer._wrong, ["made up: by the test"]
    monkeypatch.setattr(transfer, "_wrong", lambda *given: wrong.pop() if wrong else judge(*given))
    _, timeline, _ = run(cell([{"protocol": "quic"}, {"protocol": "tcp"}], duration_s=3), tmp_path, testbed_name)
    record = json.loads((tmp_path / "cell.json").read_text())
    assert [reason for reason in record["rejected_attempts"] if not reason.startswith("disturbed")] == [
        "made up: by the test"
    ]
    assert {"envoy", "tcp_probe"} <= set(timeline["source"])


def test_gquicd_tells_window_and_phase(tmp_path, testbed_name):
    _, timeline, _ = run(cell([{"protocol": "quic"}], stack="gquic37"), tmp_path, testbed_name)
    own = timeline[timeline["source"] == "gquicd"]
    assert own["cwnd_bytes"].max() > 32 * 1350 and own["phase"].nunique() >= 2
