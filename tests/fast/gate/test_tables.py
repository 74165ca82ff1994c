"""The gate of the redesign: tables made from the sealed reference campaigns carry the numbers that they had before it.

`frozen/` holds the tables of before there were arms, to the last digit. Conditions that those tables kept for a whole
cell stand with each arm today: N under BBR, and TCP's, is none now, where the old column said 2.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest
from left_out import LEFT_OUT

from longlook import paths
from longlook.dataset.tables import read_table
from longlook.record.campaigns import find_campaign

pytestmark = pytest.mark.slow

FROZEN = Path(__file__).parent / "frozen"
SAME = ("bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms")


def frozen(name):
    with (FROZEN / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def number(text):
    return float(text) if text != "" else None


@pytest.fixture(scope="module")
def tables(processed):
    return {name: read_table(processed, name) for name in ("cells", "arms", "contrasts", "samples", "campaigns")}


def by_key(frame, *keys):
    return {tuple(row[key] for key in keys): row for row in frame.to_dict("records")}


def arms_of(name, row):
    """(arm today, beginning of its old columns), left and right."""
    if name == "plt_cells":
        return ("quic", "quic"), ("tcp", "tcp")
    if name == "handshake_cells":
        return ("0rtt", "zero_rtt"), ("1rtt", "one_rtt")
    return ("a", "a"), ("b", "b")


@pytest.mark.parametrize("name", ["plt_cells", "aa_cells", "handshake_cells"])
def test_page_load_times_are_the_same_to_the_last_digit(tables, name):
    arms = by_key(tables["arms"][tables["arms"]["metric"] == "plt_ms"], "campaign", "cell_id", "arm")
    contrasts = by_key(tables["contrasts"], "campaign", "cell_id", "left", "right")
    old = frozen(name)
    assert len(old) == {"plt_cells": 611, "aa_cells": 40, "handshake_cells": 21}[name]
    for row in old:
        cell = (row["campaign"], row["cell_id"])
        (left, left_old), (right, right_old) = arms_of(name, row)
        for arm, prefix in ((left, left_old), (right, right_old)):
            new = arms[(*cell, arm)]
            if arm == "tcp" and (fewer := LEFT_OUT.get(row["cell_id"])):
                assert new["n"] == int(row[f"{prefix}_n"]) - fewer
                continue
            assert (new["mean"], new["sd"], new["n"]) == (
                number(row[f"{prefix}_mean_ms"]), number(row[f"{prefix}_std_ms"]), int(row[f"{prefix}_n"]),
            )  # fmt: skip
            assert {key: new[key] for key in SAME} == {key: number(row[key]) for key in SAME}
            assert (new["series"], new["stack"], new["cca"]) == (row["figure"], row["stack"], row["cca"])
            assert new["workload"] == f"{row['workload_size_kb']}kb-x{row['workload_count']}"
            if new["emulated_connections"] == new["emulated_connections"]:
                assert new["emulated_connections"] == int(row["emulated_connections"])
            else:
                assert new["protocol"] == "tcp" or new["cca"] != "cubic"
        new = contrasts[(*cell, left, right)]
        if row["cell_id"] not in LEFT_OUT:
            assert (new["pct_diff"], new["p_value"]) == (number(row["pct_diff"]), number(row["p_value"]))
        verdict = {left: "left", right: "right", "none": "none"}[row["verdict"]]
        assert new["verdict"] == (verdict if row["p_value"] else None)
        assert new["control"] == (name == "aa_cells")


def test_flows_are_the_same_to_the_last_digit(tables):
    samples = tables["samples"]
    values = {(row["campaign"], row["cell_id"], row["arm"], row["metric"]): row for row in samples.to_dict("records")}
    cells = by_key(tables["cells"], "campaign", "cell_id")
    metrics = ("mean_mbps", "finished_s", "lost", "spurious", "response_ms_median", "response_ms_max", "cwnd_max_bytes",
               "queue_max_ms", "hold_max_ms")  # fmt: skip
    old = frozen("transfer_flows")
    assert len(old) == 238
    for row in old:
        cell = cells[(row["campaign"], row["cell_id"])]
        assert (cell["label"], cell["replicate"], cell["queue_bytes"]) == (
            row["scenario"], int(row["replicate"]), int(row["queue_bytes"]),
        )  # fmt: skip
        for metric in metrics:
            new = values.get((row["campaign"], row["cell_id"], row["flow"], metric))
            if row[metric] == "":
                assert new is None or new["value"] != new["value"], (row["cell_id"], metric)
                continue
            assert new["value"] == number(row[metric]), (row["cell_id"], row["flow"], metric)
            assert new["accepted"] == (row["accepted"] == "True")
            assert (new["reject_reason"] or "") == row["reject_reason"].partition(":")[0]


def test_every_sealed_cell_is_in_the_tables_and_nothing_else_is(tables):
    wanted = {row["campaign"] for row in frozen("plt_cells")} | {row["campaign"] for row in frozen("transfer_flows")}
    wanted |= {row["campaign"] for name in ("aa_cells", "handshake_cells") for row in frozen(name)}
    expected = {(name, cell) for name in wanted for cell in find_campaign(paths.RAW, name).info["cells"]}
    assert {(row["campaign"], row["cell_id"]) for row in tables["cells"].to_dict("records")} == expected
    assert len(wanted) == len(tables["campaigns"]) == 46


def test_no_condition_is_lost(tables):
    """Cells of one campaign and series that differ in their key differ in a column, too."""
    frame = tables["arms"][tables["arms"]["metric"].isin(["plt_ms", "mean_mbps"])]
    names = ["campaign", "cell_id", "label", "replicate", "key", "n", "mean", "sd", "median", "arm", "arm_label"]
    told = [name for name in frame.columns if name not in names]
    cells = defaultdict(list)
    arms = frame[told].astype(str).itertuples(index=False, name=None)
    for place, arm in zip(frame[["campaign", "cell_id", "key"]].itertuples(index=False, name=None), arms, strict=True):
        cells[place].append(arm)
    seen = {}
    for (campaign, cell, key), rows in cells.items():
        other = seen.setdefault((campaign, tuple(sorted(rows))), (cell, key))
        assert other[1] == key, f"{cell} and {other[0]} have different keys and the same columns"
