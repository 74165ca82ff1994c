"""What distribution over several testbeds opens: a scheduler in this process and one Dask worker per testbed.

Dask runs whatever it is sent, and namespaces make a run root's. So everything that listens speaks mutual TLS by
certificates made for this run (credentials.py), which also holds off this machine's other users; and it listens on
loopback, but for the scheduler where another control host must reach it, and that host's worker, at the address by
which it was reached.
"""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import logging
import shlex
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import asyncssh
import dask
from distributed import Client, Nanny, Scheduler, SpecCluster
from distributed.deploy.spec import ProcessInterface

from longlook.errors import LonglookError
from longlook.experiment.away import READY, QuietWorker
from longlook.experiment.credentials import make_credentials, security, workers_own
from longlook.experiment.scratch import own_scratch
from longlook.host.command import kill_tree
from longlook.node.login import login_options
from longlook.node.session import CONNECT_TIMEOUT_S
from longlook.testbed.description import Control, Description

LOOPBACK = "127.0.0.1"
DASHBOARD_PORT = 8787
"""Dask's usual one; another is taken where it is in use."""
WORKERS_TIMEOUT_S = 120
WORKER_DEATHS = 1
"""So often a cell may have its worker die under it and be measured again; `measure_cell` itself tries a cell twice."""

AS_LONG = {"name": "longlook", "shutdown_on_close": False}
"""A cluster ends where it was made; at the end of this process Dask would wait ten seconds for one half made."""


@dataclass(frozen=True)
class RunningCluster:
    """A cluster that is up."""

    client: Client
    dashboard: str
    """Address of the dashboard, for a browser on this machine."""


def resource(bed: Description) -> str:
    """A testbed, as a resource of its worker alone."""
    return f"testbed-{bed.name}"


@contextlib.contextmanager
def cluster(testbeds: Sequence[Description], what: str, port: int = DASHBOARD_PORT) -> Iterator[RunningCluster]:
    """Scheduler in this process, one worker per testbed; all end with it, also when this process is killed. `what` says
    for what a worker on another control host owns its testbed."""
    credentials = make_credentials()
    own = security(credentials)
    host = _own_address([bed.control for bed in testbeds if bed.control])
    options = {"host": host, "port": 0, "dashboard_address": f"{LOOPBACK}:{port}", "security": own}
    workers = {bed.name: _worker(bed, what, credentials) for bed in testbeds}
    allowed = dask.config.set({"distributed.scheduler.allowed-failures": WORKER_DEATHS})
    with (
        _last_words(),
        own_scratch(),
        allowed,
        _started(),
        SpecCluster(workers, {"cls": Scheduler, "options": options}, security=own, **AS_LONG) as made,
        Client(made, security=own) as client,
        _ended_at_once(made),
    ):
        client.wait_for_workers(len(testbeds), timeout=WORKERS_TIMEOUT_S)
        yield RunningCluster(client, f"http://{LOOPBACK}:{made.scheduler.http_server.port}/status")


@contextlib.contextmanager
def _last_words() -> Iterator[None]:
    """Who interrupts a run need not read, for every worker, that it was killed."""
    try:
        yield
    except KeyboardInterrupt:
        logging.disable(logging.CRITICAL)
        raise


@contextlib.contextmanager
def _ended_at_once(made: SpecCluster) -> Iterator[None]:
    """A run that is interrupted waits for no cell: Dask would, for seconds, and then kill the worker without what that
    has started."""
    try:
        yield
    except BaseException:
        for nanny in made.workers.values():
            if isinstance(nanny, Nanny):
                nanny.close_gracefully()  # it starts no other in its place
                if nanny.process is not None and nanny.process.pid is not None:
                    kill_tree(nanny.process.pid)
        raise


@contextlib.contextmanager
def _started() -> Iterator[None]:
    """What the library raises when a worker cannot be started, as one message."""
    try:
        yield
    except (TimeoutError, OSError, RuntimeError, asyncssh.Error) as error:
        raise LonglookError(
            f"the workers could not be started or were lost: {error}; are the control hosts up, "
            "and is longlook installed there?"
        ) from error


def _own_address(controls: Sequence[Control]) -> str:
    """Where the scheduler listens: on this machine only, or at the address from which control hosts are reached."""
    if not controls:
        return LOOPBACK
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        way.connect((controls[0].host, controls[0].port))  # of UDP: sends nothing
        return way.getsockname()[0]


def _worker(bed: Description, what: str, credentials: dict[str, str]) -> dict[str, Any]:
    """A worker's entry in a SpecCluster.

    A local worker runs as the run does: as root where any testbed is of namespaces. It cannot give that up: the kernels
    of its notebooks make namespaces and enter them (CAP_SYS_ADMIN), set kernel settings, raise priorities. A run over
    nodes only needs no root, and neither does a control host of nodes: it is logged in to as whoever started the run.
    """
    options = {"nthreads": 1, "resources": {resource(bed): 1}, "name": bed.name, "memory_limit": 0, "dashboard": False}
    own = workers_own(credentials)
    if bed.control is None:
        local = {"host": LOOPBACK, "security": security(own), "worker_class": QuietWorker}
        return {"cls": Nanny, "options": options | local}
    said = {"bed": bed.model_dump(mode="json", exclude_none=True), "what": what, "options": options, "credentials": own}
    user = bed.control.user or ("root" if bed.driver == "netns" else getpass.getuser())
    return {"cls": AwayWorker, "options": {"control": bed.control, "user": user, "said": said}}


class AwayWorker(ProcessInterface):
    """A worker on another control host, started over SSH, which ends with its connection (away.py runs there)."""

    def __init__(self, scheduler: str, name: str, control: Control, user: str, said: dict[str, Any]):
        super().__init__()
        self._control, self._user = control, user
        self._said = said | {"scheduler": scheduler}

    async def start(self) -> None:
        """Credentials go over the connection, into the worker's memory: there is nothing to remove over there."""
        own = self._control
        login = login_options(own.key, own.known_hosts)
        self._connection = await asyncssh.connect(
            own.host, port=own.port, username=self._user, connect_timeout=CONNECT_TIMEOUT_S, **login
        )
        reached = self._connection.get_extra_info("peername")[0]
        argv = [own.python, "-m", "longlook.experiment.away"]
        self._process = await self._connection.create_process(shlex.join(argv))
        self._process.stdin.write(json.dumps(self._said | {"host": reached}) + "\n")
        async with asyncio.timeout(WORKERS_TIMEOUT_S):
            if (await self._process.stdout.readline()).strip() != READY:
                raise RuntimeError(f"worker on {own.host}: {(await self._process.stderr.read()).strip()[-500:]}")
        await super().start()

    async def close(self) -> None:
        """End it, also where it is half started."""
        if hasattr(self, "_process"):
            self._process.stdin.write_eof()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(10):
                    await self._process.wait()
            self._process.kill()  # https://github.com/ronf/asyncssh/issues/112
        if hasattr(self, "_connection"):
            self._connection.close()
        await super().close()
