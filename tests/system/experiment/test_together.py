"""Real transfers: what the probes say agrees with each other and with the link."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pytest
from held import stop

from longlook.experiment import timeline, together
from longlook.experiment.hung import HUNG_NAME
from longlook.experiment.together import run_together
from longlook.plan.cell import Cell
from longlook.record.samples import read_records, read_samples
from longlook.stack.arms import complete_arm
from longlook.testbed import netns

pytestmark = [
    pytest.mark.root,
    pytest.mark.netns,
    pytest.mark.browser,
    pytest.mark.granted("kernel_trace"),
]
LINK = {"bandwidth_mbps": 5, "rtt_ms": 36, "queue_bytes": 30720}
LARGE = {"size_kb": 20000}
PARQUETS = ("timeline.parquet", "throughput.parquet")


def cell(arms, stack="quicv1", **values):
    given = {
        "study": "t",
        "series": "t",
        "label": "t",
        "experiment": "cwnd",
        "mode": "together",
        "arms": [complete_arm(arm, stack) for arm in arms],
        "workload": LARGE,
        "link": LINK,
        "duration_s": 8,
        "loads": 1,
    }
    return Cell.parse(given | values)


def run(wanted, tmp_path, testbed_name):
    outcome = run_together(wanted, tmp_path, "trial", testbed_name)
    assert outcome.accepted or outcome.reject_reason.startswith("disturbed"), outcome
    return outcome, *(pd.read_parquet(tmp_path / name) for name in PARQUETS)


@pytest.mark.quiet
def test_flows_share_the_link_and_each_is_seen_from_inside(tmp_path, testbed_name):
    outcome, table, bins = run(cell([{"protocol": "quic"}, {"protocol": "tcp"}]), tmp_path, testbed_name)
    rates = {name: flow["mean_mbps"] for name, flow in outcome.flows.items()}
    assert 4.2 < sum(rates.values()) < 5.05 and rates["quic1"] > rates["tcp1"] > 0.2
    assert set(table.groupby(["flow", "source"]).groups) == {
        ("quic1", "acks"),
        ("quic1", "capture"),
        ("quic1", "envoy"),
        ("quic1", "flow_control"),
        ("quic1", "rtt_parts"),
        ("tcp1", "acks"),
        ("tcp1", "tcp_probe"),
    }
    assert set(bins["flow"]) == {"quic1", "tcp1"} and bins["time_s"].max() == 7.75
    record = json.loads((tmp_path / "cell.json").read_text())
    assert record["schema"] == "longlook.cell/2" and record["complete"] is outcome.accepted
    assert Cell.parse(record["cell"]).id == record["cell_id"] == outcome.cell_id
    environment = json.loads((tmp_path / "environment.json").read_text())
    assert environment["cca"] == {"quic1": "cubic", "tcp1": "cubic"} and "stacks" not in environment
    samples = [one for one in read_samples(tmp_path) if one.attempt == max(s.attempt for s in read_samples(tmp_path))]
    assert [(one.arm, one.index, one.set_aside) for one in samples] == [("quic1", 1, False), ("tcp1", 1, False)]
    for one in samples:
        assert one.metrics["mean_mbps"] == rates[one.arm] and one.metrics["lost"] > 0
        assert "finished_s" not in one.metrics  # neither came to its end within the time
    assert 0 < samples[0].metrics["response_ms_median"] <= samples[0].metrics["response_ms_max"] < 1000


@pytest.mark.quiet
def test_windows_are_the_bytes_in_flight_and_one_emulated_connection_gives_up_more(tmp_path, testbed_name, monkeypatch):
    """CUBIC keeps 0.85 of its window with N = 2 and 0.7 with N = 1. Both at once, each on a testbed of its own, since
    they mostly wait."""
    monkeypatch.setattr(timeline, "thin", lambda table, columns, bins: table)

    def look(n):
        folder, name = tmp_path / str(n), f"{testbed_name}{n}"
        folder.mkdir()
        try:
            _, table, _ = run(cell([{"protocol": "quic", "emulated_connections": n}], duration_s=10), folder, name)
        finally:
            netns.remove(name)
        return _kept(table), _in_flight(table)

    with ThreadPoolExecutor(2) as pool:
        (one, _), (two, in_flight) = pool.map(look, (1, 2))
    assert one == pytest.approx(0.7, abs=0.05) and two == pytest.approx(0.85, abs=0.05)
    assert 0.95 < in_flight < 1.05


def _kept(table):
    """Of the window at a loss."""
    window = table[(table["source"] == "envoy") & (table["time_s"] > 3)]["cwnd_bytes"]
    ratio = window / window.shift()
    return ratio[ratio < 0.93].median()


def _in_flight(table):
    """By the capture, as a share of the window that the server tells. In recovery less than the window is in flight:
    the upper envelope over a fifth of a second is the window."""
    steady = table[table["time_s"] > 2].sort_values("time_s")
    told = steady[steady["source"] == "envoy"][["time_s", "cwnd_bytes"]].dropna()
    seen = steady[steady["source"] == "capture"][["time_s", "bytes_in_flight"]]
    both = pd.merge_asof(told, _envelope(seen), on="time_s")
    return (both["bytes_in_flight"] / both["cwnd_bytes"]).median()


def _envelope(seen):
    stamped = seen.set_index(pd.to_timedelta(seen["time_s"], unit="s"))
    return seen.assign(bytes_in_flight=stamped["bytes_in_flight"].rolling("200ms").max().to_numpy())


@pytest.mark.quiet
def test_a_page_is_loaded_whole_and_its_time_is_told(tmp_path, testbed_name):
    wanted = cell([{"protocol": "tcp"}], workload={"size_kb": 100, "count": 3}, duration_s=None)
    outcome, table, _ = run(wanted, tmp_path, testbed_name)
    assert 0.5 < outcome.flows["tcp1"]["finished_s"] < 6
    assert read_samples(tmp_path)[-1].metrics["finished_s"] == outcome.flows["tcp1"]["finished_s"]
    assert table["cwnd_bytes"].max() > 10 * 1448


def test_an_object_that_ends_too_soon_voids_the_run(tmp_path, testbed_name, monkeypatch):
    monkeypatch.setattr(together, "ATTEMPTS", 1)
    outcome = run_together(
        cell([{"protocol": "quic"}], workload={"size_kb": 100}, duration_s=3), tmp_path, "trial", testbed_name
    )
    assert not outcome.accepted and "too small" in outcome.reject_reason
    assert json.loads((tmp_path / "cell.json").read_text())["complete"] is False
    (record,) = read_records(tmp_path)
    assert (record["accepted"], record["reject_reason"]) == (False, "load_failed")
    assert record["reject_detail"] == outcome.reject_reason


@pytest.mark.quiet
def test_a_rejected_attempt_is_repeated_and_the_record_lists_it(tmp_path, testbed_name, monkeypatch):
    judge, wrong = together.wrong, ["made_up: by the test: twice"]
    monkeypatch.setattr(together, "wrong", lambda *given: wrong.pop() if wrong else judge(*given))
    outcome, table, _ = run(cell([{"protocol": "quic"}, {"protocol": "tcp"}], duration_s=3), tmp_path, testbed_name)
    records = list(read_records(tmp_path))
    first = records[:2]
    assert {record["reject_reason"] for record in first} == {"made_up"}
    assert {record["reject_detail"] for record in first} == {"made_up: by the test: twice"}
    assert {record["reject_reason"] for record in records[2:]} <= {"disturbed", None} and len(records) >= 4
    assert [record["order"] for record in records] == list(range(len(records)))
    assert [record["attempt"] for record in records] == [order // 2 for order in range(len(records))]
    assert [record["accepted"] for record in records[-2:]] == [outcome.accepted] * 2
    assert all(record["metrics"]["mean_mbps"] > 0 for record in records)
    assert {"envoy", "tcp_probe"} <= set(table["source"])


@pytest.mark.quiet
def test_a_program_that_is_stopped_voids_the_run(tmp_path, testbed_name, monkeypatch):
    monkeypatch.setattr(together, "ATTEMPTS", 1)
    transfer = together._transfer

    def stopping(context, flows, watch, stops):
        assert (tmp_path / HUNG_NAME).exists()  # until it ends, a cell keeps where it stands
        pid = flows[0].server.pids[0]
        threading.Timer(1.0, stop, (pid, 0.2)).start()
        return transfer(context, flows, watch, stops)

    monkeypatch.setattr(together, "_transfer", stopping)
    outcome = run_together(cell([{"protocol": "quic"}], duration_s=3), tmp_path, "trial", testbed_name)
    (record,) = read_records(tmp_path)
    assert not outcome.accepted and record["disturbed"]
    assert outcome.reject_reason.startswith("disturbed: stopped: ")
    assert 0.1 < sum(record["stopped_s"].values()) < 2
    assert not (tmp_path / HUNG_NAME).exists()


def test_gquicd_tells_window_and_phase(tmp_path, testbed_name):
    _, table, _ = run(cell([{"protocol": "quic"}], stack="gquic37"), tmp_path, testbed_name)
    own = table[table["source"] == "gquicd"]
    assert own["cwnd_bytes"].max() > 32 * 1350 and own["phase"].nunique() >= 2
