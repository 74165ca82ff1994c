"""One cell of a campaign on one testbed, wherever that is: measured, brought home, and finished only when whole."""

from __future__ import annotations

import contextlib
import sys
import time
from pathlib import Path

from longlook.dataset.campaign import PARTIAL
from longlook.dataset.raw import Campaign
from longlook.errors import LonglookError
from longlook.experiment.execute import execute
from longlook.scenario import Cell
from longlook.testbed import netns
from longlook.testbed.description import Description, EmulabDescription, NetnsDescription
from longlook.transfers import TransferCell

TRIES_PER_CELL = 2
PATIENCE_S = 600.0
"""For a node that does not answer: a restart of an Emulab node takes about five minutes."""
POLL_S = 5.0


def measure_cell(campaign: Campaign, cell: Cell | TransferCell, bed: Description) -> str | None:
    """Measure one cell, twice if need be; None when it is whole and finished, else why not."""
    error = None
    for _ in range(TRIES_PER_CELL):
        partial = campaign.begin_cell(cell)
        error = _on_nodes(campaign, cell, bed, partial) if isinstance(bed, EmulabDescription) else _here(campaign, cell, bed, partial)
        if error is None:
            campaign.finish_cell(campaign.path / (cell.cell_id + PARTIAL))
            return None
        print(f"{cell.cell_id}: {error}", file=sys.stderr, flush=True)
        if isinstance(bed, EmulabDescription) and "NodeError" in error:
            _wait_for_nodes(bed)
    return error


def _here(campaign: Campaign, cell: Cell | TransferCell, bed: NetnsDescription, partial: Path) -> str | None:
    parameters = {"cell": cell.model_dump(mode="json"), "folder": str(partial), "campaign": campaign.id, "testbed": bed.name}
    try:
        return execute(campaign.experiment, partial, parameters)
    finally:
        netns.remove(bed.name)  # nothing there after a cell that ended by itself


def _on_nodes(campaign: Campaign, cell: Cell | TransferCell, bed: EmulabDescription, partial: Path) -> str | None:
    from longlook.node.cells import nodes
    from longlook.node.session import NodeError

    try:
        with nodes(bed, cell.stack) as ready:
            if ready.salvage(cell.cell_id, partial):  # of a try whose connection was lost: kept, never averaged
                partial = campaign.begin_cell(cell)
            return ready.measure(cell, campaign.experiment, campaign.id, partial)
    except NodeError as error:
        return f"NodeError: {error}"


def _wait_for_nodes(bed: EmulabDescription) -> None:
    """Until all three nodes let us in again, or patience ends (the next try then says which does not)."""
    from longlook.testbed.emulab import session_to

    deadline = time.monotonic() + PATIENCE_S
    waiting = ["server", "bridge", "client"]
    while waiting and time.monotonic() < deadline:
        with contextlib.suppress(LonglookError), session_to(bed, waiting[0]) as session:
            session.run_as_user(["true"], timeout_s=10)
            waiting.pop(0)
            continue
        time.sleep(POLL_S)  # polling interval, bounded by the deadline
