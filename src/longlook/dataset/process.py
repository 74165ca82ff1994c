"""data/raw -> data/processed: one command, every table, deterministic bytes for the same raw records.

Counted are the finished cells of every campaign, sealed or still growing. Interrupted cells are never read.
Means and standard deviations are over the accepted loads with `load_index` of at least 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from longlook.analysis.difference import difference
from longlook.analysis.welch import Summary, summarise
from longlook.dataset.tables import write_tables
from longlook.errors import LonglookError
from longlook.record.campaign import Campaign
from longlook.record.campaigns import read_campaigns, read_runs
from longlook.record.durable import read_json
from longlook.scenario import Cell
from longlook.transfers import TransferCell

Row = dict[str, Any]
HANDSHAKES = ("0rtt", "1rtt")
COLUMN_OF = {"0rtt": "zero_rtt", "1rtt": "one_rtt"}
"""Arm -> beginning of its columns' names, where that is not the arm's own."""


@dataclass
class Tables:
    """Rows of every processed table."""

    plt_runs: list[Row] = field(default_factory=list)
    plt_cells: list[Row] = field(default_factory=list)
    aa_runs: list[Row] = field(default_factory=list)
    aa_cells: list[Row] = field(default_factory=list)
    handshake_cells: list[Row] = field(default_factory=list)
    transfer_flows: list[Row] = field(default_factory=list)
    transfer_timelines: list[Row] = field(default_factory=list)
    transfer_throughput: list[Row] = field(default_factory=list)
    campaigns: list[Row] = field(default_factory=list)


def process(raw_root: Path, processed_root: Path) -> dict[str, int]:
    """Make every processed table from every campaign; returns the number of rows of each.

    A damaged record is a `LonglookError` that names it, and leaves the tables as they were.
    """
    tables = Tables()
    for campaign in read_campaigns(Path(raw_root)):
        tables.campaigns.append(campaign_row(campaign))
        for folder in campaign.finished_cells():
            (_add_cell if campaign.kind == "plt" else _add_transfer)(tables, campaign, folder)
    _sort(tables)
    return write_tables(Path(processed_root), vars(tables))


def campaign_row(campaign: Campaign) -> Row:
    """One row of `campaigns.csv`."""
    info = campaign.info
    same = (
        "campaign",
        "role",
        "sweep",
        "stack",
        "stack_digest",
        "created",
        "sealed",
        "git_commit",
        "wall_s",
        "plt_sum_s",
    )
    machine = ("hostname_hash", "cpu_model", "cpus", "memory_bytes", "kernel")
    row = {key: info.get(key) for key in same} | {key: (info.get("machine") or {}).get(key) for key in machine}
    return row | {"cells": len(info["cells"]), "cells_measured": len(campaign.finished_cells())}


def cell_row(cell: Cell, campaign: str, runs: list[Row]) -> Row:
    """One row of `plt_cells.csv`, of `aa_cells.csv` for an A/A cell, of `handshake_cells.csv` for 0-RTT against 1-RTT."""
    left_arm, right_arm = cell.arms
    left, right = summary_of(runs, left_arm), summary_of(runs, right_arm)
    found = difference(left, right, cell.arms)
    row = _condition(cell, campaign)
    for arm, summary in zip(cell.arms, (left, right), strict=True):
        name = COLUMN_OF.get(arm, arm)
        row |= {f"{name}_mean_ms": summary.mean, f"{name}_std_ms": summary.sd, f"{name}_n": summary.n}
    row |= {"pct_diff": found.pct, "p_value": found.test.p_value, "verdict": found.verdict, "cell_id": cell.cell_id}
    if _is_aa(cell):
        row["protocol"] = cell.protocols[0]
    return row


def summary_of(runs: list[Row], arm: str) -> Summary:
    """Mean and standard deviation of an arm's accepted loads, the cold one left out."""
    return summarise(
        [run["plt_ms"] for run in runs if run["arm"] == arm and run["accepted"] and run["load_index"] >= 1]
    )


def read_cell(folder: Path) -> tuple[Cell, list[Row]]:
    """A page load cell and its loads, without their HARs; a damaged record is a `LonglookError` that names it."""
    cell = Cell.parse(read_json(folder / "cell.json").get("cell"))
    _check_name(cell, folder)
    runs = [{key: run.get(key) for key in _KEPT} for run in read_runs(folder)]
    strangers = sorted({run["arm"] for run in runs} - set(cell.arms))
    if strangers:
        raise LonglookError(
            f"{folder}: loads of arm {', '.join(strangers)}; the cell's arms are {', '.join(cell.arms)}"
        )
    return cell, runs


def read_transfer(folder: Path) -> tuple[TransferCell, Row]:
    """A transfer and its record; a damaged record is a `LonglookError` that names it."""
    record = read_json(folder / "cell.json")
    cell = TransferCell.parse(record.get("cell"))
    _check_name(cell, folder)
    return cell, record


def _check_name(cell: Cell | TransferCell, folder: Path) -> None:
    if cell.cell_id != folder.name:
        raise LonglookError(f"{folder}/cell.json describes cell {cell.cell_id}; it is kept as {folder.name}")


