"""Real downloads with loss: what is acknowledged, and whether STREAM frames are as long as tshark finds them."""

import contextlib

import pandas as pd
import pytest

from longlook.experiment import reading, together
from longlook.experiment.context import PORTS
from longlook.experiment.together import run_together
from longlook.plan.cell import Cell
from longlook.probe import quic_packets
from longlook.probe.capture import fields
from longlook.probe.quic_packets import SLIVER
from longlook.probe.stream_frames import StreamFrames
from longlook.stack.arms import complete_arm

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.quiet]
BYTES = 1_000_000
LINK = {"bandwidth_mbps": 20, "rtt_ms": 40, "loss_pct": 1, "loss_direction": "down"}
FRAMING = 20_000
"""Most that HTTP and TLS add."""
TCP = {"protocol": "tcp", "client": "curl"}


def quic(server):
    return {"protocol": "quic", "server": server, "client": "quicgo", "handshake": "1rtt"}


@pytest.fixture
def downloaded(tmp_path, testbed_name, monkeypatch):
    """By an arm: its rows of the timeline, and the folder with what was captured."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    @contextlib.contextmanager
    def kept(prefix):
        yield scratch

    def download(arm):
        monkeypatch.setattr(together, "scratch_folder", kept)
        monkeypatch.setattr(together, "ATTEMPTS", 1)
        cell = Cell.parse(
            {
                "study": "t", "series": "t", "label": "t", "experiment": "cwnd", "mode": "together", "link": LINK,
                "arms": [complete_arm(arm, "yu2021")], "workload": {"kind": "download", "size_bytes": BYTES},
                "loads": 1,
            }
        )  # fmt: skip
        outcome = run_together(cell, tmp_path, "trial", testbed_name)
        assert outcome.accepted or outcome.reject_reason.startswith("disturbed"), outcome
        return pd.read_parquet(tmp_path / reading.TIMELINE), scratch

    return download


@pytest.mark.parametrize(
    "arm",
    [
        quic("envoy"),
        quic("ngtcp2"),
        quic("lsquic"),
        pytest.param(TCP, marks=pytest.mark.granted("kernel_trace")),
    ],
    ids=["envoy", "ngtcp2", "lsquic", "apache"],
)
def test_the_whole_file_is_acknowledged_and_never_less_than_before(downloaded, arm):
    table, _ = downloaded(arm)
    own = table[table["source"] == "acks"]
    assert own["time_s"].is_monotonic_increasing and own["acked_bytes"].is_monotonic_increasing
    assert BYTES - 2 * 1500 < own["acked_bytes"].iloc[-1] < BYTES + FRAMING
    assert own["acked_bytes"].iloc[0] < BYTES / 5 and own["time_s"].iloc[0] > 2 * LINK["rtt_ms"] / 1e3
    allowed = table["allowed_bytes"].dropna()
    assert len(allowed) > 50 and allowed.max() > 30_000


def test_frames_that_state_no_length_are_as_long_as_they_are(downloaded):
    _, scratch = downloaded(quic("envoy"))
    (keys,) = scratch.glob("*.keys")
    port = PORTS[0]
    options = ("-o", f"tls.keylog_file:{keys}", "--disable-protocol", "http3")
    options += ("-Y", f"quic.short && udp.port == {port}")
    rows = list(fields(scratch / "server.pcap", (*quic_packets.NAMES, "quic.stream_data"), options))
    seen = [(packet, data) for *row, data in rows if (packet := quic_packets.parse_row(row, port))]
    frames = StreamFrames([packet for packet, _ in seen])
    silent = [(packet, data) for packet, data in seen if len(packet.lengths) < len(packet.streams)]
    right = [[len(part) // 2 for part in data.split(",")] for _, data in silent]
    own = [[length for _, _, length in frames.of(packet)] for packet, _ in silent]
    wrong = [(one, other) for one, other in zip(own, right, strict=True) if one != other]
    assert len(silent) > 500 and len(wrong) < len(silent) / 10
    assert max(abs(one[-1] - other[-1]) for one, other in zip(own, right, strict=True)) <= SLIVER
