"""data/processed: exact numbers, fixed columns, equal bytes, schemas that Frictionless accepts and that can fail."""

import json
import math
import multiprocessing
import os
import signal
import statistics
import time
from contextlib import suppress

import pandas as pd
import pytest
from campaigns import (
    COLD,
    QUIC,
    STACK_DIGEST,
    TCP,
    believed,
    control_sweep,
    loads_of,
    make_campaign,
    make_sample,
    make_sweep,
    make_transfers,
    rates_of,
    shared_sweep,
    write_cell,
)
from scipy.stats import ttest_ind

from longlook import paths
from longlook.dataset import process as processing
from longlook.dataset.process import process
from longlook.dataset.tables import TABLES, columns
from longlook.errors import LonglookError
from longlook.plan.trace import with_traces
from longlook.record.campaigns import open_campaign

SAMPLE_COLUMNS = [
    "campaign", "study", "series", "label", "cell_id", "replicate", "arm", "protocol", "index", "attempt", "draw",
    "order", "accepted", "set_aside", "disturbed", "reject_reason", "zero_rtt", "metric", "unit", "value",
]  # fmt: skip


ARM_COLUMNS = [
    "campaign", "study", "series", "label", "cell_id", "key", "experiment", "mode", "control", "replicate",
    "workload", "workload_kind", "object_bytes", "object_count", "total_bytes", "bandwidth_mbps", "rtt_ms",
    "loss_pct", "jitter_ms", "jitter_interval_ms", "queue_bytes", "queue_packets", "burst_bytes", "netem", "duration_s",
    "at_most_s", "arm", "arm_label", "stack", "protocol", "server", "client", "handshake", "cca",
    "emulated_connections", "quic_options", "initial_window", "remembered_ssthresh", "client_cpu_pct",
    "server_cpu_pct", "cpu_period_us", "request_cost_us", "send_cost_us", "initial_rtt_ms",
    "client_initial_rtt_ms", "reordering_threshold", "client_groups", "server_groups", "verify",
    "authorities", "discovery", "paced",
    "metric", "unit", "n", "mean", "sd", "median", "floor", "processor_bound",
]  # fmt: skip


def test_the_columns_come_in_the_order_of_their_schemas(data):
    make_campaign(data.raw)
    data.process()
    assert columns("samples") == list(pd.read_parquet(data.processed / "samples.parquet").columns) == SAMPLE_COLUMNS
    assert columns("arms") == list(pd.read_csv(data.processed / "arms.csv").columns) == ARM_COLUMNS


@pytest.mark.parametrize("table", ["arms", "cells", "contrasts", "campaigns", "agreement_means", "agreement_verdicts"])
def test_so_do_those_of_the_committed_tables(table):
    """A column that is new in a schema is in the data with the same commit: no book can be built without."""
    assert list(pd.read_csv(paths.PROCESSED / f"{table}.csv", nrows=1).columns) == columns(table)


def test_numbers_of_a_cell_by_hand(data):
    left, right = [100.0, 102.0, 107.0], [180.0, 190.0, 200.0]
    data.one_cell(lambda name, cell: loads_of(name, cell, left, right, cold_ms=5000.0))
    counts = data.process()
    assert counts == {
        "cells": 1, "samples": 8, "arms": 2, "contrasts": 1, "campaigns": 1, "agreement_means": 2,
        "agreement_verdicts": 1,
    }  # fmt: skip
    arms, contrast = data.arms(), data.contrast()
    assert arms["quic"]["mean"] == 103.0 and arms["tcp"]["mean"] == 190.0  # the cold loads are not averaged
    assert arms["quic"]["sd"] == pytest.approx(math.sqrt((9 + 1 + 16) / 2)) and arms["tcp"]["sd"] == 10.0
    assert arms["quic"]["median"] == 102.0
    assert (arms["quic"]["n"], arms["tcp"]["n"]) == (3, 3)
    assert (contrast["left"], contrast["right"], contrast["metric"]) == ("quic", "tcp", "plt_ms")
    assert contrast["pct_diff"] == pytest.approx(87 / 103 * 100)
    assert contrast["p_value"] == pytest.approx(ttest_ind(left, right, equal_var=False).pvalue)
    assert contrast["verdict"] == "left"


