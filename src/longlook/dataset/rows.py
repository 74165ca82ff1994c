"""Rows of the tables, from cells and their results. Every condition of a cell and of an arm has its column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from longlook.analysis.result import CellResult
from longlook.client.observation import SeenObject
from longlook.dataset.tables import columns
from longlook.dataset.typical import TypicalLoad
from longlook.experiment.base import Experiment
from longlook.experiment.environment import FIRST_APPARATUS
from longlook.experiment.floor import BOUNDED, floor
from longlook.plan.cell import Cell
from longlook.plan.conditions import arm_conditions, conditions
from longlook.record.campaign import CELL_NAME, ENVIRONMENT_NAME, Campaign
from longlook.record.durable import read_json
from longlook.record.parquet import records

Row = dict[str, Any]
SHORT_S = 5.0
"""Timelines of every repeat are kept where they are shorter; else those of the first."""


def who(campaign: str, cell: Cell) -> Row:
    """What names a cell."""
    return {
        "campaign": campaign,
        "study": cell.study,
        "series": cell.series,
        "label": cell.label or None,
        "cell_id": cell.id,
    }


def campaign_row(campaign: Campaign, left_out: str | None = None) -> Row:
    """One row of `campaigns`; `left_out`: why its cells are in no table."""
    info = campaign.info
    same = ("campaign", "role", "sweep", "stack", "stack_digest", "created", "sealed", "git_commit", "wall_s")
    machine = ("hostname_hash", "cpu_model", "cpus", "memory_bytes", "kernel")
    row = {key: info.get(key) for key in same} | {key: (info.get("machine") or {}).get(key) for key in machine}
    own = {"study": campaign.study, "experiment": campaign.experiment}
    return (
        row
        | own
        | {"cells": len(info["cells"]), "cells_measured": len(campaign.finished_cells()), "left_out": left_out}
    )


def unreadable_row(name: str, left_out: str) -> Row:
    """The row of a folder whose `campaign.json` says nothing that could be relied on."""
    return dict.fromkeys(columns("campaigns")) | {"campaign": name, "left_out": left_out}


def cell_row(campaign: str, cell: Cell, folder: Path) -> Row:
    """One row of `cells`."""
    complete = read_json(folder / CELL_NAME).get("complete", True)
    apparatus = read_json(folder / ENVIRONMENT_NAME).get("apparatus", FIRST_APPARATUS)
    title = {"title": f"{cell.workload.label}, {cell.link.label}"}
    names = {"arms": " ".join(cell.arm_names), "stacks": " ".join(cell.stacks)}
    return (
        who(campaign, cell)
        | title
        | conditions(cell)
        | names
        | {
            "loads": cell.loads,
            "seed": str(cell.seed),
            "complete": bool(complete),
            "apparatus": apparatus,
        }
    )


def sample_rows(result: CellResult) -> Iterator[Row]:
    """Rows of `samples`: one per sample and metric; a sample without any number has one row of the first metric."""
    protocols = {arm.name: arm.protocol for arm in result.cell.arms}
    for cell, sample in result.by_cell():
        same = who(result.campaign, cell) | {"replicate": cell.replicate, "protocol": protocols[sample.arm]}
        same |= {
            key: getattr(sample, key)
            for key in (
                "arm",
                "index",
                "attempt",
                "draw",
                "order",
                "accepted",
                "set_aside",
                "disturbed",
                "reject_reason",
                "zero_rtt",
            )
        }
        known = [metric for metric in result.experiment.metrics if sample.metrics.get(metric.name) is not None]
        for metric in known or [result.experiment.primary]:
            yield same | {"metric": metric.name, "unit": metric.unit, "value": sample.metrics.get(metric.name)}


def object_rows(campaign: str, cell: Cell, loads: Iterable[TypicalLoad]) -> Iterator[Row]:
    """Rows of `objects`: one per object of each of these loads, in the order of asking."""
    for load in loads:
        same = who(campaign, cell) | {
            "arm": load.sample.arm,
            "index": load.sample.index,
            "attempt": load.sample.attempt,
        }
        for number, one in enumerate(load.seen.objects):
            yield same | {"object": number} | object_columns(one)


def object_columns(one: SeenObject) -> Row:
    """What `objects` has of an object itself."""
    times = {"started_ms": one.started_ms, "answered_ms": one.answered_ms, "ended_ms": one.ended_ms}
    rounded = {name: None if value is None else round(value, 3) for name, value in times.items()}
    return {"path": one.path, "size_bytes": one.size_bytes} | rounded


def arm_rows(result: CellResult) -> Iterator[Row]:
    """Rows of `arms`."""
    same = who(result.campaign, result.cell) | conditions(result.cell)
    for arm in result.cell.arms:
        bound = result.processor_bound(arm)
        for metric in result.experiment.metrics:
            values = result.values(arm.name, metric.name)
            if not values and metric is not result.experiment.primary:
                continue
            found = result.summary(arm.name, metric.name)
            yield (
                same
                | arm_conditions(arm)
                | {
                    "metric": metric.name,
                    "unit": metric.unit,
                    "n": found.n,
                    "mean": found.mean,
                    "sd": found.sd,
                    "median": float(np.median(values)) if values else None,
                    "floor": floor(result.cell, arm).total_ms if metric.name in BOUNDED else None,
                    "processor_bound": bound,
                }
            )


def contrast_rows(result: CellResult) -> Iterator[Row]:
    """Rows of `contrasts`."""
    cell = result.cell
    same = who(result.campaign, cell) | {
        "key": cell.key,
        "experiment": cell.experiment,
        "control": cell.control,
        "replicate": cell.replicate,
    }
    for metric, left, right, found in result.contrasts():
        pairs = result.paired(metric, left, right)
        yield same | {
            "left": left.name,
            "right": right.name,
            "metric": metric.name,
            "unit": metric.unit,
            "pct_diff": found.pct,
            "p_value": found.test.p_value,
            "verdict": found.verdict,
            "log_ratio": pairs.log_ratio,
            "log_ratio_low": pairs.low,
            "log_ratio_high": pairs.high,
            "p_paired": pairs.p_value,
            "pairs": pairs.pairs,
            "processor_bound": result.processor_bound(left, right),
        }


def timeline_rows(experiment: Experiment, campaign: str, cell: Cell, folder: Path) -> dict[str, list[Row]]:
    """Rows of `timelines` and `throughput`: of a cell's first repeat, and timelines of all repeats where they are
    short."""
    found: dict[str, list[Row]] = {"timelines": [], "throughput": []}
    if experiment.timelines is None:
        return found
    tables = experiment.timelines(folder)
    lines = tables["timelines"]
    same = who(campaign, cell)
    if cell.replicate == 0 or lines["time_s"].max() < SHORT_S:
        found["timelines"] = _plain(lines, same | {"replicate": cell.replicate})
    if cell.replicate == 0:
        found["throughput"] = _plain(tables["throughput"], same)
    return found


def _plain(table: pd.DataFrame, same: Row) -> list[Row]:
    renamed = table.rename(columns={"flow": "arm"})
    return [same | row for row in records(renamed)]
