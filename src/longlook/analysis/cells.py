"""Rows of the cell tables as objects, and which campaign a reader sees of each figure. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from longlook.scenario import REDRAW_MS, Cell, Link, Workload
from longlook.transfers import TransferCell

CONDITION = ["workload_size_kb", "workload_count", "bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms"]
CELL_KEY = ["figure", "stack", "cca", "emulated_connections", *CONDITION]
"""What makes a measured and a published cell the same cell."""
REFERENCE_PREFIX = "reference-"
_STAMP = re.compile(r"(\d{8}T\d{6})$")


def cell_of(row: Mapping[str, Any]) -> Cell:
    """The cell of one row of a processed table or of `published_as_cells`."""
    protocol, window = row.get("protocol"), row.get("tcp_initial_window")
    return Cell(
        figure=row["figure"],
        stack=row["stack"],
        protocols=(protocol, protocol) if isinstance(protocol, str) else ("quic", "tcp"),
        cca=row["cca"],
        emulated_connections=int(row["emulated_connections"]),
        tcp_initial_window=None if window is None or pd.isna(window) else int(window),
        workload=Workload(size_kb=int(row["workload_size_kb"]), count=int(row["workload_count"])),
        link=Link(
            bandwidth_mbps=float(row["bandwidth_mbps"]),
            rtt_ms=float(row["rtt_ms"]),
            loss_pct=float(row["loss_pct"]),
            jitter_ms=float(row["jitter_ms"]),
        ),
    )


def label_of(row: Mapping[str, Any]) -> str:
    """Short text for one cell: `100 KB x 10  50 Mbit/s  36 ms  1 %`."""
    size = int(row["workload_size_kb"])
    text = f"{size // 1000} MB" if size >= 1000 else f"{size} KB"
    parts = [f"{text} x {int(row['workload_count'])}", f"{row['bandwidth_mbps']:g} Mbit/s", f"{row['rtt_ms']:g} ms"]
    if row["loss_pct"]:
        parts.append(f"{row['loss_pct']:g} % loss")
    if row["jitter_ms"]:
        parts.append(f"{row['jitter_ms']:g} ms jitter")
    return ", ".join(parts)


def accepted(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of loads or transfers that may count."""
    return rows[rows["accepted"].astype(bool)]


def full_label_of(cell: Cell | TransferCell) -> str:
    """`label_of` a cell, and whatever else about it is not the usual; of a transfer its scenario first."""
    row = cell.workload.model_dump() | cell.link.model_dump()
    text = label_of(row | {"workload_size_kb": row["size_kb"], "workload_count": row["count"]})
    if cell.link.jitter_ms and cell.link.jitter_interval_ms != REDRAW_MS:
        text += f" every {cell.link.jitter_interval_ms:g} ms"
    if cell.link.effective_queue_bytes != cell.link.model_copy(update={"queue_bytes": None}).effective_queue_bytes:
        text += f", queue {cell.link.queue_bytes} bytes"
    if isinstance(cell, TransferCell):
        return f"{cell.scenario}, {text}" + (f", {cell.duration_s:g} s" if cell.duration_s else "")
    unusual = {
        f"{' against '.join(protocol.upper() for protocol in cell.protocols)}": cell.protocols != ("quic", "tcp"),
        cell.cca.upper(): cell.cca != "cubic",
        f"N = {cell.emulated_connections}": cell.emulated_connections != 2,
        f"QUIC {' against '.join(cell.handshakes)}": cell.handshakes != ("0rtt", "0rtt"),
        ", ".join(cell.quic_options): bool(cell.quic_options),
        f"TCP initial window {cell.tcp_initial_window}": cell.tcp_initial_window is not None,
        f"client {cell.client_cpu_pct or 0:g} % CPU": cell.client_cpu_pct is not None,
        f"QUIC server {cell.quic_server_cpu_pct or 0:g} % CPU": cell.quic_server_cpu_pct is not None,
    }
    return ", ".join([text, *(words for words, applies in unusual.items() if applies)])


def role_of(campaign: str) -> str:
    """`reference` or `local`, from the campaign's id."""
    return "reference" if campaign.startswith(REFERENCE_PREFIX) else "local"


def newest(cells: pd.DataFrame, role: str) -> pd.DataFrame:
    """The rows that a reader sees: of each figure and stack, those of the newest campaign of this role.

    Newest by the time in the campaign's id.
    """
    chosen = cells[cells["campaign"].map(role_of).astype(str) == role]
    if chosen.empty:
        return chosen
    when = chosen["campaign"].map(_moment)
    latest = when.groupby([chosen["figure"], chosen["stack"]]).transform("max")
    return chosen[when == latest]


def newest_of(rows: pd.DataFrame, figure: str, role: str) -> pd.DataFrame:
    """`newest` among the cells, or flows, of one figure."""
    return newest(rows[rows["figure"] == figure], role)


def _moment(campaign: str) -> str:
    """Text that sorts by the time a campaign began, and differs between campaigns."""
    found = _STAMP.search(campaign)
    return f"{found[1] if found else ''} {campaign}"
