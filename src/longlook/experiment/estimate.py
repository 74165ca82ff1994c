"""How long a cell will take: the published page load times where a study has the cell, else the bandwidth."""

from __future__ import annotations

import functools

from longlook.plan.arm import Arm, Protocol
from longlook.plan.cell import Cell
from longlook.published import muthuraj2024

OVERHEAD_PER_CELL_S = 6.0
"""Kernel, testbed, calibration, servers and clients."""
OVERHEAD_OF_JITTER_S = 6.0
"""Its calibration."""
OVERHEAD_OF_BURST_S = 5.0
OVERHEAD_OF_TRACE_S = 8.0
OVERHEAD_OF_DISCIPLINE_S = 10.0
"""The same of a token bucket, a trace, and a queue discipline."""
QUEUE_TIMES = 7.0
"""What calibration takes of a queue, in times that it needs to drain: it is filled and drained in both directions."""
OVERHEAD_PER_LOAD_S = 0.12
"""A fresh tab, the empty cache and the server's log."""
OVERHEAD_PER_LOOK_S = 1.3
"""Of a page that is looked at, besides: its last frame is waited for, and its frames are compared."""
OVERHEAD_PER_FILM_S, OVERHEAD_PER_SESSION_S = 20.0, 2.0
"""The film is copied to the servers and is hashed; the player is read."""
JITTER_MBPS = 12.0
"""About what a flow gets under jitter."""


@functools.cache
def _published_s() -> dict[tuple[str, str, Protocol], float]:
    """(series, key, protocol) -> mean PLT in s."""
    found = {}
    for one in muthuraj2024.page_load_times():
        for arm in one.cell.arms:
            found[(one.cell.series, one.cell.key, arm.protocol)] = one.arms[arm.name].mean / 1e3
    return found


def load_s(cell: Cell, arm: Arm) -> float:
    """Expected time of one load, s."""
    known = _published_s().get((cell.series, cell.key, arm.protocol))
    if known is not None:
        return known
    link = cell.link
    shaped = max(0, cell.workload.total_bytes - (link.burst_bytes or 0))
    lossy = cell.workload.total_bytes * link.loss_pct
    return 0.03 + 4 * link.rtt_ms / 1e3 + (shaped + lossy) * 8 / (link.share_mbps * 1e6)


def overhead_s(cell: Cell) -> float:
    """Before its first load, s."""
    link = cell.link
    further_s = OVERHEAD_OF_JITTER_S if link.swing_ms else 0
    further_s += OVERHEAD_OF_BURST_S if link.burst_bytes is not None else 0
    further_s += OVERHEAD_OF_TRACE_S if link.trace or link.upload_trace else 0
    further_s += OVERHEAD_OF_DISCIPLINE_S if link.queue_discipline is not None else 0
    return OVERHEAD_PER_CELL_S + QUEUE_TIMES * link.drain_s + further_s


def interleaved_s(cell: Cell) -> float:
    """Expected wall time of a cell whose arms take turns, s."""
    return overhead_s(cell) + (cell.loads + 1) * sum(load_s(cell, arm) + OVERHEAD_PER_LOAD_S for arm in cell.arms)


def pages_s(cell: Cell) -> float:
    """The same of pages that are looked at, s."""
    return interleaved_s(cell) + (cell.loads + 1) * len(cell.arms) * OVERHEAD_PER_LOOK_S


def sessions_s(cell: Cell) -> float:
    """The same of a film that is played for its length, s."""
    length_s = cell.workload.duration_s if cell.workload.kind == "video" else 0
    each_s = length_s + OVERHEAD_PER_SESSION_S + OVERHEAD_PER_LOAD_S
    return overhead_s(cell) + OVERHEAD_PER_FILM_S + (cell.loads + 1) * len(cell.arms) * each_s


def together_s(cell: Cell) -> float:
    """Its time, or that of its bytes at the bandwidth, twice: reading the captures takes time."""
    megabits = cell.workload.total_bytes * len(cell.arms) * 8 / 1e6
    rate = min(cell.link.bandwidth_mbps, JITTER_MBPS) if cell.link.swing_ms else cell.link.bandwidth_mbps
    return overhead_s(cell) + (cell.duration_s or cell.at_most_s or 1.5 * megabits / rate) * 1.2
