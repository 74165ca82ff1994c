"""One cell of a campaign on one testbed, wherever that is: measured, brought home, and finished only when whole."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

from longlook.errors import LonglookError
from longlook.experiment.execute import execute
from longlook.record.campaigns import Campaign
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
        error = attempt(campaign.experiment, campaign.id, cell, bed, partial, lambda: campaign.begin_cell(cell))
        if error is None:
            campaign.finish_cell(partial)
            return None
        print(f"{cell.cell_id}: {error}", file=sys.stderr, flush=True)
        if isinstance(bed, EmulabDescription) and "NodeError" in error and tries_left and not _wait_for_nodes(bed):
            _given_up[bed.name] = error
            break
    return error


def attempt(
    experiment: str,
    campaign_id: str,
    cell: Cell | TransferCell,
    bed: Description,
    folder: Path,
    set_aside: Callable[[], object] | None = None,
) -> str | None:
    """One try at a cell, its record into the empty `folder`; None, or why it is not whole. What a try whose connection was lost
    left on the nodes is brought into `folder` first and set aside (kept, never averaged), if there is a `set_aside`, which leaves `folder` empty."""
    if isinstance(bed, NetnsDescription):
        parameters = {
            "cell": cell.model_dump(mode="json"),
            "folder": str(folder),
            "campaign": campaign_id,
            "testbed": bed.name,
        }
        try:
            return execute(experiment, folder, parameters)
        finally:
            netns.remove(bed.name)  # nothing there after a cell that ended by itself
    from longlook.experiment.nodes import Nodes
    from longlook.node.session import NodeError

    try:
        with Nodes(bed, cell.stack) as nodes:
            if set_aside and nodes.salvage(campaign_id, cell.cell_id, folder):
                set_aside()
            return nodes.measure(cell, experiment, campaign_id, folder)
    except NodeError as error:
        return f"NodeError: {error}"


def _wait_for_nodes(bed: EmulabDescription) -> bool:
    """Until all three nodes let us in again (true), or patience ends."""
    from longlook.testbed.emulab import session_to

    deadline = time.monotonic() + PATIENCE_S
    waiting = ["server", "bridge", "client"]
    while waiting and time.monotonic() < deadline:
        with contextlib.suppress(LonglookError), session_to(bed, waiting[0]) as session:
            session.run(["true"], timeout_s=10, as_root=False)
            waiting.pop(0)
            continue
        time.sleep(POLL_S)  # polling interval, bounded by the deadline
    return not waiting


def clean_nodes(bed: EmulabDescription) -> None:
    """End what runs on a testbed's nodes, as far as they can be reached: after a run whose workers were killed."""
    from longlook.experiment.nodes import Nodes

    with contextlib.suppress(LonglookError), Nodes(bed):
        pass
