"""Synthetic campaigns for the tests: complete raw records with known numbers, no testbed needed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from longlook.record.campaigns import Campaign, RunsWriter, open_campaign
from longlook.scenario import Cell
from longlook.sweep import Sweep

STACK_DIGEST = "ab" * 32


def make_sweep(**changes: Any) -> Sweep:
    """Figure 4.6a, two objects on one link: two cells of three loads."""
    definition = {
        "name": "figure-4.6a",
        "title": "Figure 4.6a, two cells",
        "stack": "quicv1",
        "loads": 3,
        "seed": 7,
        "grid": [
            {"figure": "4.6a", "workloads": [{"size_kb": 5}, {"size_kb": 10}], "bandwidth_mbps": [10], "rtt_ms": [36]}
        ],
    }
    return Sweep.parse(definition | changes)


def make_run(
    campaign: str, cell: Cell, arm: str, load_index: int, order: int, plt_ms: float | None, **changes: Any
) -> dict:
    """One load as the experiment records it; `changes` override any key."""
    protocol = dict(zip(cell.arms, cell.protocols, strict=True))[arm]
    warm_quic = protocol == "quic" and load_index > 0
    return {
        "schema": "longlook.run/1",
        "campaign": campaign,
        "cell_id": cell.cell_id,
        "arm": arm,
        "protocol": protocol,
        "load_index": load_index,
        "attempt": 0,
        "order": order,
        "started_at": "2026-01-01T00:00:00Z",
        "plt_ms": plt_ms,
        "accepted": True,
        "reject_reason": None,
        "reject_detail": None,
        "resumed": warm_quic,
        "zero_rtt": warm_quic if protocol == "quic" else None,
        "stalls_ms": [],
        "cpu": {"client_s": 0.1, "server_s": 0.01, "link_s": 0.01, "machine_busy": 0.2},
        "har": {"entries": []},
    } | changes


def write_cell(
    campaign: Campaign,
    cell: Cell,
    runs: Iterable[dict],
    wall_s: float = 2.0,
    complete: bool = True,
    **environment_changes: Any,
) -> Path:
    """Record a whole cell from the given loads; `environment_changes` add to its environment record or override it."""
    partial = campaign.begin_cell(cell)
    cell_record = {
        "schema": "longlook.cell/1",
        "campaign": campaign.id,
        "cell_id": cell.cell_id,
        "cell": cell.model_dump(mode="json"),
        "schedule": [[arm, index] for index in range(cell.loads + 1) for arm in cell.arms],
        "complete": complete,
        "wall_s": wall_s,
    }
    environment = {
        "schema": "longlook.environment/1",
        "stack": cell.stack,
        "stack_digest": campaign.info["stack_digest"],
        "components": {"chromium": {"version": "111.0.5555.0", "sha256": "cd" * 32, "provider": "portable"}},
    } | environment_changes
    (partial / "cell.json").write_text(json.dumps(cell_record))
    (partial / "environment.json").write_text(json.dumps(environment))
    (partial / "executed.ipynb").write_text("{}")
    with RunsWriter(partial / "runs.jsonl.zst") as writer:
        for run in runs:
            writer.append(run)
    return campaign.finish_cell(partial)


def loads_of(campaign: str, cell: Cell, left: list[float], right: list[float], cold_ms: float = 900.0) -> list[dict]:
    """A cold load and then the given PLTs (ms) for each arm, interleaved."""
    runs: list[dict] = []
    for index, pair in enumerate(zip([cold_ms, *left], [cold_ms, *right], strict=True)):
        for arm, plt_ms in zip(cell.arms, pair, strict=True):
            runs.append(make_run(campaign, cell, arm, index, len(runs), plt_ms))
    return runs


def make_campaign(
    root: Path,
    sweep: Sweep | None = None,
    role: str = "local",
    *,
    seal: bool = True,
    digest: str = STACK_DIGEST,
    **plts: Any,
) -> Campaign:
    """A campaign whose cells all have the same loads: `left` and `right`, PLTs in ms; and the same `environment`, a dict."""
    sweep = sweep or make_sweep()
    left = plts.get("left", [106.0, 107.0, 108.0])
    right = plts.get("right", [180.0, 182.0, 184.0])
    campaign = open_campaign(root, sweep, role, digest)
    for cell in campaign.cells():
        write_cell(campaign, cell, loads_of(campaign.id, cell, left, right), **plts.get("environment", {}))
    if seal:
        campaign.seal()
    return campaign
