"""Chapters on transfers: tables and charts from small tables of their own."""

import pandas as pd
import pytest

from longlook.book.transfer_page import TransferChapter, open_transfers
from longlook.dataset.tables import columns
from longlook.paths import PUBLISHED

CAMPAIGN = "reference-table-4.1-20260101T000000"


def flow(scenario, name, protocol, rate, replicate):
    row = dict.fromkeys(columns("transfer_flows"))
    return row | {
        "campaign": CAMPAIGN, "stack": "quicv1", "figure": "table-4.1", "scenario": scenario, "workload_size_kb": 50000, "workload_count": 1,
        "replicate": replicate, "flow": name, "label": "QUIC CUBIC, N = 2" if protocol == "quic" else "TCP CUBIC", "protocol": protocol,
        "accepted": True, "mean_mbps": rate, "lost": 10.0, "cwnd_max_bytes": 50000.0 + replicate, "cell_id": f"{scenario}_50000kb-x1_r{replicate}",
    }  # fmt: skip


@pytest.fixture
def chapter():
    flows = [flow("QUIC vs TCP", name, protocol, rate + run / 100, run) for run in range(3) for name, protocol, rate in (("quic1", "quic", 3.7), ("tcp1", "tcp", 1.2))]
    flows = pd.DataFrame(flows)
    same = {"campaign": CAMPAIGN, "figure": "table-4.1", "scenario": "QUIC vs TCP", "cell_id": "QUIC vs TCP_50000kb-x1_r0"}
    bins = [same | {"flow": name, "time_s": n / 4, "bytes": 25000} for name in ("quic1", "tcp1") for n in range(40)]
    empty = dict.fromkeys(columns("transfer_timelines"))
    lines = [
        empty | same | {"replicate": 0, "flow": name, "source": source, "time_s": n / 10, "cwnd_bytes": 30000.0 + n, "rtt_ms": 40.0, "lost": float(n // 20)}
        for name, source in (("quic1", "envoy"), ("tcp1", "tcp_probe"))
        for n in range(100)
    ]
    lines += [empty | same | {"replicate": 0, "flow": "quic1", "source": "rtt_parts", "time_s": n / 10, "down_ms": 18.0 + n, "hold_ms": 1.0, "up_ms": 18.0} for n in range(50)]
    campaigns = pd.DataFrame([dict.fromkeys(columns("campaigns")) | {"campaign": CAMPAIGN, "stack": "quicv1", "stack_digest": "ab" * 32, "created": "2026-01-01T00:00:00Z"}])
    published = pd.read_csv(PUBLISHED / "muthuraj2024_fairness.csv", dtype={"table": str})
    return TransferChapter("fairness", ["table-4.1", "table-4.2"], flows, pd.DataFrame(lines), pd.DataFrame(bins), campaigns, published)


def test_shares_stand_beside_the_published_ones(chapter):
    text = chapter.shares("4.1").data
    assert "QUIC 3.74 (0.14)" in text and "QUIC 3.71 (0.01)" in text and text.count("QUIC has more") >= 2
    assert "QUIC vs TCPx4" in text  # published and not measured


def test_what_was_not_measured_is_said(chapter):
    assert "table-4.2" in chapter.status().data and "table-4.1," not in chapter.status().data


def test_provenance_names_the_campaign(chapter):
    assert CAMPAIGN in chapter.provenance().data and "3 runs of each" in chapter.provenance().data


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda one: one.throughput("table-4.1", "QUIC vs TCP", {"published": 3.74}), ["Mbit/s", "published", "TCP CUBIC"]),
        (lambda one: one.windows("table-4.1", "QUIC vs TCP"), ["congestion window, KB", "QUIC CUBIC, N = 2"]),
        (lambda one: one.windows("table-4.1", "QUIC vs TCP", zoom_s=(3, 5)), ["congestion window, KB"]),
        (lambda one: one.losses("table-4.1", "QUIC vs TCP"), ["declared lost"]),
        (lambda one: one.rtt_parts("table-4.1", "QUIC vs TCP"), ["queue on the way down"]),
        (lambda one: one.compared("table-4.1", ["QUIC vs TCP"], "rtt_ms", "smoothed RTT, ms"), ["smoothed RTT, ms"]),
    ],
)
def test_charts_hold_their_data_and_a_picture(chapter, draw, words):
    text = draw(chapter)._repr_html_()
    assert "data:image/svg+xml;base64," in text and "ll-data" in text and ".csv" in text
    assert all(word in text for word in words)


def test_the_run_with_the_smallest_window(chapter):
    assert chapter.run_with("smallest", "table-4.1", "QUIC vs TCP", (50000, 1)) == 0
    assert chapter.run_with("largest", "table-4.1", "QUIC vs TCP", (50000, 1)) == 2


def test_nothing_measured_draws_nothing(chapter):
    assert chapter.windows("table-4.2", "QUIC BBR vs TCP BBR") is None
    assert "Not measured yet" in chapter.measured_shares("table-4.1-gquic37").data


@pytest.mark.parametrize("name", ["fairness", "slow-start", "loss-and-n", "reordering", "beyond"])
def test_every_chapter_opens(name):
    assert open_transfers(name).figures
