"""All checks of one campaign, the cheap ones first: what a later one relies on, an earlier one has checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longlook.dataset.checks.cell import cell_problems
from longlook.dataset.checks.plan import plan_problems
from longlook.dataset.typical import TypicalLoad, typical_loads
from longlook.errors import LonglookError
from longlook.experiment.base import Experiment
from longlook.experiment.registry import named
from longlook.plan.cell import Cell
from longlook.record.campaign import Campaign
from longlook.record.campaigns import unreadable, verify
from longlook.record.manifest import links_in
from longlook.record.samples import Sample
from longlook.record.upgrade import UNREADABLE


@dataclass
class Checked:
    """What the checks of a campaign found; `problems`: a line each, without its name, none where it may be believed."""

    problems: list[str] = field(default_factory=list)
    samples: dict[str, Sequence[Sample]] = field(default_factory=dict)
    """By cell."""
    typical: dict[str, list[TypicalLoad]] = field(default_factory=dict)
    """Of page loads, by cell: a load of each arm with what was seen of it."""
    prints: dict[int, str] = field(default_factory=dict)
    """What tells a sample from all others -> its cell."""


def check_campaign(campaign: Campaign) -> Checked:
    """Everything that a campaign's own files can tell about it. Never raises for what is wrong with them."""
    found = Checked()
    try:
        found.problems += _seal_problems(campaign)
        if not found.problems:
            planned = {cell.id: cell for cell in campaign.planned_cells()}
            found.problems += plan_problems(campaign, planned)
        if not found.problems:
            experiment = named(campaign.experiment, f"campaign {campaign.id}")
            for folder in campaign.finished_cells():
                _check_cell(found, campaign, experiment, planned[folder.name], folder)
    except LonglookError as error:
        found.problems.append(str(error).replace(f"{campaign.path}/", ""))
    except UNREADABLE as error:
        found.problems.append(unreadable(error))
    return found


def _seal_problems(campaign: Campaign) -> list[str]:
    """Of its files as a whole: against its manifest where it has one."""
    if campaign.is_sealed:
        return [line.removeprefix(f"{campaign.path.name}: ") for line in verify(campaign.path)]
    if campaign.info["sealed"]:
        return [f"it says that it was sealed ({campaign.info['sealed']}), and its manifest is missing"]
    return [f"{name} is a symbolic link: a record has none" for name in links_in(campaign.path)]


def _check_cell(found: Checked, campaign: Campaign, experiment: Experiment, planned: Cell, folder: Path) -> None:
    problems = list(cell_problems(campaign, planned, folder))
    if not problems:
        again = experiment.recheck(planned, folder)
        problems = again.problems
        found.samples[folder.name] = again.samples
        found.typical[folder.name] = typical_loads(planned, again.samples, again.seen)
        for one in again.prints:
            if one in found.prints:
                problems.append(f"one of its samples is also a sample of cell {found.prints[one]}")
            found.prints[one] = folder.name
    found.problems += [f"cell {folder.name}: {line}" for line in problems]
