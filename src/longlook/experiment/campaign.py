"""Running a sweep: one papermill execution per missing cell, into one campaign; interruptible and resumable."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from longlook import paths
from longlook.experiment.estimate import estimate_s
from longlook.experiment.measure import clean_nodes, measure_cell
from longlook.experiment.rows import assign, row_of
from longlook.record.campaigns import Campaign, open_campaign
from longlook.scenario import Cell
from longlook.stack import open_stack
from longlook.sweep import Sweep
from longlook.testbed import netns
from longlook.testbed.description import Description, NetnsDescription
from longlook.transfers import TransferCell

LOG = "log.jsonl"


@dataclass
class Outcome:
    """What a run of a sweep came to."""

    campaign: Campaign
    measured: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Cell id -> why it could not be measured."""


def run_sweep(
    sweep: Sweep,
    role: str = "local",
    resume: str | None = "auto",
    testbeds: Sequence[Description] = (NetnsDescription(name="default"),),
    quiet: bool = False,
) -> Outcome:
    """Measure every missing cell of a sweep; seal the campaign when none is missing. Several testbeds share its rows.

    Ctrl-C ends the cells under way (their remains are kept apart) and leaves everything else to be resumed.
    """
    digests = ", ".join(open_stack(name, full_check=True).digest for name in sweep.stacks())
    campaign = open_campaign(paths.RAW, sweep, role, digests, resume=resume)
    outcome = Outcome(campaign)
    try:
        _measure(outcome, sweep, testbeds, quiet)
        if not campaign.missing_cells():
            campaign.seal(wall_s=_wall_s(campaign))
    finally:
        campaign.close()
    return outcome


class _Progress:
    """The bar and the campaign's log: one line for every cell that ended, well or not."""

    def __init__(self, outcome: Outcome, bar: tqdm, screen):
        self._outcome, self._bar, self._screen = outcome, bar, screen

    def ended(
        self, cell: Cell | TransferCell, testbed: str, wall_s: float, error: str | None, again: bool = False
    ) -> None:
        """`again`: the cell is measured already; this was an attempt at a fuller one."""
        _note(self._outcome.campaign, cell, testbed, wall_s, error)
        if error is not None:
            self.say(f"{cell.cell_id}: {error}")
        if error is None and not again:
            self._outcome.measured += 1
        elif not again:
            self._outcome.failed[cell.cell_id] = error
        self._bar.update(min(estimate_s(cell), self._bar.total - self._bar.n))

    def begins(self, text: str) -> None:
        self._bar.set_description_str(f"{text} ")

    def say(self, text: str) -> None:
        self._bar.write(text, file=self._screen)

    def more(self, seconds: float) -> None:
        self._bar.total += round(seconds)


def _measure(outcome: Outcome, sweep: Sweep, testbeds: Sequence[Description], quiet: bool) -> None:
    campaign = outcome.campaign
    missing = campaign.missing_cells()
    total = round(sum(estimate_s(cell) for cell in missing))
    among = f" on {len(testbeds)} testbeds" if len(testbeds) > 1 else ""
    print(
        f"campaign {campaign.id}: {len(missing)} of {len(sweep.cells())} cells to measure{among}, about {total / 60 / len(testbeds):.0f} min",
        file=sys.stderr,
    )
    bar_format = "{desc}{percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
    with (
        _noise_aside() as screen,
        tqdm(total=total, unit="s", bar_format=bar_format, disable=quiet, file=screen) as bar,
    ):
        progress = _Progress(outcome, bar, screen)
        if len(testbeds) == 1:
            _one_by_one(campaign, missing, testbeds[0], progress)
        else:
            _side_by_side(campaign, missing, testbeds, progress)


def _one_by_one(
    campaign: Campaign, missing: Sequence[Cell | TransferCell], bed: Description, progress: _Progress
) -> None:
    def measure(cell: Cell | TransferCell, again: bool = False) -> str | None:
        progress.begins(cell.cell_id)
        began = time.monotonic()
        error = measure_cell(campaign, cell, bed)
        progress.ended(cell, bed.name, time.monotonic() - began, error, again)
        return error

    for cell in missing:
        measure(cell)
    for cell in [cell for cell in missing if _is_short(campaign, cell)]:
        kept = _once_more(campaign, cell, progress)
        try:
            measure(cell, again=True)
        finally:
            _stays(campaign, cell, kept)


def _side_by_side(
    campaign: Campaign, missing: Sequence[Cell | TransferCell], testbeds: Sequence[Description], progress: _Progress
) -> None:
    """By Dask; in a second pass what came out short of accepted loads, on the same testbeds."""
    from longlook.experiment.distribute import cluster, measure_all

    kept: list[tuple[Cell | TransferCell, Path]] = []
    plan = assign(missing, [bed.name for bed in testbeds], _begun(campaign))
    try:
        with cluster(testbeds) as client:
            progress.say(f"dashboard: {client.dashboard_link}")
            for again in (False, True):
                began = dict.fromkeys(plan, time.monotonic())
                for cell, bed, error in measure_all(campaign, plan, testbeds, client):
                    progress.ended(cell, bed, time.monotonic() - began[bed], error, again)
                    began[bed] = time.monotonic()
                if again:
                    break
                plan = {bed: [cell for cell in cells if _is_short(campaign, cell)] for bed, cells in plan.items()}
                for cell in [cell for cells in plan.values() for cell in cells]:
                    kept.append((cell, _once_more(campaign, cell, progress)))
    finally:
        for cell, path in kept:
            _stays(campaign, cell, path)
        for bed in testbeds:  # a worker that was killed leaves what it had started
            if bed.driver == "netns" and bed.control is None:
                netns.remove(bed.name)
            elif bed.driver == "emulab" and bed.control is None:
                clean_nodes(bed)


def _once_more(campaign: Campaign, cell: Cell | TransferCell, progress: _Progress) -> Path:
    """Take a short cell out of the campaign, to be measured again; where its record is meanwhile."""
    progress.say(f"{cell.cell_id}: too few of its loads were accepted; once more")
    progress.more(estimate_s(cell))
    return campaign.withdraw_cell(cell)


def _stays(campaign: Campaign, cell: Cell | TransferCell, kept: Path) -> None:
    """A withdrawn cell that was not measured again, for whatever reason, stays as it was."""
    if not (campaign.path / cell.cell_id).exists():
        campaign.restore_cell(cell, kept)


def _begun(campaign: Campaign) -> dict[str, str]:
    """Row -> the testbed that has measured cells of it, from their records."""
    found = {}
    for cell in campaign.cells():
        record = campaign.path / cell.cell_id / "environment.json"
        if record.exists():
            found[row_of(cell)] = json.loads(record.read_text(encoding="utf-8")).get("testbed", {}).get("name", "")
    return found


def _is_short(campaign: Campaign, cell: Cell) -> bool:
    """Measured, but with fewer accepted loads than it asks for: as a rule the machine was disturbed for a while."""
    record = campaign.path / cell.cell_id / "cell.json"
    return record.exists() and not json.loads(record.read_text(encoding="utf-8"))["complete"]


def _note(campaign: Campaign, cell: Cell | TransferCell, testbed: str, wall_s: float, error: str | None) -> None:
    """One line per attempt at a cell in the campaign's log; its wall time includes the notebook's kernel."""
    entry = {"cell_id": cell.cell_id, "testbed": testbed, "wall_s": round(wall_s, 3), "error": error}
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
