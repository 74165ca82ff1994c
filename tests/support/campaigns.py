"""Synthetic campaigns for the tests: complete raw records with known numbers, no testbed needed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from longlook.dataset.checks import Checked
from longlook.dataset.results import checked, with_folders
from longlook.errors import LonglookError
from longlook.experiment.reading import MAY_LACK, THROUGHPUT, TIMELINE, TRACES
from longlook.experiment.registry import experiment_of, named
from longlook.experiment.traces import write_traces
from longlook.plan.cell import Cell
from longlook.plan.sweep import Sweep
from longlook.probe.qlog import Trace
from longlook.record.campaign import CELL_SCHEMA
from longlook.record.campaigns import Campaign, open_campaign, verify
from longlook.record.samples import SAMPLES_NAME, SCHEMA, SamplesWriter

STACK_DIGEST = "ab" * 32
QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium", "emulated_connections": 2}
TCP = {"stack": "quicv1", "protocol": "tcp", "server": "apache", "client": "chromium"}
COLD = QUIC | {"handshake": "1rtt"}
BLOCK = {
    "series": "4.6a",
    "arms": [QUIC, TCP],
    "workloads": [{"size_kb": 5}, {"size_kb": 10}],
    "bandwidth_mbps": [10],
    "rtt_ms": [36],
}
SHARED = {
    "series": "table-4.1",
    "scenarios": [{"label": "QUIC vs TCP", "arms": [QUIC, TCP]}],
    "workloads": [{"size_kb": 50000}],
    "bandwidth_mbps": [5],
    "rtt_ms": [36],
    "queue_bytes": 30720,
    "duration_s": 60,
    "replicates": 3,
}


def believed(campaign: Campaign) -> Checked:
    """In place of the checks: these records say what a test wants to see in tables, and nothing that bears it out."""
    problems = verify(campaign.path) if campaign.is_sealed else []
    if campaign.info["sealed"] and not campaign.is_sealed:
        problems.append("its manifest is missing")
    try:
        experiment = named(campaign.experiment, campaign.id)
        return Checked(
            problems, {folder.name: checked(experiment, cell, folder) for cell, folder in with_folders(campaign)}
        )
    except LonglookError as error:
        return Checked([*problems, str(error)])


def make_sweep(*blocks: dict[str, Any], **changes: Any) -> Sweep:
    """Figure 4.6a, two objects on one link: two cells of three loads. `blocks` are what differs from BLOCK in each."""
    definition = {
        "name": "figure-4.6a",
        "study": "muthuraj2024",
        "title": "Figure 4.6a, two cells",
        "loads": 3,
        "seed": 7,
        "cells": [BLOCK | block for block in blocks or [{}]],
    }
    return Sweep.parse(definition | changes)


def control_sweep(*blocks: dict[str, Any], **changes: Any) -> Sweep:
    """Equal arms, one cell of 5 KB: TCP's unless a block says otherwise."""
    usual = {"series": "aa", "arms": [TCP, TCP], "control": True, "workloads": [{"size_kb": 5}]}
    return make_sweep(*(usual | block for block in blocks or [{}]), **{"name": "aa", "title": "A/A"} | changes)


def shared_sweep(*blocks: dict[str, Any], **changes: Any) -> Sweep:
    """Arms that share a link: one scenario of table 4.1, three times."""
    definition = {
        "name": "table-4.1",
        "study": "muthuraj2024",
        "title": "Table 4.1, one scenario",
        "experiment": "fairness",
        "mode": "together",
        "loads": 1,
        "seed": 7,
        "cells": [SHARED | block for block in blocks or [{}]],
    }
    return Sweep.parse(definition | changes)


def make_sample(
    campaign: str, cell: Cell, arm: str, index: int, order: int, value: float | None, **changes: Any
) -> dict[str, Any]:
    """One sample as the experiment records it, `value` in its first metric; `changes` override any key."""
    protocol = cell.arm(arm).protocol
    resumed = protocol == "quic" and index > 0 and not cell.arm(arm).is_cold
    return {
        "schema": SCHEMA,
        "campaign": campaign,
        "cell_id": cell.id,
        "arm": arm,
        "index": index,
        "attempt": 0,
        "order": order,
        "started_at": "2026-01-01T00:00:00.000+00:00",
        "accepted": True,
        "set_aside": cell.mode == "interleaved" and index == 0,
        "reject_reason": None,
        "reject_detail": None,
        "disturbed": False,
        "zero_rtt": resumed if protocol == "quic" else None,
        "stalls_ms": [],
        "metrics": {} if value is None else {experiment_of(cell).primary.name: value},
    } | changes