def test_rejected_loads_are_kept_and_never_averaged(data):
    def samples(name, cell):
        good = loads_of(name, cell, [100.0, 101.0, 102.0], [180.0, 181.0, 182.0])
        bad = [
            make_sample(name, cell, "quic", 2, 8, 9999.0, accepted=False, reject_reason="disturbed"),
            make_sample(name, cell, "tcp", 2, 9, None, accepted=False, reject_reason="load_failed", attempt=1),
            make_sample(name, cell, "tcp", 2, 10, 9999.0, accepted=False, reject_reason="status", disturbed=True),
        ]
        return good + bad

    data.one_cell(samples)
    data.process()
    arms = data.arms()
    assert [(arms[arm]["mean"], arms[arm]["n"]) for arm in ("quic", "tcp")] == [(101.0, 3), (181.0, 3)]
    loads = data.table("samples")
    assert len(loads) == 11 and (~loads["accepted"]).sum() == 3
    assert list(loads[~loads["accepted"]].sort_values("order")["disturbed"]) == [True, False, True]
    failed = loads.set_index("order").loc[9]
    assert failed["attempt"] == 1 and math.isnan(failed["value"]) and failed["reject_reason"] == "load_failed"


def test_an_arm_without_accepted_loads_gives_no_verdict(data):
    def samples(name, cell):
        found = loads_of(name, cell, [100.0, 101.0, 102.0], [180.0, 181.0, 182.0])
        return [one | {"accepted": False, "reject_reason": "cca"} if one["arm"] == "tcp" else one for one in found]

    data.one_cell(samples)
    data.process()
    tcp, contrast = data.arms()["tcp"], data.contrast()
    assert tcp["n"] == 0 and math.isnan(tcp["mean"])
    assert math.isnan(contrast["p_value"]) and math.isnan(contrast["pct_diff"]) and contrast["verdict"] is None


def test_controls_are_cells_like_all_others_and_say_what_they_are(data):
    make_campaign(data.raw, control_sweep(), left=[100.0, 101.0, 102.0], right=[100.0, 101.0, 102.0])
    assert data.process() == {"cells": 1, "samples": 8, "arms": 2, "contrasts": 1, "campaigns": 1}
    contrast, arms = data.contrast(), data.arms()
    assert (contrast["pct_diff"], contrast["p_value"], contrast["verdict"], contrast["control"]) == (0, 1, "none", True)
    assert [(arms[arm]["protocol"], arms[arm]["mean"]) for arm in ("a", "b")] == [("tcp", 101), ("tcp", 101)]
    assert set(data.table("samples")["arm"]) == {"a", "b"}


def test_repeats_of_arms_that_share_a_link_are_one_row_of_means(data):
    make_transfers(data.raw, (3.0, 2.0))
    counts = data.process()
    assert (counts["cells"], counts["samples"], counts["arms"]) == (3, 12, 4)  # the rate, and the largest window
    arms = {row["arm"]: row for row in data.table("arms").to_dict("records") if row["metric"] == "mean_mbps"}
    assert arms["quic1"]["mean"] == statistics.fmean([3.0, 3.01, 3.02]) and arms["quic1"]["n"] == 3
    assert data.table("samples").query("arm == 'tcp1' and metric == 'mean_mbps'")["replicate"].tolist() == [0, 1, 2]
    assert (counts["timelines"], counts["throughput"]) == (4, 2)  # of the first repeat: longer than five seconds
    row = data.table("agreement_verdicts").iloc[0]
    assert (row["table"], row["label"], row["left"], row["right"]) == ("4.1", "QUIC vs TCP", "quic1", "tcp1")
    assert (row["published"], row["measured"], row["agree"]) == ("left", "left", True)


def test_samples_of_repeats_are_told_apart_whatever_their_order(data):
    """A repeat whose first attempt was rejected; and one that does not count from 0."""
    campaign = open_campaign(data.raw, shared_sweep(), "local", STACK_DIGEST)
    bad = {"accepted": False, "reject_reason": "disturbed", "disturbed": True}
    for cell in campaign.cells():
        tried = [one | bad for one in rates_of(campaign.id, cell, (9.0, 9.0))] if cell.replicate == 1 else []
        samples = [*tried, *rates_of(campaign.id, cell, (3.0, 2.0))]
        for order, sample in enumerate(samples, start=10 * cell.replicate):
            sample["order"] = order
        write_cell(campaign, cell, samples)
    data.process()
    rows = data.table("samples").query("metric == 'mean_mbps' and arm == 'quic1'")
    assert rows[["replicate", "accepted", "value"]].values.tolist() == [
        [0, True, 3.0], [1, False, 9.01], [1, True, 3.01], [2, True, 3.02],
    ]  # fmt: skip
    assert rows["cell_id"].tolist() == [f"{campaign.cells()[0].id}{end}" for end in ("", "_r1", "_r1", "_r2")]
    assert data.table("arms").query("metric == 'mean_mbps'")["n"].tolist() == [3, 3]


