"""Running a sweep: one papermill execution per missing cell, into one campaign; interruptible and resumable."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sys
import time
from dataclasses import dataclass, field

import papermill
from papermill.exceptions import PapermillExecutionError
from tqdm import tqdm

from longlook import paths
from longlook.dataset.raw import Campaign, open_campaign
from longlook.experiment.estimate import estimate_s
from longlook.scenario import Cell
from longlook.stack import open_stack
from longlook.sweep import Sweep
from longlook.testbed import netns
from longlook.transfers import TransferCell

TRIES_PER_CELL = 2
LOG = "log.jsonl"
KERNEL_START_TIMEOUT_S = 60


@dataclass
class Outcome:
    """What a run of a sweep came to."""

    campaign: Campaign
    measured: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Cell id -> why it could not be measured."""


def run_sweep(sweep: Sweep, role: str = "local", resume: str | None = "auto", testbed: str = "default", quiet: bool = False) -> Outcome:
    """Measure every missing cell of a sweep; seal the campaign when none is missing.

    Ctrl-C ends the cell under way (its remains are kept apart) and leaves everything else to be resumed.
    """
    digests = ", ".join(open_stack(name, full_check=True).digest for name in sweep.stacks())
    campaign = open_campaign(paths.RAW, sweep, role, digests, resume=resume)
    outcome = Outcome(campaign)
    try:
        _measure(outcome, sweep, testbed, quiet)
        if not campaign.missing_cells():
            campaign.seal(wall_s=_wall_s(campaign))
    finally:
        campaign.close()
    return outcome


def _measure(outcome: Outcome, sweep: Sweep, testbed: str, quiet: bool) -> None:
    campaign = outcome.campaign
    missing = campaign.missing_cells()
    total = round(sum(estimate_s(cell) for cell in missing))
    print(f"campaign {campaign.id}: {len(missing)} of {len(sweep.cells())} cells to measure, about {total / 60:.0f} min", file=sys.stderr)
    bar_format = "{desc}{percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
    with _noise_aside() as screen, tqdm(total=total, unit="s", bar_format=bar_format, disable=quiet, file=screen) as bar:

        def measure(cell: Cell | TransferCell) -> str | None:
            bar.set_description_str(f"{cell.cell_id} ")
            began = time.monotonic()
            error = _measure_cell(campaign, cell, testbed)
            _note(campaign, cell, time.monotonic() - began, error)
            if error is not None:
                bar.write(f"{cell.cell_id}: {error}", file=screen)
            bar.update(min(estimate_s(cell), bar.total - bar.n))
            return error

        for cell in missing:
            if (error := measure(cell)) is None:
                outcome.measured += 1
            else:
                outcome.failed[cell.cell_id] = error
        for cell in [cell for cell in missing if _is_short(campaign, cell)]:
            bar.write(f"{cell.cell_id}: too few of its loads were accepted; once more", file=screen)
            bar.total += round(estimate_s(cell))
            kept = campaign.withdraw_cell(cell)
            if measure(cell) is not None:
                campaign.restore_cell(cell, kept)


def _is_short(campaign: Campaign, cell: Cell) -> bool:
    """Measured, but with fewer accepted loads than it asks for: as a rule the machine was disturbed for a while."""
    record = campaign.path / cell.cell_id / "cell.json"
    return record.exists() and not json.loads(record.read_text(encoding="utf-8"))["complete"]


def _note(campaign: Campaign, cell: Cell, wall_s: float, error: str | None) -> None:
    """One line per attempt at a cell in the campaign's log; its wall time includes the notebook's kernel."""
    entry = {"cell_id": cell.cell_id, "wall_s": round(wall_s, 3), "error": error}
    with (campaign.path / LOG).open("a", encoding="utf-8") as log:
        log.write(json.dumps(entry) + "\n")


def _wall_s(campaign: Campaign) -> float:
    """Time spent on the campaign's cells, over all sittings, s."""
    lines = (campaign.path / LOG).read_text(encoding="utf-8").splitlines()
    return sum(json.loads(line)["wall_s"] for line in lines)


@contextlib.contextmanager
def _noise_aside():
    """The terminal for our own words; what kernels write to standard error meanwhile goes to .longlook/kernels.log."""
    paths.STATE.mkdir(exist_ok=True)
    terminal = os.dup(2)
    with (paths.STATE / "kernels.log").open("ab") as log, os.fdopen(os.dup(terminal), "w") as screen:
        os.dup2(log.fileno(), 2)
        try:
            yield screen
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)


def _measure_cell(campaign: Campaign, cell: Cell, testbed: str) -> str | None:
    """Measure one cell, twice if need be; None when it is whole, else the error's last line."""
    error = None
    for _ in range(TRIES_PER_CELL):
        partial = campaign.begin_cell(cell)
        try:
            _execute(cell, campaign.experiment, partial, campaign.id, testbed)
            campaign.finish_cell(partial)
            return None
        except PapermillExecutionError as failure:
            error = f"{failure.ename}: {failure.evalue}"
            if failure.ename not in ("LonglookError", "NotSupported"):
                error += f" (see {partial}/executed.ipynb)"
        finally:
            netns.remove(testbed)  # nothing there after a cell that ended by itself
    return error


def _execute(cell: Cell | TransferCell, experiment: str, partial, campaign_id: str, testbed: str) -> None:
    logging.getLogger("papermill").setLevel(logging.ERROR)
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # a kernel that dies with an interrupted run is no news
    with contextlib.redirect_stdout(sys.stderr):
        papermill.execute_notebook(
            str(paths.NOTEBOOKS / f"{experiment}.ipynb"),
            str(partial / "executed.ipynb"),
            parameters={"cell": cell.model_dump(mode="json"), "folder": str(partial), "campaign": campaign_id, "testbed": testbed},
            progress_bar=False,
            log_output=False,
            start_timeout=KERNEL_START_TIMEOUT_S,
            extra_arguments=["--log-level=ERROR"],
            cwd=str(paths.ROOT),
        )
