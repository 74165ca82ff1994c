"""Delays that change half as often: the change to a published cell.

What was foretold of tables B.15 and B.16 stands in sweeps/muthuraj2024/jitter-interval-4.11a.toml and -4.11c.toml.
"""

from __future__ import annotations

from longlook.plan.cell import Cell
from longlook.plan.workload import bytes_of_kb

INTERVAL_MS = 200.0
LARGEST = bytes_of_kb(1000)


def seldom(cell: Cell) -> Cell:
    """The same cell with a new delay every 200 ms; 10 MB, which was not measured so, as it is."""
    if (cell.workload.object_bytes or 0) > LARGEST:
        return cell
    return cell.model_copy(update={"link": cell.link.model_copy(update={"jitter_interval_ms": INTERVAL_MS})})