def test_repeats_whose_arms_stand_in_another_order_are_not_pooled(data):
    cubic, bbr = QUIC, QUIC | {"cca": "bbr", "emulated_connections": None}
    blocks = [{"scenarios": [{"arms": arms}], "replicates": 1} for arms in ([cubic, bbr], [bbr, cubic])]
    make_transfers(data.raw, (3.0, 2.0), shared_sweep(*blocks))
    data.process()
    arms = data.table("arms").query("metric == 'mean_mbps'")
    assert sorted(zip(arms["cca"], arms["mean"], arms["n"], strict=True)) == [
        ("bbr", 2.0, 1), ("bbr", 3.0, 1), ("cubic", 2.0, 1), ("cubic", 3.0, 1),
    ]  # fmt: skip


CONDITIONS = {
    "handshake": [{}, {"arms": [COLD, TCP]}],
    "quic_options": [{}, {"arms": [QUIC | {"quic_options": ["IW10"]}, TCP]}],
    "client_cpu_pct": [{}, {"arms": [QUIC | {"client_cpu_pct": 50}, TCP | {"client_cpu_pct": 50}]}],
    "server_cpu_pct": [{}, {"arms": [QUIC | {"server_cpu_pct": 20}, TCP]}],
    "initial_window": [{}, {"arms": [QUIC, TCP | {"initial_window": 32}]}],
    "paced": [{}, {"arms": [QUIC, TCP | {"paced": True}]}],
    "jitter_interval_ms": [{"jitter_ms": [20]}, {"jitter_ms": [20], "jitter_interval_ms": 200}],
    "queue_bytes": [{}, {"queue_bytes": 30_000}],
    "upload_mbps": [{}, {"upload_mbps": 1}],
    "queues of two rates": [{"upload_mbps": 1}, {"upload_mbps": 1, "queue_bytes": 90_000}],
    "queue_packets": [{"queue_packets": 50}, {"queue_packets": 100}],
    "either": [{}, {"queue_packets": 50}],
    "burst_bytes": [{}, {"burst_bytes": 12_800_000}],
    "trace": [{}, with_traces({"trace": "markov.trace"})],
    "upload_trace": [with_traces({"trace": "markov.trace"}), with_traces({"upload_trace": "markov.trace"})],
    "queue_discipline": [{"queue_discipline": "codel"}, {"queue_discipline": "pie"}],
    "ecn": [{"queue_discipline": "codel"}, {"queue_discipline": "codel", "ecn": True}],
    "cross_flows": [{"cross_flows": 1}, {"cross_flows": 2}],
    "cross_protocol": [{"cross_flows": 1}, {"cross_flows": 1, "cross_protocol": "quic"}],
    "cross_cca": [{"cross_flows": 1}, {"cross_flows": 1, "cross_cca": "bbr"}],
    "netem": [{"netem": {"corrupt_pct": 1.0}}, {"netem": {"corrupt_pct": 1.0, "jitter_sd_ms": 5.0}}],
    "direction of a loss": [{"loss_pct": [2]}, {"loss_down_pct": [2]}],
    "other direction of a loss": [{"loss_up_pct": [2]}, {"loss_down_pct": [2]}],
    "replicate": [{"replicates": 2}],
}


@pytest.mark.parametrize("condition", CONDITIONS)
def test_cells_that_differ_have_rows_that_differ(data, condition):
    """All cells have the same loads: only conditions can tell their rows apart. Names, digests and floors are none."""
    make_campaign(data.raw, make_sweep(*({"workloads": [{"size_kb": 5}]} | block for block in CONDITIONS[condition])))
    data.process()
    rows = data.table("arms")
    told = rows.drop(columns=["cell_id", "key", "arm_label", "floor"])
    assert len(rows) == 4 and rows["cell_id"].nunique() == 2
    by_cell = {
        tuple(own.drop(columns="cell_id").astype(str).itertuples(index=False, name=None))
        for _, own in told.assign(cell_id=rows["cell_id"]).groupby("cell_id")
    }
    assert len(by_cell) == 2, f"{condition} is in no column of arms"


