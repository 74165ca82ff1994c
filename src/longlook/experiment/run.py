"""Running a sweep: one papermill execution per missing cell, into one campaign; interruptible and resumable."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longlook import paths
from longlook.experiment.failure import Failure
from longlook.experiment.granted import refused
from longlook.experiment.measurable import require_measurable
from longlook.experiment.measure import Measurer
from longlook.experiment.places import place_of
from longlook.experiment.progress import Progress, shown, wall_s
from longlook.experiment.registry import estimate_s
from longlook.experiment.rows import assign, row_of
from longlook.host.clock import set_by
from longlook.host.machine import cpu_times
from longlook.host.rights import rights
from longlook.plan.cell import Cell
from longlook.plan.sweep import Sweep
from longlook.record.campaign import CELL_NAME, ENVIRONMENT_NAME, Campaign, Role
from longlook.record.campaigns import open_campaign
from longlook.record.durable import read_json
from longlook.record.moments import steps
from longlook.record.samples import read_samples
from longlook.server.stated import kept
from longlook.stack import open_stack
from longlook.stack.adapters import components_of
from longlook.testbed.description import Description, NetnsDescription


@dataclass
class SweepRun:
    """What a run of a sweep came to."""

    campaign: Campaign
    measured: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    """Cell id -> why it could not be measured."""
    short: dict[str, str] = field(default_factory=dict)
    """Cell id -> which of its arms have too few accepted samples, also after it was measured once more, and why."""

    def note(self, cell: Cell, failure: Failure | None) -> None:
        """A cell has ended for the first time."""
        if failure is None:
            self.measured += 1
        else:
            self.failed[cell.id] = str(failure)

    @property
    def unfinished(self) -> str:
        """What a run of the same sweep would take up, a line for each cell; empty where nothing is left."""
        return self.left(f"run sweep {self.campaign.sweep} again, it")

    def left(self, again: str) -> str:
        """`unfinished`, where something else takes it up."""
        if not self.failed and not self.short:
            return ""
        lines = [f"{len(self.failed)} cells could not be measured, {len(self.short)} have too few accepted samples"]
        lines[0] += f"; {again} takes up these:"
        lines += [f"  {cell}: not measured: {why}" for cell, why in self.failed.items()]
        return "\n".join([*lines, *(f"  {cell}: {why}" for cell, why in self.short.items())])


def run_sweep(
    sweep: Sweep,
    role: Role = "local",
    resume: str | None = "auto",
    testbeds: Sequence[Description] = (NetnsDescription(name="default"),),
    quiet: bool = False,
    accept_short: bool = False,
) -> SweepRun:
    """Measure every missing cell of a sweep, and once more each that has too few accepted samples; seal the campaign
    when there is none of either, or with `accept_short` none missing. Several testbeds share its rows.

    Ctrl-C ends the cells under way (their remains are kept apart) and leaves everything else to be resumed. A run that
    finds one of its testbeds in use is refused before it makes or changes anything.
    """
    require_measurable(sweep)
    needed = components_of(sweep.cells())
    stacks = (open_stack(name, full_check=True, needed=needed[name]) for name in sweep.stacks())
    digests = ", ".join(stack.digest for stack in stacks)
    with contextlib.ExitStack() as owning:
        # A control host's own worker owns what it controls.
        own = [place_of(bed).owned(f"sweep {sweep.name}") for bed in testbeds if bed.control is None]
        owners = [owning.enter_context(one) for one in own]
        for bed in testbeds:
            if bed.control is None:
                place_of(bed).require_reachable()
        for file in sorted({arm.server_file for cell in sweep.cells() for arm in cell.arms if arm.server_file}):
            kept(file)  # packages that it names are fetched now, and not in a cell
        campaign = open_campaign(paths.RAW, sweep, role, digests, resume=resume)
        owning.callback(campaign.close)
        for owner in owners:
            owner.is_for(f"campaign {campaign.id}")
        found = SweepRun(campaign)
        _measure(found, testbeds, quiet)
        if not accept_short:
            found.short = {cell.id: _lacking(campaign, cell) for cell in _short(campaign)}
        if not campaign.missing_cells() and not found.short:
            campaign.seal(wall_s=wall_s(campaign))
    return found


def _measure(found: SweepRun, testbeds: Sequence[Description], quiet: bool) -> None:
    campaign = found.campaign
    missing, short = (_granted(found, cells, testbeds) for cells in (campaign.missing_cells(), _short(campaign)))
    total = sum(estimate_s(cell) for cell in missing)
    among = f" on {len(testbeds)} testbeds" if len(testbeds) > 1 else ""
    of = len(campaign.info["cells"])
    minutes = total / 60 / len(testbeds)
    print(
        f"campaign {campaign.id}: {len(missing)} of {of} cells to measure{among}, about {minutes:.0f} min"
        + (f"; {len(short)} more have too few samples and are measured once more" if short else ""),
        file=sys.stderr,
    )
    with shown(campaign, total, quiet) as progress:
        if len(testbeds) == 1:
            _one_by_one(found, missing, short, testbeds[0], progress)
        else:
            _side_by_side(found, missing, short, testbeds, progress)
    for step in steps(campaign.info, campaign.records()):
        print(
            f"the wall clock was {set_by(step['step_s'])} while it was measured (found at {step['at']}): "
            "order and durations go by the monotonic clock, and the record tells of it",
            file=sys.stderr,
        )


def _granted(found: SweepRun, wanted: list[Cell], testbeds: Sequence[Description]) -> list[Cell]:
    """The cells for which this process has the rights; the others are named, and left for one who has."""
    without = refused(wanted, rights(), testbeds)
    for cell in wanted:
        if cell.id in without:
            found.note(cell, without[cell.id])
            print(f"{cell.id}: {without[cell.id]}", file=sys.stderr)
    return [cell for cell in wanted if cell.id not in without]


MOST_STOLEN = 0.02
"""Share of processor time; with some per cent most loads come out disturbed."""


def _tell_stolen(share: float, progress: Progress) -> bool:
    """Whether other virtual machines took so much that it must be said."""
    if share > MOST_STOLEN:
        progress.say(
            f"other virtual machines on this host took {share:.0%} of the processors' time (steal): loads are "
            "excluded for it, and repeated; on a quieter host, or at another time, this goes faster"
        )
    return share > MOST_STOLEN


def _one_by_one(
    found: SweepRun, missing: Sequence[Cell], short: Sequence[Cell], bed: Description, progress: Progress
) -> None:
    """`short`: cells of earlier sittings that have too few samples."""
    place = place_of(bed)
    campaign, measurer = found.campaign, Measurer(place, progress.say)
    told = not place.is_here

    def measure(cell: Cell) -> Failure | None:
        nonlocal told
        progress.begins(cell.id)
        began, before = time.monotonic(), cpu_times()
        failure = measurer.measure(campaign, cell)
        progress.ended(cell, bed.name, time.monotonic() - began, failure)
        told = told or _tell_stolen(cpu_times().stolen_since(before), progress)
        return failure

    for cell in missing:
        found.note(cell, measure(cell))
    for cell in [*short, *(cell for cell in missing if _is_short(campaign, cell))]:
        kept = _once_more(campaign, cell, progress)
        try:
            measure(cell)
        finally:
            _stays(campaign, cell, kept)


def _side_by_side(
    found: SweepRun,
    missing: Sequence[Cell],
    short: Sequence[Cell],
    testbeds: Sequence[Description],
    progress: Progress,
) -> None:
    """By Dask; in a second pass what came out short of accepted samples, now or in an earlier sitting, on the same
    testbeds."""
    from longlook.experiment.cluster import cluster
    from longlook.experiment.distribute import SAID, measure_all

    campaign = found.campaign
    kept: list[tuple[Cell, Path]] = []
    whole = assign([*missing, *short], [bed.name for bed in testbeds], _begun(campaign))
    plan = {name: [cell for cell in cells if cell in missing] for name, cells in whole.items()}
    try:
        with cluster(testbeds, f"campaign {campaign.id}") as opened:
            progress.say(f"dashboard: {opened.dashboard}")
            opened.client.subscribe_topic(SAID, lambda event: progress.say(event[1]))
            for again in (False, True):
                began = dict.fromkeys(plan, time.monotonic())
                for cell, where, failure in measure_all(campaign, plan, testbeds, opened.client):
                    progress.ended(cell, where, time.monotonic() - began[where], failure)
                    began[where] = time.monotonic()
                    if not again:
                        found.note(cell, failure)
                if again:
                    break
                plan = {name: [cell for cell in cells if _is_short(campaign, cell)] for name, cells in whole.items()}
                for cell in [cell for cells in plan.values() for cell in cells]:
                    kept.append((cell, _once_more(campaign, cell, progress)))
    finally:
        for cell, path in kept:
            _stays(campaign, cell, path)
        for bed in testbeds:  # a worker that was killed leaves what it had started
            if bed.control is None:
                place_of(bed).clean()


def _once_more(campaign: Campaign, cell: Cell, progress: Progress) -> Path:
    """Take a short cell out of the campaign, to be measured again; where its record is meanwhile."""
    progress.say(f"{cell.id}: too few of its samples were accepted ({_lacking(campaign, cell)}); once more")
    progress.more(estimate_s(cell))
    return campaign.withdraw_cell(cell)


def _lacking(campaign: Campaign, cell: Cell) -> str:
    """`arm quic has 8 of 20 samples, 52 rejected: disturbed 50, cca 2`, for each arm that has too few."""
    samples, found = read_samples(campaign.path / cell.id), []
    wanted = cell.loads if cell.mode == "interleaved" else 1
    for name in cell.arm_names:
        own = [one for one in samples if one.arm == name]
        if (accepted := sum(one.counts for one in own)) < wanted:
            counts = Counter(one.reject_reason for one in own if one.reject_reason is not None)
            words = ", ".join(f"{reason} {count}" for reason, count in counts.most_common())
            found.append(f"arm {name} has {accepted} of {wanted} samples, {counts.total()} rejected: {words or 'none'}")
    return "; ".join(found) or "its record says so"


def _stays(campaign: Campaign, cell: Cell, kept: Path) -> None:
    """A withdrawn cell stays as it was where it was not measured again, for whatever reason, or came to fewer."""
    if (campaign.path / cell.id).exists():
        if not _is_short(campaign, cell) or _least(campaign.path / cell.id, cell) >= _least(kept, cell):
            return
        campaign.withdraw_cell(cell)
    campaign.restore_cell(cell, kept)


def _least(folder: Path, cell: Cell) -> int:
    """Accepted samples of the arm that has the fewest."""
    counts = Counter(one.arm for one in read_samples(folder) if one.counts)
    return min(counts[name] for name in cell.arm_names)


def _short(campaign: Campaign) -> list[Cell]:
    """Its measured cells that have too few accepted samples."""
    return [cell for cell in campaign.cells() if _is_short(campaign, cell)]


def _begun(campaign: Campaign) -> dict[str, str]:
    """Row -> the testbed that has measured cells of it, from their records."""
    found = {}
    for cell in campaign.cells():
        record = campaign.path / cell.id / ENVIRONMENT_NAME
        if record.exists():
            found[row_of(cell)] = read_json(record).get("testbed", {}).get("name", "")
    return found


def _is_short(campaign: Campaign, cell: Cell) -> bool:
    """Measured, with fewer accepted samples than it asks for: as a rule the machine was disturbed for a while."""
    record = campaign.path / cell.id / CELL_NAME
    return record.exists() and not read_json(record)["complete"]
