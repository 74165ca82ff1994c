"""One cell on three nodes, from the control host.

Connect, clean up, provision, measure on the client node, bring the record back.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment.execute import limit_s
from longlook.experiment.failure import Failure
from longlook.experiment.registry import experiment_of
from longlook.node.provision import Provisioned, introduce
from longlook.node.session import NodeError, Session
from longlook.plan.cell import Cell
from longlook.testbed.description import EmulabDescription
from longlook.testbed.emulab import session_to
from longlook.testbed.ownership import used

GRACE_S = 60.0
"""Beyond a notebook's own bound, for the start of its kernel and the end of its programs."""
LEAST_FREE_BYTES = 2 * 10**9
"""On server and client, before a cell: stack, the largest page (210 MB) and a capture of it."""


class Nodes:
    """Context manager: the three nodes of a testbed, connected, clean and ready for some stacks' cells.

    Without stacks they are only clean.
    """

    def __init__(self, bed: EmulabDescription, stacks: Sequence[str] = ()):
        self.bed, self._stacks = bed, stacks

    def __enter__(self):
        self._owned = contextlib.ExitStack()
        try:
            # Before the first connection, which ends whatever it finds running.
            self._owned.enter_context(used(self.bed.name, paths.CACHE))
            self._server, self._bridge, self._client = (
                self._owned.enter_context(session_to(self.bed, role)) for role in ("server", "bridge", "client")
            )
            self._ready = {}
            for session in (self._server, self._client):
                self._check_disk(session)
                self._ready[session] = Provisioned(session, self.bed.folder, self.bed.python)
                for stack in self._stacks:
                    self._ready[session].place_stack(stack)
            if self._ready[self._server].python != self._ready[self._client].python:
                raise LonglookError(
                    f"testbed {self.bed.name}: server and client have different Pythons: "
                    "make both nodes from the same image"
                )
            self._key, self._known_hosts = introduce(self._client, (self._server, self._bridge), self.bed.folder)
        except BaseException:
            self._owned.close()
            raise
        return self

    def __exit__(self, *_):
        with contextlib.suppress(LonglookError):  # what runs there is ended now, or else at the next connection
            self._ready[self._client].clean()
            self._ready[self._server].clean()
        self._owned.close()

    def _check_disk(self, session: Session) -> None:
        folder = self.bed.folder
        session.run(["mkdir", "-p", folder], timeout_s=30)
        free = int(session.run(["df", "-Pk", folder], timeout_s=30).splitlines()[-1].split()[3]) * 1024
        if free < LEAST_FREE_BYTES:
            needed = LEAST_FREE_BYTES // 10**6
            raise NodeError(
                f"{session.what} ({session.host}): {free // 10**6} MB free for {folder}, {needed} MB needed: "
                "free space there, or name another `folder` in the testbeds' file"
            )

    def _place_of(self, campaign: str, cell_id: str) -> str:
        return f"{self.bed.folder}/cells/{campaign}/{cell_id}"

    def salvage(self, campaign: str, cell_id: str, folder: Path) -> bool:
        """Bring what an earlier, interrupted try at a cell left on the client node, and remove it there.

        Returns whether there was any.
        """
        there = self._place_of(campaign, cell_id)
        if not self._client.run(["sh", "-c", 'ls -A "$1" 2>/dev/null || true', "sh", there], timeout_s=30).strip():
            return False
        self._fetch(there, folder)
        return True

    def _fetch(self, there: str, folder: Path) -> None:
        for name in self._client.run(["ls", "-A", there], timeout_s=30).splitlines():
            self._client.get(f"{there}/{name}", folder / name)
        self._client.run(["rm", "-rf", there], timeout_s=60)

    def measure(self, cell: Cell, campaign: str, folder: Path) -> Failure | None:
        """Execute a cell's notebook on the client node and bring its record into `folder`."""
        there = self._place_of(campaign, cell.id)
        # Always empty: loads of an interrupted try must not go on in this one's record.
        self._client.run(["sh", "-c", 'rm -rf "$1" && mkdir -p "$1"', "sh", there], timeout_s=60)
        bed = self.bed.model_copy(update={"key": self._key, "known_hosts": self._known_hosts})
        parameters = {
            "cell": cell.model_dump(mode="json"),
            "folder": there,
            "campaign": campaign,
            "testbed": bed.model_dump(mode="json", exclude_none=True),
        }
        limit = limit_s(cell)
        request = {
            "notebook": experiment_of(cell).notebook,
            "folder": there,
            "parameters": parameters,
            "timeout_s": limit,
        }
        self._client.write(f"{there}.json", json.dumps(request))
        argv = [self._ready[self._client].python, "-m", "longlook.experiment.on_node", f"{there}.json"]
        said = self._client.run(argv, timeout_s=limit + GRACE_S).strip()
        self._fetch(there, folder)
        self._client.run(["rm", "-f", f"{there}.json"], timeout_s=30)
        failure = json.loads(said.splitlines()[-1])["failure"]
        if failure is None:
            return None
        return Failure(**failure).at(f"client node {self._client.host} of testbed {self.bed.name}")