def test_what_one_direction_has_stands_before_netems_parameters(data):
    lossy = {"workloads": [{"size_kb": 5}], "loss_down_pct": [2], "upload_mbps": 0.768}
    make_campaign(data.raw, make_sweep(lossy, lossy | {"netem": {"corrupt_pct": 1.0}}))
    data.process()
    one_way = "upload_mbps=0.768 loss_direction=down"
    for name in ("cells", "arms"):
        rows = data.table(name)
        assert set(rows["loss_pct"]) == {2.0} and rows["queue_bytes"].isna().all()
        assert set(rows["netem"]) == {one_way, f"{one_way} corrupt_pct=1"}
    assert data.table("cells")["title"].str.contains("2 % loss down only").all()


@pytest.mark.parametrize("right", ["cold", "resumed", "tcp"])
@pytest.mark.parametrize("left", ["cold", "resumed", "tcp"])
def test_every_finished_cell_reaches_every_table(data, left, right):
    known = {"cold": COLD, "resumed": QUIC, "tcp": TCP}
    arms = [known[left], known[right]]
    sweep = make_sweep({"arms": arms, "control": left == right, "workloads": [{"size_kb": 5}]})
    campaign = make_campaign(data.raw, sweep)
    data.process()
    for name in ("cells", "samples", "arms", "contrasts"):
        assert set(data.table(name)["cell_id"]) == {cell.id for cell in campaign.cells()}, name


def test_tcp_against_tcp_is_no_comparison_of_handshakes(data):
    make_campaign(data.raw, control_sweep(), left=[100.0, 101.0, 102.0], right=[100.0, 101.0, 102.0])
    data.process()
    assert set(data.table("arms")["handshake"]) == {"1rtt"} and set(data.table("arms")["arm"]) == {"a", "b"}


def test_swapped_arms_swap_the_sign_and_say_so(data):
    """Arms in the order TCP, QUIC: the difference is that of TCP, the left arm."""
    make_campaign(
        data.raw,
        make_sweep({"arms": [TCP, QUIC], "workloads": [{"size_kb": 5}]}),
        left=[180.0, 182.0, 184.0],
        right=[106.0, 107.0, 108.0],
    )
    data.process()
    contrast, arms = data.contrast(), data.arms()
    assert (contrast["left"], contrast["right"], contrast["verdict"]) == ("tcp", "quic", "right")
    assert contrast["pct_diff"] == pytest.approx((107 - 182) / 182 * 100)
    assert (arms["quic"]["mean"], arms["tcp"]["mean"]) == (107, 182)
    (row,) = data.table("agreement_verdicts").to_dict("records")  # the published table has QUIC first, whatever is here
    assert (row["left"], row["right"], row["measured"], row["agree"]) == ("quic", "tcp", "left", True)
    assert row["measured_pct_diff"] == pytest.approx((182 - 107) / 107 * 100)


def test_a_phase_that_takes_no_time_is_no_percentage_and_no_error(data):
    sweep = make_sweep({"workloads": [{"kind": "download", "size_kb": 5}]}, experiment="download")

    def samples(name, cell):
        found = loads_of(name, cell, [100.0, 101.0, 102.0], [180.0, 181.0, 182.0])
        return [
            one | {"metrics": one["metrics"] | {"connect_ms": 0.0 if one["arm"] == "quic" else 40.0}} for one in found
        ]

    data.one_cell(samples, sweep)
    data.process()
    rows = data.table("contrasts").set_index("metric")
    assert math.isnan(rows.loc["connect_ms", "pct_diff"]) and rows.loc["connect_ms", "verdict"] == "left"
    assert rows.loc["ttlb_ms", "verdict"] == "left"
    floors = data.table("arms").query("metric == 'ttlb_ms'").set_index("arm")["floor"]
    assert floors["quic"] == pytest.approx(36 + 4.22, abs=0.01) and floors["tcp"] == pytest.approx(108 + 4.21, abs=0.01)


