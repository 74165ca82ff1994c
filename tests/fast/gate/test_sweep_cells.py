"""The gate of the redesign: sweeps still expand to the cells that the sealed campaigns measured.

Ids and seeds included.
"""

from __future__ import annotations

import csv
from pathlib import Path

from longlook import paths
from longlook.record.campaigns import read_campaigns
from longlook.stack.arms import open_sweep

FROZEN = Path(__file__).parent / "frozen" / "sweep_cells.csv"


def frozen():
    found = {}
    with FROZEN.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            found.setdefault(row["sweep"], []).append((row["cell_id"], int(row["seed"])))
    return found


def test_every_sweep_expands_to_the_ids_and_seeds_of_before():
    for name, cells in frozen().items():
        assert [(cell.id, cell.seed) for cell in open_sweep(name).cells()] == cells, name


def test_upgraded_records_are_the_cells_of_todays_sweeps():
    """Same id, same seed, same key: what was sealed is what the sweep would measure."""
    cells = 0
    for campaign in read_campaigns(paths.RAW):
        if not campaign.is_old:
            continue
        today = {cell.id: cell for cell in open_sweep(campaign.sweep).cells()}
        for old in campaign.cells():
            new = today[old.id]
            assert (old.seed, old.key, old.arm_names, old.control) == (new.seed, new.key, new.arm_names, new.control)
            cells += 1
    assert cells == 810
