"""TCP that remembers a slow start threshold of 7 packets: the change to a published cell.

What was foretold of tables B.11 and B.12 stands in sweeps/muthuraj2024/threshold-4.5b.toml and -4.5e.toml, of the
controls in threshold-4.6.toml and threshold-jitter.toml.
"""

from __future__ import annotations

from longlook.plan.cell import Cell

PACKETS = 7
TABLES = {"threshold-4.5b": "B.11", "threshold-4.5e": "B.12"}
"""Series -> the table."""


def remembering(cell: Cell) -> Cell:
    """The same cell with TCP that begins with the threshold."""
    return cell.with_arms("tcp", remembered_ssthresh=PACKETS)
