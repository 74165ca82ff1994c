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
_given_up: dict[str, str] = {}
"""Testbeds (of this process) whose nodes did not come back, and the error: their other cells are not waited for, one by one."""


def measure_cell(campaign: Campaign, cell: Cell | TransferCell, bed: Description) -> str | None:
    """Measure one cell, twice if need be; None when it is whole and finished, else why not."""
    if bed.name in _given_up:
        return f"not tried: {_given_up[bed.name]}"
    error = None
    for tries_left in reversed(range(TRIES_PER_CELL)):
        partial = campaign.begin_cell(cell)
        error = _on_nodes(campaign, cell, bed, partial) if isinstance(bed, EmulabDescription) else _here(campaign, cell, bed, partial)
        if error is None:
            campaign.finish_cell(campaign.path / (cell.cell_id + PARTIAL))
            return None
        print(f"{cell.cell_id}: {error}", file=sys.stderr, flush=True)
        if isinstance(bed, EmulabDescription) and "NodeError" in error and tries_left and not _wait_for_nodes(bed):
            _given_up[bed.name] = error
            break
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
            if ready.salvage(campaign.id, cell.cell_id, partial):  # of a try whose connection was lost: kept, never averaged
                partial = campaign.begin_cell(cell)
            return ready.measure(cell, campaign.experiment, campaign.id, partial)
    except NodeError as error:
        return f"NodeError: {error}"


def _wait_for_nodes(bed: EmulabDescription) -> bool:
    """Until all three nodes let us in again (true), or patience ends."""
    from longlook.testbed.emulab import session_to

    deadline = time.monotonic() + PATIENCE_S
    waiting = ["server", "bridge", "client"]
    while waiting and time.monotonic() < deadline:
        with contextlib.suppress(LonglookError), session_to(bed, waiting[0]) as session:
            session.run_as_user(["true"], timeout_s=10)
            waiting.pop(0)
            continue
        time.sleep(POLL_S)  # polling interval, bounded by the deadline
    return not waiting


def clean_nodes(bed: EmulabDescription) -> None:
    """End what runs on a testbed's nodes, as far as they can be reached: after a run whose workers were killed."""
    from longlook.node.cells import nodes

    with contextlib.suppress(LonglookError), nodes(bed):
        pass
