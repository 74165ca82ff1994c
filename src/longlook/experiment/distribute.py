"""A sweep over several testbeds, by Dask: one worker process per testbed, which is a resource of that worker alone, so that
a testbed never runs two cells at once. Results land in one campaign.

A worker that dies is started again and its cell measured again; one on another control host (`control` in the testbeds' file)
is started over SSH and sends its records here.
"""

from __future__ import annotations

import contextlib
import io
import shutil
import socket
import tarfile
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
import dask
from distributed import Client, Nanny, Scheduler, SpecCluster, as_completed
from distributed.deploy.ssh import Worker as SSHWorker

from longlook.errors import LonglookError
from longlook.experiment.measure import TRIES_PER_CELL, attempt, measure_cell
from longlook.experiment.rows import AnyCell
from longlook.host.facts import git_commit
from longlook.node.login import login_options
from longlook.record.campaigns import Campaign, find_campaign
from longlook.stack import load_stack
from longlook.testbed.description import Control, Description

DASHBOARD_PORT = 8787
"""Dask's usual one; another is taken where it is in use."""
WORKERS_TIMEOUT_S = 120
WORKER_DEATHS = 1
"""So often a cell may have its worker die under it and be measured again; `measure_cell` itself tries a cell twice."""


@dataclass(frozen=True)
class Origin:
    """What a cell is measured with."""

    commit: str | None
    stack_digest: str

    @classmethod
    def of(cls, stack: str) -> Origin:
        return cls(git_commit(), load_stack(stack).digest)


def resource(bed: Description) -> str:
    return f"testbed-{bed.name}"


def work(campaign_path: str, cell: AnyCell, bed: Description) -> str | None:
    """In a worker on this machine: the record goes straight into the campaign's folder, and survives the worker."""
    path = Path(campaign_path)
    if (path / cell.cell_id).is_dir():  # finished just before the worker that did it died
        return None
    return measure_cell(find_campaign(path.parent, path.name), cell, bed)


def work_away(
    experiment: str, campaign_id: str, cell: AnyCell, bed: Description, origin: Origin
) -> tuple[str | None, bytes]:
    """In a worker on another control host: why the cell is not whole, or None, and its folder as a tar file. That host must
    have the same code and stack: the campaign says what it was measured with."""
    if (here := Origin.of(cell.stack)) != origin:
        raise LonglookError(
            f"control host of testbed {bed.name} has {here}, this one {origin}: bring both to the same commit and stack"
        )
    with tempfile.TemporaryDirectory(prefix="longlook-away-") as scratch:
        folder = Path(scratch)
        for _ in range(TRIES_PER_CELL):
            shutil.rmtree(folder)
            folder.mkdir()
            if (error := attempt(experiment, campaign_id, cell, bed, folder)) is None:
                break
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as archive:
            for path in sorted(folder.iterdir()):
                archive.add(path, path.name)
        return error, packed.getvalue()


@contextlib.contextmanager
def cluster(testbeds: Sequence[Description], port: int = DASHBOARD_PORT) -> Iterator[Client]:
    """Scheduler in this process, one worker per testbed; all end with it, also when this process is killed."""
    host = _own_address([bed.control for bed in testbeds if bed.control])
    scheduler = {"cls": Scheduler, "options": {"host": host, "port": 0, "dashboard_address": f"{host}:{port}"}}
    allowed = dask.config.set({"distributed.scheduler.allowed-failures": WORKER_DEATHS})
    with (
        allowed,
        _started(),
        SpecCluster(workers={bed.name: _worker(bed) for bed in testbeds}, scheduler=scheduler, name="longlook") as made,
        Client(made) as client,
    ):
        client.wait_for_workers(len(testbeds), timeout=WORKERS_TIMEOUT_S)
        yield client


@contextlib.contextmanager
def _started() -> Iterator[None]:
    """What the library raises when a worker cannot be started, as one message."""
    try:
        yield
    except (TimeoutError, OSError, RuntimeError, asyncssh.Error) as error:
        raise LonglookError(
            f"the workers could not be started or were lost: {error}; are the control hosts up, and is longlook installed there?"
        ) from error


def _own_address(controls: Sequence[Control]) -> str:
    """Where the scheduler listens: on this machine only, or at the address from which the other control hosts are reached."""
    if not controls:
        return "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect((controls[0].host, controls[0].port))  # of UDP: sends nothing
        return way.getsockname()[0]


def _worker(bed: Description) -> dict[str, Any]:
    """A worker's entry in a SpecCluster; the parts that SSHCluster is made of, since that knows no resources per worker."""
    own = {"nthreads": 1, "resources": {resource(bed): 1}, "name": bed.name, "memory_limit": 0, "dashboard": False}
    if bed.control is None:
        return {"cls": Nanny, "options": own}
    connect = {"port": bed.control.port, "username": bed.control.user} | login_options(
        bed.control.key, bed.control.known_hosts
    )
    options = {
        "address": bed.control.host,
        "connect_options": connect,
        "kwargs": own,
        "remote_python": bed.control.python,
    }
    return {"cls": SSHWorker, "options": options}


def measure_all(
    campaign: Campaign, plan: dict[str, list[AnyCell]], testbeds: Sequence[Description], client: Client
) -> Iterator[tuple[AnyCell, str, str | None]]:
    """Measure every cell on its testbed; yields each cell as it ends, its testbed, and None or what went wrong."""
    futures = {}
    for bed in testbeds:
        for cell in plan[bed.name]:
            arguments = (
                (campaign.experiment, campaign.id, cell, bed, Origin.of(cell.stack))
                if bed.control
                else (str(campaign.path), cell, bed)
            )
            task = client.submit(
                work_away if bed.control else work,
                *arguments,
                key=f"{bed.name}: {cell.cell_id} {uuid.uuid4().hex[:8]}",
                resources={resource(bed): 1},
                pure=False,
            )
            futures[task] = (cell, bed)
    for task in as_completed(list(futures)):
        cell, bed = futures[task]
        try:
            found = task.result()
        except Exception as error:  # the worker died again, or raised what is not the cell's own affair
            yield cell, bed.name, f"{type(error).__name__}: {error}"
            continue
        yield cell, bed.name, _install(campaign, cell, *found) if bed.control else found


def _install(campaign: Campaign, cell: AnyCell, error: str | None, packed: bytes) -> str | None:
    """Put a record that came from another control host into the campaign; finished only when it is whole."""
    try:
        partial = campaign.begin_cell(cell)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(partial, filter="data")
        if error is None:
            campaign.finish_cell(partial)
        return error
    except LonglookError as refused:  # one bad record must not end the others' run
        return str(refused)
