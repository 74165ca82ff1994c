"""How long a cell will take: the published page load times where the thesis has the cell, else the bandwidth."""

from __future__ import annotations

import csv
import functools

from longlook.paths import PUBLISHED
from longlook.scenario import Cell
from longlook.transfers import TransferCell

OVERHEAD_PER_CELL_S = 6.0
"""Kernel, testbed, calibration, servers and browsers."""
OVERHEAD_OF_JITTER_S = 6.0
"""Its calibration."""
OVERHEAD_PER_LOAD_S = 0.12
"""A fresh tab, the empty cache and the server's log."""


@functools.cache
def _published_s() -> dict[tuple, float]:
    """(figure, size, count, bandwidth, protocol) -> mean PLT in s."""
    table = {}
    with (PUBLISHED / "muthuraj2024_appendix_b.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            key = (row["figure"], int(row["object_size_kb"]), int(row["object_count"]), float(row["bandwidth_mbps"]))
            for protocol in ("quic", "tcp"):
                table[(*key, protocol)] = float(row[f"{protocol}_mean_ms"]) / 1e3
    return table


def load_s(cell: Cell, protocol: str) -> float:
    """Expected PLT of one load, s."""
    work, link = cell.workload, cell.link
    known = _published_s().get((cell.figure, work.size_kb, work.count, link.bandwidth_mbps, protocol))
    if known is not None:
        return known
    return (
        0.03
        + 4 * link.rtt_ms / 1e3
        + work.object_bytes * work.count * 8 / (link.bandwidth_mbps * 1e6) * (1 + link.loss_pct)
    )


def _transfer_s(cell: TransferCell) -> float:
    """Its time, or that of its bytes at the bandwidth (under jitter about 12 Mbit/s), twice: reading the captures takes time."""
    megabits = cell.workload.object_bytes * cell.workload.count * len(cell.flows) * 8 / 1e6
    rate = min(cell.link.bandwidth_mbps, 12.0) if cell.link.jitter_ms else cell.link.bandwidth_mbps
    return OVERHEAD_PER_CELL_S + (cell.duration_s or cell.at_most_s or 1.5 * megabits / rate) * 1.2


def estimate_s(cell: Cell | TransferCell) -> float:
    """Expected wall time of a cell, s."""
    if isinstance(cell, TransferCell):
        return _transfer_s(cell)
    loads = cell.loads + cell.cold_loads
    overhead = OVERHEAD_PER_CELL_S + (OVERHEAD_OF_JITTER_S if cell.link.jitter_ms else 0)
    return overhead + loads * sum(load_s(cell, protocol) + OVERHEAD_PER_LOAD_S for protocol in cell.protocols)