def write_cell(
    campaign: Campaign,
    cell: Cell,
    samples: Iterable[dict[str, Any]],
    wall_s: float = 2.0,
    complete: bool = True,
    **environment_changes: Any,
) -> Path:
    """Record a whole cell from the given samples; `environment_changes` add to its environment or override it."""
    partial = campaign.begin_cell(cell)
    record = {
        "schema": CELL_SCHEMA,
        "campaign": campaign.id,
        "cell_id": cell.id,
        "cell": cell.model_dump(mode="json"),
        "schedule": [[arm, index] for index in range(cell.loads + 1) for arm in cell.arm_names],
        "complete": complete,
        "wall_s": wall_s,
    }
    environment = {
        "schema": "longlook.environment/1",
        "stack": cell.stacks[0],
        "stack_digest": campaign.info["stack_digest"],
        "components": {"chromium": {"version": "111.0.5555.0", "sha256": "cd" * 32, "provider": "portable"}},
    } | environment_changes
    (partial / "cell.json").write_text(json.dumps(record))
    (partial / "environment.json").write_text(json.dumps(environment))
    (partial / "executed.ipynb").write_text("{}")
    with SamplesWriter(partial / SAMPLES_NAME) as writer:
        for sample in samples:
            writer.append(sample)
    experiment = experiment_of(cell)
    if experiment.timelines is not None:
        write_timelines(partial, cell)
    if TRACES in experiment.files:
        event = {"time": 0.0, "name": "recovery:metrics_updated", "data": {"bytes_in_flight": 1460}}
        write_traces(partial, cell, [Trace(name, "server 1.0", "", 0.0, [event]) for name in cell.arm_names])
    return campaign.finish_cell(partial, experiment.files)


def write_timelines(folder: Path, cell: Cell) -> None:
    """Two points in time of each arm, with nothing remarkable in them."""
    points = [{"flow": arm, "source": "capture", "time_s": float(at)} for arm in cell.arm_names for at in (0, 10)]
    empty = dict.fromkeys(MAY_LACK, float("nan"))
    numbers = {"cwnd_bytes": 14600.0, "ssthresh_bytes": float("nan"), "bytes_in_flight": 1460.0, "rtt_ms": 36.0}
    counts = {"lost": 0.0, "spurious": 0.0, "phase": None}
    pd.DataFrame([one | numbers | counts | empty for one in points]).to_parquet(folder / TIMELINE)
    bins = [{"flow": arm, "time_s": 0.0, "bytes": 1500} for arm in cell.arm_names]
    pd.DataFrame(bins).to_parquet(folder / THROUGHPUT)


def loads_of(campaign: str, cell: Cell, *values: Sequence[float], cold_ms: float = 900.0) -> list[dict[str, Any]]:
    """A cold load and then the given times (ms) for each arm, interleaved."""
    samples: list[dict[str, Any]] = []
    for index, row in enumerate(zip(*([cold_ms, *own] for own in values), strict=True)):
        for arm, value in zip(cell.arm_names, row, strict=True):
            samples.append(make_sample(campaign, cell, arm, index, len(samples), value))
    return samples


def rates_of(campaign: str, cell: Cell, rates: Sequence[float]) -> list[dict[str, Any]]:
    """One sample per arm; each repeat a hundredth of a Mbit/s faster than the one before it."""
    return [
        make_sample(campaign, cell, arm, 1, order, rate + cell.replicate / 100)
        for order, (arm, rate) in enumerate(zip(cell.arm_names, rates, strict=True))
    ]


def make_campaign(
    root: Path,
    sweep: Sweep | None = None,
    role: str = "local",
    *,
    left: Sequence[float] = (106.0, 107.0, 108.0),
    right: Sequence[float] = (180.0, 182.0, 184.0),
    seal: bool = True,
    digest: str = STACK_DIGEST,
    environment: dict[str, Any] | None = None,
) -> Campaign:
    """A campaign whose cells all have the same loads: `left` and `right`, in ms; of more arms the others as `right`."""
    campaign = open_campaign(root, sweep or make_sweep(), role, digest)
    for cell in campaign.cells():
        values = [left, *([right] * (len(cell.arms) - 1))]
        write_cell(campaign, cell, loads_of(campaign.id, cell, *values), **environment or {})
    if seal:
        campaign.seal()
    return campaign


def make_transfers(root: Path, rates: Sequence[float], sweep: Sweep | None = None, role: str = "local") -> Campaign:
    """A sealed campaign of arms that share a link, with these rates in Mbit/s."""
    campaign = open_campaign(root, sweep or shared_sweep(), role, STACK_DIGEST)
    for cell in campaign.cells():
        write_cell(campaign, cell, rates_of(campaign.id, cell, rates))
    campaign.seal()
    return campaign
