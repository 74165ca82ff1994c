"""Rows of the tables with known numbers."""

import pandas as pd

from longlook.dataset.tables import columns
from longlook.figure.squares import Source
from longlook.figure.versus import CONTRAST, OF_ARM, OF_CELL, SIDES
from longlook.plan.workload import bytes_of_kb

REFERENCE = Source("reference", "Re-measured (reference)", ("reference-figure-4.6a-20250801T101500",))
EMPTY = dict.fromkeys((*OF_CELL, *(f"{side}_{name}" for side in SIDES for name in OF_ARM), *CONTRAST))


def cell(size=5, count=1, bandwidth=10.0, pct=72.0, p=1e-9, verdict="left", campaign="published", cell_id="", loss=0.0):
    """A row of `side_by_side`."""
    each = bytes_of_kb(size)
    return EMPTY | {
        "campaign": campaign, "study": "muthuraj2024", "series": "4.6a", "key": f"{size}-{count}-{bandwidth}-{loss}",
        "workload": f"{size}kb-x{count}", "workload_kind": "page", "object_bytes": each, "object_count": count,
        "total_bytes": each * count,
        "bandwidth_mbps": bandwidth, "rtt_ms": 36.0, "loss_pct": loss, "jitter_ms": 0.0, "replicate": 0,
        "left_mean": 100.0, "left_sd": 2.0, "left_n": 20, "right_mean": 100.0 + pct, "right_sd": 3.0, "right_n": 20,
        "pct_diff": pct, "p_value": p, "verdict": verdict, "cell_id": cell_id,
    }  # fmt: skip


def arm_rows(arms, metric="plt_ms"):
    """Rows of `arms` of one cell: name -> (mean, sd, n)."""
    same = dict.fromkeys(columns("arms")) | {
        "campaign": "published", "study": "muthuraj2024", "series": "4.7c", "cell_id": "one", "workload": "5kb-x1",
        "object_bytes": 5120, "object_count": 1, "total_bytes": 5120, "bandwidth_mbps": 10.0, "rtt_ms": 36.0,
        "loss_pct": 0.0,
        "jitter_ms": 0.0, "metric": metric,
    }  # fmt: skip
    return pd.DataFrame([same | {"arm": name, "mean": mean, "sd": sd, "n": n} for name, (mean, sd, n) in arms.items()])
