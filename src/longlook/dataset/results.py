"""The cells of a campaign with their samples, from its raw records: what every table and comparison is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from longlook.analysis.result import CellResult
from longlook.errors import LonglookError
from longlook.experiment.base import Experiment
from longlook.experiment.registry import named
from longlook.plan.cell import Cell
from longlook.record.campaign import ENVIRONMENT_NAME, Campaign
from longlook.record.durable import read_json
from longlook.record.samples import Sample


def read_results(campaign: Campaign, *, environments: bool = False) -> list[CellResult]:
    """`results_of` a campaign, its samples as they are. A damaged record is a `LonglookError` that names it."""
    experiment = named(campaign.experiment, f"campaign {campaign.id}")
    samples = {
        folder.name: checked(experiment, campaign.cell_in(folder), folder) for folder in campaign.finished_cells()
    }
    return results_of(campaign, samples, environments=environments)


def results_of(
    campaign: Campaign, samples_of: Mapping[str, Sequence[Sample]], *, environments: bool = False
) -> list[CellResult]:
    """Every finished cell of a campaign, sealed or still growing, in the order of its sweep; `samples_of`: by cell.

    Cells whose arms ran together are pooled with those that repeat them (same series, label, key and arms); cells
    whose arms took turns are not, since each is a comparison of its own.
    """
    experiment = named(campaign.experiment, f"campaign {campaign.id}")
    pooled: dict[tuple, list[tuple[Cell, Sequence[Sample], Path]]] = {}
    for folder in campaign.finished_cells():
        cell = campaign.cell_in(folder)
        samples = samples_of[folder.name]
        same = (cell.series, cell.label, cell.key, cell.arms) if cell.mode == "together" else (cell.id,)
        pooled.setdefault(same, []).append((cell, samples, folder))
    return [
        CellResult(
            campaign=campaign.id,
            experiment=experiment,
            cells=tuple(cell for cell, _, _ in repeats),
            samples=tuple(sample for _, samples, _ in repeats for sample in samples),
            counts=tuple(len(samples) for _, samples, _ in repeats),
            environments=told if environments else (),
            processors=told[0].get("cpus"),
        )
        for repeats in pooled.values()
        for told in [tuple(read_json(one[-1] / ENVIRONMENT_NAME) for one in (repeats if environments else repeats[:1]))]
    ]


def checked(experiment: Experiment, cell: Cell, folder: Path) -> list[Sample]:
    """The samples of a finished cell, which must be of its arms."""
    samples = list(experiment.read(cell, folder))
    strangers = sorted({sample.arm for sample in samples} - set(cell.arm_names))
    if strangers:
        raise LonglookError(
            f"{folder}: samples of arm {', '.join(strangers)}; the cell's arms are {', '.join(cell.arm_names)}"
        )
    return samples


def with_folders(campaign: Campaign) -> Iterator[tuple[Cell, Path]]:
    """Each finished cell with its folder."""
    for folder in campaign.finished_cells():
        yield campaign.cell_in(folder), folder
