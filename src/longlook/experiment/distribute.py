"""A sweep over several testbeds, by Dask: one worker process per testbed. Results land in one campaign.

A testbed is a resource of its worker alone, so that it never runs two cells at once. A worker that dies is started
again and its cell measured again; one on another control host (`control` in the testbeds' file) is started over SSH and
sends its records here. What all this opens is in cluster.py.
"""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from distributed import Client, Worker, as_completed, get_worker

from longlook.errors import LonglookError
from longlook.experiment.cluster import resource
from longlook.experiment.failure import Failure
from longlook.experiment.measure import TRIES_PER_CELL, Measurer
from longlook.experiment.places import place_of
from longlook.experiment.registry import experiment_of
from longlook.host.facts import git_commit
from longlook.plan.cell import Cell
from longlook.record.campaigns import Campaign, find_campaign
from longlook.stack import load_stack
from longlook.testbed.description import Description

SAID = "longlook"
"""Topic of what workers have to say while a cell is under way."""
_measurers: WeakKeyDictionary[Worker, Measurer] = WeakKeyDictionary()


@dataclass(frozen=True)
class Origin:
    """What a cell is measured with."""

    commit: str | None
    stack_digests: tuple[str, ...]

    @classmethod
    def of(cls, cell: Cell) -> Origin:
        return cls(git_commit(), tuple(load_stack(name).digest for name in cell.stacks))


def _measurer(bed: Description) -> Measurer:
    """This worker's own, for as long as it lives: it remembers whether its testbed was lost."""
    worker = get_worker()
    if worker not in _measurers:
        _measurers[worker] = Measurer(place_of(bed), lambda text: worker.log_event(SAID, text))
    return _measurers[worker]


def work(campaign_path: str, cell: Cell, bed: Description) -> Failure | None:
    """In a worker on this machine: the record goes straight into the campaign's folder, and survives the worker."""
    path = Path(campaign_path)
    if (path / cell.id).is_dir():  # finished just before the worker that did it died
        return None
    return _measurer(bed).measure(find_campaign(path.parent, path.name), cell)


def work_away(campaign_id: str, cell: Cell, bed: Description, origin: Origin) -> tuple[Failure | None, bytes]:
    """In a worker on another control host: why the cell is not whole, or None, and its folder as a tar file.

    That host must have the same code and stack: the campaign says what it was measured with.
    """
    if (here := Origin.of(cell)) != origin:
        raise LonglookError(
            f"control host of testbed {bed.name} has {here}, this one {origin}: bring both to the same commit and stack"
        )
    with tempfile.TemporaryDirectory(prefix="longlook-away-") as scratch:
        folder = Path(scratch)
        for _ in range(TRIES_PER_CELL):
            shutil.rmtree(folder)
            folder.mkdir()
            if (failure := place_of(bed).attempt(cell, campaign_id, folder, None)) is None:
                break
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for path in sorted(folder.iterdir()):
                archive.add(path, path.name)
        return failure, packed.getvalue()


def measure_all(
    campaign: Campaign, plan: dict[str, list[Cell]], testbeds: Sequence[Description], client: Client
) -> Iterator[tuple[Cell, str, Failure | None]]:
    """Measure every cell on its testbed; yields each cell as it ends, its testbed, and None or what went wrong."""
    futures = {}
    for bed in testbeds:
        for cell in plan[bed.name]:
            own: tuple = (campaign.id, cell, bed, Origin.of(cell)) if bed.control else (str(campaign.path), cell, bed)
            key = f"{bed.name}: {cell.id} {uuid.uuid4().hex[:8]}"
            task = client.submit(
                work_away if bed.control else work, *own, key=key, resources={resource(bed): 1}, pure=False
            )
            futures[task] = (cell, bed)
    for task in as_completed(list(futures)):
        cell, bed = futures[task]
        try:
            found = task.result()
        except Exception as error:  # the worker died again, or raised what is not the cell's own affair
            yield cell, bed.name, Failure("cell", f"{type(error).__name__}: {error}")
            continue
        yield cell, bed.name, _install(campaign, cell, *found) if bed.control else found


def _install(campaign: Campaign, cell: Cell, failure: Failure | None, packed: bytes) -> Failure | None:
    """Put a record that came from another control host into the campaign; finished only when it is whole."""
    try:
        partial = campaign.begin_cell(cell)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(partial, filter="data")
        if failure is None:
            campaign.finish_cell(partial, experiment_of(cell).files)
        return failure
    except LonglookError as refused:  # one bad record must not end the others' run
        return Failure.of(type(refused), str(refused))
