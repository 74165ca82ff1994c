"""Real downloads with whole traces: each server's own account of its window, beside a capture of its packets."""

import json
import math

import pandas as pd
import pytest
from qlog_check import valid

from longlook.experiment import reading
from longlook.experiment.together import run_together
from longlook.plan.cell import Cell
from longlook.probe import qlog
from longlook.stack.arms import complete_arm

pytestmark = [pytest.mark.root, pytest.mark.netns]
BYTES = 1_000_000
LINK = {"bandwidth_mbps": 20, "rtt_ms": 40}
TELLING = [("envoy", "cubic"), ("ngtcp2", "cubic"), ("lsquic", "cubic"), ("aioquic", "cubic"), ("quicgo", "reno")]


def traced(tmp_path, testbed_name, server, cca):
    arm = {"protocol": "quic", "server": server, "client": "quicgo", "cca": cca, "handshake": "1rtt"}
    cell = Cell.parse(
        {
            "study": "t", "series": "t", "label": "t", "experiment": "traces", "mode": "together", "link": LINK,
            "arms": [complete_arm(arm, "matrix")], "workload": {"kind": "download", "size_bytes": BYTES}, "loads": 1,
        }
    )  # fmt: skip
    outcome = run_together(cell, tmp_path, "trial", testbed_name, whole=True)
    assert outcome.accepted or outcome.reject_reason.startswith("disturbed"), outcome
    text = reading.traces(tmp_path)
    assert valid(text) == []
    (trace,) = json.loads(text)["traces"]
    return trace, pd.read_parquet(tmp_path / reading.TIMELINE)


def covered(frames):
    """Until where frames cover a stream without a gap."""
    end = 0
    for offset, length in sorted((frame["offset"], frame["length"]) for frame in frames):
        if offset > end:
            break
        end = max(end, offset + length)
    return end


def values(trace, key, until_s=math.inf):
    own = [one for one in trace["events"] if one["name"] == qlog.METRICS and key in one["data"]]
    return [one["data"][key] for one in own if one["time"] <= until_s * 1e3 + 1e-3]


@pytest.mark.parametrize(("server", "cca"), TELLING)
def test_a_server_tells_its_window_and_a_capture_what_it_sent(tmp_path, testbed_name, server, cca):
    trace, table = traced(tmp_path, testbed_name, server, cca)
    assert trace["vantage_point"]["name"].startswith(f"{server} ")
    frames = [
        frame for one in trace["events"] if one["name"] == qlog.SENT for frame in one["data"]["frames"]
        if frame["frame_type"] == "stream" and frame["stream_id"] == 0
    ]  # fmt: skip
    assert BYTES - 200 < covered(frames) < BYTES + 2000
    windows, flights = values(trace, "congestion_window"), values(trace, "bytes_in_flight")
    assert 10_000 < windows[0] < 100_000 and max(windows) > 2 * windows[0]
    assert 10_000 < max(flights) < max(windows) * 1.5
    own = table[table["source"] == server]
    assert own["time_s"].is_monotonic_increasing
    # A trace goes on when the client has all, to the server's last acknowledgement, which may open the window further.
    known = values(trace, "congestion_window", until_s=own["time_s"].max())
    assert own["cwnd_bytes"].max() == pytest.approx(max(known))
    rtts = own["rtt_ms"].dropna()
    assert 35 < rtts.min() < 60


def test_envoy_says_nothing_of_bbrs_window(tmp_path, testbed_name):
    trace, _ = traced(tmp_path, testbed_name, "envoy", "bbr")
    assert values(trace, "congestion_window") == [] and max(values(trace, "bytes_in_flight")) > 10_000
    assert "told by nobody" in trace["description"]
