"""Sample data for tests of the book: campaigns and processed tables in the fixed formats, made from the published numbers.

Nothing here is a measurement. `python -m tests.book.sample ROOT` writes into ROOT/data (never into this repository).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

REPOSITORY = Path(__file__).resolve().parents[2]
FIGURES = ["4.6a", "4.6b", "4.6c", "4.6d", "4.6e", "4.6f"]
QUICK = {"4.6a": [(5, 1, 10), (1000, 1, 100)], "4.6d": [(10, 100, 50), (5, 200, 100)]}
KEYS = ["workload_size_kb", "workload_count", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms"]


def write_sample(root: Path, local: bool = True, figures: list[str] = FIGURES) -> None:
    """Writes data/published, data/raw/*/campaign.json and data/processed under `root`."""
    if root.resolve() == REPOSITORY:
        raise SystemExit("sample data must not be written into the repository")
    published = pd.read_csv(REPOSITORY / "data/published/muthuraj2024_appendix_b.csv")
    rng = np.random.default_rng(7)
    runs: list[dict] = []
    for figure in figures:
        campaign = f"reference-figure-{figure}-20250801T101500"
        _campaign(root, campaign, "reference", f"figure-{figure}", 20)
        for row in published[published["figure"] == figure].itertuples():
            runs += _loads(rng, row, campaign, 20)
    if local:
        campaign = "quick-20250903T070000"
        _campaign(root, campaign, "local", "quick", 6)
        for row in published[published["stack"] == "quicv1"].itertuples():
            if (row.object_size_kb, row.object_count, row.bandwidth_mbps) in QUICK.get(row.figure, []):
                runs += _loads(rng, row, campaign, 6)
    processed = root / "data" / "processed"
    processed.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(runs)
    frame.to_parquet(processed / "plt_runs.parquet")
    _cells(frame).to_csv(processed / "plt_cells.csv", index=False)
    _aa(rng, root, processed)


def _campaign(root: Path, name: str, role: str, sweep: str, loads: int) -> None:
    folder = root / "data" / "raw" / name
    folder.mkdir(parents=True, exist_ok=True)
    info = {
        "schema": "longlook.campaign/1", "campaign": name, "sweep": sweep, "role": role,
        "created": f"{name[-15:-11]}-{name[-11:-9]}-{name[-9:-7]}T{name[-6:-4]}:{name[-4:-2]}:00Z",
        "sealed": "2025-09-04T00:00:00Z", "stack": "quicv1", "stack_digest": "sha256:" + "0a1b2c3d" * 8,
        "machine": {"hostname_hash": "x", "cpu_model": "Sample CPU", "cpus": 2, "memory_bytes": 8 << 30, "kernel": "6.18"},
        "git_commit": None, "sweep_definition": {"name": sweep, "loads": loads}, "cells": [], "wall_s": 120.0, "plt_sum_s": 100.0,
    }  # fmt: skip
    (folder / "campaign.json").write_text(json.dumps(info), encoding="utf-8")


def _loads(rng, row, campaign: str, count: int, arms=("quic", "tcp")) -> list[dict]:
    """Loads of one cell around its published means; a cold one, and now and then a rejected or disturbed one."""
    common = {
        "campaign": campaign, "stack": "quicv1", "figure": row.figure, "workload_size_kb": row.object_size_kb,
        "workload_count": row.object_count, "bandwidth_mbps": float(row.bandwidth_mbps), "rtt_ms": float(row.rtt_ms),
        "loss_pct": row.loss_pct, "jitter_ms": float(row.jitter_ms), "cca": "cubic", "emulated_connections": 2,
    }  # fmt: skip
    cell = f"{row.figure}_quicv1_quic-tcp_cubic_{row.object_size_kb}kb-x{row.object_count}_{row.bandwidth_mbps}mbps_{row.rtt_ms}ms_{row.loss_pct:g}pct"
    found = []
    scale = rng.normal(1.0, 0.04)
    for arm in arms:
        mean, std = (row.quic_mean_ms, row.quic_std_ms) if arm == "quic" else (row.tcp_mean_ms, row.tcp_std_ms)
        for index in range(count + 1):
            value = max(mean * scale + rng.normal(0, std), row.rtt_ms * 2) + (row.rtt_ms if index == 0 and arm == "quic" else 0)
            found.append(_load(common, cell, arm, index, value, True, None))
            if rng.random() < 0.03:
                found.append(_load(common, cell, arm, index, value * 1.3, False, "disturbed"))
            if rng.random() < 0.01:
                found.append(_load(common, cell, arm, index, None, False, "load_failed"))
    return found


def _load(common, cell, arm, index, value, accepted, reason) -> dict:
    return {
        **common, "protocol": arm, "load_index": index, "zero_rtt": (arm == "quic" and index > 0), "accepted": accepted,
        "reject_reason": reason, "plt_ms": value, "attempt": 0, "cell_id": cell, "order": index,
        "disturbed": reason == "disturbed", "stack_digest": "sha256:" + "0a1b2c3d" * 8,
    }  # fmt: skip


def _cells(runs: pd.DataFrame, arm: str = "protocol", arms=("quic", "tcp"), extra=()) -> pd.DataFrame:
    """The cell table of these loads, by the definitions of the processed data."""
    rows = []
    keys = ["campaign", "stack", "figure", *KEYS, "cca", "emulated_connections", *extra, "cell_id"]
    good = runs[runs["accepted"] & (runs["load_index"] >= 1)]
    for values, frame in good.groupby(keys, sort=False):
        row = dict(zip(keys, values, strict=True))
        left, right = (frame.loc[frame[arm] == name, "plt_ms"] for name in arms)
        for name, part in zip(arms, (left, right), strict=True):
            row |= {f"{name}_mean_ms": part.mean(), f"{name}_std_ms": part.std(), f"{name}_n": len(part)}
        row["pct_diff"] = (right.mean() - left.mean()) / left.mean() * 100
        row["p_value"] = stats.ttest_ind(left, right, equal_var=False).pvalue
        faster = arms[0] if row["pct_diff"] > 0 else arms[1]
        row["verdict"] = faster if row["p_value"] < 0.01 else "none"
        rows.append(row)
    return pd.DataFrame(rows)


def _aa(rng, root: Path, processed: Path) -> None:
    """An A/A campaign: 40 cells, each with two equal arms."""
    campaign = "reference-aa-20250802T101500"
    _campaign(root, campaign, "reference", "aa", 20)
    published = pd.read_csv(REPOSITORY / "data/published/muthuraj2024_appendix_b.csv")
    row = published.iloc[0]
    runs = []
    for replicate in range(40):
        protocol = ("quic", "tcp")[replicate % 2]
        for arm in ("a", "b"):
            for index in range(21):
                runs.append({
                    "campaign": campaign, "stack": "quicv1", "figure": "aa", "workload_size_kb": 100, "workload_count": 1,
                    "bandwidth_mbps": 10.0, "rtt_ms": 36.0, "loss_pct": 0.0, "jitter_ms": 0.0, "protocol": protocol,
                    "arm": arm, "cca": "cubic", "emulated_connections": 2, "load_index": index, "accepted": True,
                    "reject_reason": None, "plt_ms": 188 + rng.normal(0, 3), "cell_id": f"aa_r{replicate}", "attempt": 0,
                    "disturbed": False, "order": index, "zero_rtt": True, "stack_digest": "x", "replicate": replicate,
                })  # fmt: skip
    frame = pd.DataFrame(runs)
    frame.to_parquet(processed / "aa_runs.parquet")
    _cells(frame, "arm", ("a", "b"), ("protocol",)).to_csv(processed / "aa_cells.csv", index=False)


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]))