def _add_cell(tables: Tables, campaign: Campaign, folder: Path) -> None:
    cell, runs = read_cell(folder)
    rows = list(_run_rows(cell, campaign, runs))
    if _is_aa(cell):
        tables.aa_runs += rows
        tables.aa_cells.append(cell_row(cell, campaign.id, runs))
    elif cell.arms == HANDSHAKES:
        tables.handshake_cells.append(cell_row(cell, campaign.id, runs))
    elif set(cell.protocols) == {"quic", "tcp"}:
        tables.plt_runs += rows
        tables.plt_cells.append(cell_row(cell, campaign.id, runs))


def _add_transfer(tables: Tables, campaign: Campaign, folder: Path) -> None:
    """One row per flow; and the timelines of a scenario's first run, or of all runs where they are short."""
    cell, record = read_transfer(folder)
    same = {"campaign": campaign.id, "figure": cell.figure, "scenario": cell.scenario, "cell_id": cell.cell_id}
    lines = [_NO_PARTS | row for row in _rows(folder / "timeline.parquet")]
    for name, flow in zip(cell.names, cell.flows, strict=True):
        seen = record["flows"][name]
        tables.transfer_flows.append(
            same
            | _link(cell)
            | {
                "stack": cell.stack,
                "queue_bytes": cell.link.effective_queue_bytes,
                "replicate": cell.replicate,
                "flow": name,
            }
            | {
                "protocol": flow.protocol,
                "cca": flow.cca,
                "emulated_connections": flow.emulated_connections if flow.has_connections else None,
            }
            | {
                key: seen.get(key)
                for key in (
                    "label",
                    "mean_mbps",
                    "finished_s",
                    "lost",
                    "spurious",
                    "response_ms_median",
                    "response_ms_max",
                )
            }
            | {key: record[key] for key in ("accepted", "reject_reason")}
            | _extremes([row for row in lines if row["flow"] == name])
        )
    if cell.replicate == 0 or max((row["time_s"] for row in lines), default=0) < SHORT_S:
        tables.transfer_timelines += [same | {"replicate": cell.replicate} | row for row in lines]
    if cell.replicate == 0:
        tables.transfer_throughput += [same | row for row in _rows(folder / "throughput.parquet")]


def _extremes(lines: list[Row]) -> Row:
    """Largest window (bytes), queue on the way down and wait of the client (ms) of one flow, where its probes tell."""

    def values(name: str) -> list[float]:
        return [row[name] for row in lines if row[name] is not None and row[name] == row[name]]

    windows, downs, holds = values("cwnd_bytes"), values("down_ms"), values("hold_ms")
    return {
        "cwnd_max_bytes": max(windows, default=None),
        "queue_max_ms": max(downs) - min(downs) if downs else None,
        "hold_max_ms": max(holds, default=None),
    }


SHORT_S = 5.0
_NO_PARTS = dict.fromkeys(("down_ms", "hold_ms", "up_ms", "told_ms"))
"""Columns that a record may lack."""


def _rows(path: Path) -> list[Row]:
    try:
        return pyarrow.parquet.read_table(path).to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise LonglookError(f"the timeline of a transfer could not be read: {path}: {error}") from None


_KEPT = (
    "arm",
    "protocol",
    "load_index",
    "attempt",
    "order",
    "zero_rtt",
    "accepted",
    "reject_reason",
    "plt_ms",
    "disturbed",
)


def _run_rows(cell: Cell, campaign: Campaign, runs: list[Row]) -> Iterator[Row]:
    common = _condition(cell, campaign.id)
    common |= {"cell_id": cell.cell_id, "stack_digest": campaign.stack_digests[cell.stack]}
    for run in runs:
        row = common | run
        row["disturbed"] = bool(run["disturbed"]) or run["reject_reason"] == "disturbed"
        if not _is_aa(cell):
            del row["arm"]
        yield row


def _is_aa(cell: Cell) -> bool:
    return cell.arms == ("a", "b")


def _condition(cell: Cell, campaign: str) -> Row:
    return {
        "campaign": campaign,
        "stack": cell.stack,
        "figure": cell.figure,
        **_link(cell),
        "cca": cell.cca,
        "emulated_connections": cell.emulated_connections,
        "tcp_initial_window": cell.tcp_initial_window,
    }


def _link(cell: Cell | TransferCell) -> Row:
    link = cell.link
    return {
        "workload_size_kb": cell.workload.size_kb,
        "workload_count": cell.workload.count,
        "bandwidth_mbps": link.bandwidth_mbps,
        "rtt_ms": link.rtt_ms,
        "loss_pct": link.loss_pct,
        "jitter_ms": link.jitter_ms,
    }


def _sort(tables: Tables) -> None:
    condition = ("rtt_ms", "loss_pct", "jitter_ms", "bandwidth_mbps", "workload_count", "workload_size_kb")

    def key(row: Row) -> tuple:
        return (row["campaign"], row["figure"], *(row[name] for name in condition), row["cell_id"], row.get("order", 0))

    for rows in (tables.plt_runs, tables.plt_cells, tables.aa_runs, tables.aa_cells, tables.handshake_cells):
        rows.sort(key=key)
    for rows in (tables.transfer_flows, tables.transfer_timelines, tables.transfer_throughput):
        rows.sort(key=lambda row: (row["campaign"], row["cell_id"], row["flow"]))  # stable: times stay in order
    tables.campaigns.sort(key=lambda row: row["campaign"])