def test_interrupted_cells_and_cells_in_progress_are_never_read(data):
    campaign, _cell = data.one_cell(lambda name, cell: loads_of(name, cell, [100.0] * 3, [180.0] * 3))
    other = campaign.missing_cells()[0]
    partial = campaign.begin_cell(other)
    (partial / "samples.jsonl.zst").write_bytes(b"garbage")
    campaign.begin_cell(other)
    assert data.process()["cells"] == 1


def test_the_same_raw_records_give_the_same_bytes_in_one_process_or_in_several(data, tmp_path, monkeypatch):
    make_campaign(data.raw)
    make_campaign(data.raw, role="reference")
    make_transfers(data.raw, (3.0, 2.0))
    data.process()
    first = {path.name: path.read_bytes() for path in data.processed.iterdir()}
    monkeypatch.setattr(processing, "FEW", 0)
    data.process()
    process(data.raw, tmp_path / "again", check=believed)
    assert {path.name: path.read_bytes() for path in data.processed.iterdir()} == first
    assert {path.name: path.read_bytes() for path in (tmp_path / "again").iterdir()} == first


def killed(campaign):
    """A check that the system ends, as where memory runs out."""
    os.kill(os.getpid(), signal.SIGKILL)


def interrupted(campaign):
    """A check that takes long, of which the first one interrupts the command."""
    with suppress(FileExistsError):
        (campaign.path.parent / ".begun").touch(exist_ok=False)
        os.kill(os.getppid(), signal.SIGINT)
    time.sleep(600)


@pytest.mark.parametrize(
    ("check", "error", "words"),
    [(killed, LonglookError, "was killed: it needs"), (interrupted, KeyboardInterrupt, None)],
)
def test_a_process_that_is_ended_ends_the_command_and_leaves_the_tables(data, monkeypatch, check, error, words):
    make_campaign(data.raw)
    make_campaign(data.raw, role="reference")
    data.process()
    before = {path.name: path.read_bytes() for path in data.processed.iterdir()}
    monkeypatch.setattr(processing, "FEW", 0)
    as_before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background it is ignored
    began = time.monotonic()
    try:
        with pytest.raises(error, match=words):
            data.process(check)
    finally:
        signal.signal(signal.SIGINT, as_before)
    assert time.monotonic() - began < 300 and not multiprocessing.active_children()
    assert {path.name: path.read_bytes() for path in data.processed.iterdir()} == before


def test_numbers_survive_the_csv_exactly(data):
    plts = [100.1, 100.2, 100.4]
    data.one_cell(lambda name, cell: loads_of(name, cell, plts, [180.1, 180.3, 180.7]))
    data.process()
    quic = data.arms()["quic"]
    assert quic["mean"] == statistics.fmean(plts) and quic["sd"] == statistics.stdev(plts)


def test_a_campaign_with_a_damaged_record_is_left_out_and_the_others_tables_are_made(data):
    other = make_campaign(data.raw)
    data.process()
    before = {name: data.table(name) for name in TABLES if name != "campaigns"}
    campaign, cell = data.one_cell(lambda name, cell: loads_of(name, cell, [100.0] * 3, [180.0] * 3))
    samples = campaign.path / cell.id / "samples.jsonl.zst"
    samples.write_bytes(samples.read_bytes()[:-3])
    data.process()
    assert list(data.left_out) == [campaign.id] and cell.id in data.left_out[campaign.id]
    for name, table in before.items():
        pd.testing.assert_frame_equal(data.table(name), table)
    left_out = data.table("campaigns").set_index("campaign")["left_out"]
    assert left_out[other.id] is None and cell.id in left_out[campaign.id]


def test_a_cell_kept_under_another_name_is_refused(data):
    campaign, cell = data.one_cell(lambda name, cell: loads_of(name, cell, [100.0] * 3, [180.0] * 3))
    path = campaign.path / cell.id / "cell.json"
    record = json.loads(path.read_text())
    record["cell"]["id"] = "another"
    path.write_text(json.dumps(record))
    data.process()
    assert "it is kept as" in data.left_out[campaign.id]


def test_samples_of_an_unknown_arm_are_refused(data):
    campaign, cell = data.one_cell(lambda name, cell: loads_of(name, cell, [100.0] * 3, [180.0] * 3))
    path = campaign.path / cell.id / "cell.json"
    record = json.loads(path.read_text())
    record["cell"]["arms"][1]["name"] = "other"
    path.write_text(json.dumps(record))
    data.process()
    assert "samples of arm tcp; the cell's arms are quic, other" in data.left_out[campaign.id]
