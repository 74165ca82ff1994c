"""Sample data for tests of the book: campaigns and processed tables in the fixed formats, made from the published numbers.

Nothing here is a measurement. `python tests/book/book_sample.py ROOT` writes into ROOT/data (never into this repository).
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from longlook.analysis.difference import difference
from longlook.analysis.welch import summarise
from longlook.dataset.tables import write_tables

REPOSITORY = Path(__file__).resolve().parents[2]
FIGURES = ["4.6a", "4.6b", "4.6c", "4.6d", "4.6e", "4.6f"]
AA_CAMPAIGN = "reference-aa-20250802T101500"
DIGEST = "0a1b2c3d" * 8
QUICK = {"4.6a": [(5, 1, 10), (1000, 1, 100)], "4.6d": [(10, 100, 50), (5, 200, 100)]}
KEYS = ["workload_size_kb", "workload_count", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms"]


def make_root(root: Path) -> Path:
    """A copy of what the book is made of, without any data of this machine's own."""
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(REPOSITORY / name, root)
    shutil.copytree(REPOSITORY / "book", root / "book")
    shutil.copytree(REPOSITORY / "sweeps", root / "sweeps")
    shutil.copytree(REPOSITORY / "data" / "published", root / "data" / "published")
    return root


def write_sample(root: Path, local: bool = True, figures: list[str] = FIGURES) -> None:
    """Writes data/processed under `root`: the figures as reference campaigns, with `local` a reader's own, and A/A."""
    if root.resolve() == REPOSITORY:
        raise SystemExit("sample data must not be written into the repository")
    published = pd.read_csv(REPOSITORY / "data/published/muthuraj2024_appendix_b.csv")
    rng = np.random.default_rng(11)
    runs: list[dict] = []
    campaigns: list[dict] = []
    for figure in figures:
        campaign = f"reference-figure-{figure}-20250801T101500"
        rows = list(published[published["figure"] == figure].itertuples())
        campaigns.append(_campaign(campaign, "reference", f"figure-{figure}", len(rows)))
        for row in rows:
            runs += _loads(rng, row, campaign, 20)
    if local:
        campaigns.append(_campaign("quick-20250903T070000", "local", "quick", 4))
        for row in published[published["stack"] == "quicv1"].itertuples():
            if (row.object_size_kb, row.object_count, row.bandwidth_mbps) in QUICK.get(row.figure, []):
                runs += _loads(rng, row, "quick-20250903T070000", 6)
    campaigns.append(_campaign(AA_CAMPAIGN, "reference", "aa", 40))
    aa_runs = _aa_runs(np.random.default_rng(1))
    write_tables(root / "data" / "processed", {
        "plt_runs": runs, "plt_cells": _cells(runs, "protocol", ("quic", "tcp")),
        "aa_runs": aa_runs, "aa_cells": _cells(aa_runs, "arm", ("a", "b"), ("protocol",)), "campaigns": campaigns,
    })  # fmt: skip


def _campaign(name: str, role: str, sweep: str, cells: int) -> dict:
    stamp = name[-15:]
    return {
        "campaign": name, "sweep": sweep, "role": role, "sealed": "2025-09-04T00:00:00Z", "stack": "quicv1",
        "created": f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[9:11]}:{stamp[11:13]}:00Z",
        "stack_digest": DIGEST, "hostname_hash": "x", "cpu_model": "Sample CPU", "cpus": 2, "memory_bytes": 8 << 30,
        "kernel": "6.18", "git_commit": None, "cells": cells, "cells_measured": cells, "wall_s": 120.0, "plt_sum_s": 100.0,
    }  # fmt: skip


def _loads(rng, row, campaign: str, count: int, arms=("quic", "tcp")) -> list[dict]:
    """Loads of one cell around its published means; a cold one, and now and then a rejected or disturbed one."""
    common = {
        "campaign": campaign, "stack": "quicv1", "figure": row.figure, "workload_size_kb": row.object_size_kb,
        "workload_count": row.object_count, "bandwidth_mbps": float(row.bandwidth_mbps), "rtt_ms": float(row.rtt_ms),
        "loss_pct": row.loss_pct, "jitter_ms": float(row.jitter_ms), "cca": "cubic", "emulated_connections": 2, "tcp_initial_window": None,
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
        "disturbed": reason == "disturbed", "stack_digest": DIGEST,
    }  # fmt: skip


def _cells(runs: list[dict], arm: str, arms: tuple[str, str], extra: tuple[str, ...] = ()) -> list[dict]:
    """The cell table of these loads, by the definitions of the processed data."""
    keys = ["campaign", "stack", "figure", *KEYS, "cca", "emulated_connections", *extra, "cell_id"]
    frame = pd.DataFrame(runs)
    rows = []
    for values, loads in frame[frame["accepted"] & (frame["load_index"] >= 1)].groupby(keys, sort=False):
        row = dict(zip(keys, values, strict=True)) | {"tcp_initial_window": None}
        left, right = (summarise(loads.loc[loads[arm] == name, "plt_ms"].tolist()) for name in arms)
        found = difference(left, right, arms)
        for name, part in zip(arms, (left, right), strict=True):
            row |= {f"{name}_mean_ms": part.mean, f"{name}_std_ms": part.sd, f"{name}_n": part.n}
        rows.append(row | {"pct_diff": found.pct, "p_value": found.test.p_value, "verdict": found.verdict})
    return rows


def _aa_runs(rng) -> list[dict]:
    """An A/A campaign: 40 cells, each with two equal arms."""
    runs = []
    for replicate in range(40):
        for arm in ("a", "b"):
            for index in range(21):
                runs.append({
                    "campaign": AA_CAMPAIGN, "stack": "quicv1", "figure": "aa", "workload_size_kb": 100, "workload_count": 1,
                    "bandwidth_mbps": 10.0, "rtt_ms": 36.0, "loss_pct": 0.0, "jitter_ms": 0.0, "cca": "cubic",
                    "emulated_connections": 2, "tcp_initial_window": None, "protocol": ("quic", "tcp")[replicate % 2], "arm": arm, "load_index": index,
                    "accepted": True, "reject_reason": None, "plt_ms": (188, 303)[replicate % 2] + rng.normal(0, 3), "cell_id": f"aa_r{replicate}",
                    "attempt": 0, "disturbed": False, "order": index, "zero_rtt": True, "stack_digest": DIGEST,
                })  # fmt: skip
    return runs


if __name__ == "__main__":
    write_sample(Path(sys.argv[1]))
