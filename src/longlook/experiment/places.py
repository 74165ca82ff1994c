"""Where a cell is measured: on this machine, or on three nodes.

One class per testbed driver, all of which do the same.
"""

from __future__ import annotations

import abc
import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment.execute import execute, limit_s
from longlook.experiment.failure import Failure
from longlook.experiment.nodes import Nodes
from longlook.experiment.registry import experiment_of
from longlook.host.hosts import Role
from longlook.node.session import NodeError
from longlook.plan.cell import Cell
from longlook.testbed import netns
from longlook.testbed.base import LOCKS
from longlook.testbed.description import Description, EmulabDescription, NetnsDescription
from longlook.testbed.emulab import session_to
from longlook.testbed.ownership import Owner, entitled, owned

PATIENCE_S = 600.0
"""For a node that does not answer: a restart of an Emulab node takes about five minutes."""
POLL_S = 5.0
ROLES: tuple[Role, ...] = ("server", "bridge", "client")
D = TypeVar("D", bound=Description)


class Place(abc.ABC, Generic[D]):
    """A testbed as the run of a sweep sees it."""

    is_here: bool
    """Whether this machine itself must be fit to measure on."""

    def __init__(self, bed: D):
        self.bed = bed

    @abc.abstractmethod
    def owned(self, what: str) -> contextlib.AbstractContextManager[Owner]:
        """Own the testbed, from the first to the last cell of a run; raises at once where somebody else does."""

    def require_reachable(self) -> None:
        """Raise at once, with what to do, where a host of the testbed cannot be reached: before anything is begun."""

    @abc.abstractmethod
    def attempt(
        self, cell: Cell, campaign: str, folder: Path, set_aside: Callable[[], object] | None
    ) -> Failure | None:
        """One try at a cell, its record into the empty `folder`.

        What an earlier try whose connection was lost left behind is brought into `folder` first and set aside (kept,
        never averaged), if there is a `set_aside`.
        """

    @abc.abstractmethod
    def clean(self) -> None:
        """End what runs there, as far as it can be reached: after a run whose workers were killed."""

    @abc.abstractmethod
    def is_back(self, patience_s: float) -> bool:
        """Whether all hosts answer within so many seconds."""


class HerePlace(Place[NetnsDescription]):
    """Three namespaces on the machine that runs the cell."""

    is_here = True

    def owned(self, what: str) -> contextlib.AbstractContextManager[Owner]:
        return self._owned(what)

    @contextlib.contextmanager
    def _owned(self, what: str) -> Iterator[Owner]:
        """What a killed run left goes first: this one may end before it comes to a cell."""
        with owned(self.bed.name, LOCKS, what) as owner:
            netns.remove(self.bed.name)
            try:
                yield owner
            finally:
                netns.remove(self.bed.name)

    def attempt(
        self, cell: Cell, campaign: str, folder: Path, set_aside: Callable[[], object] | None
    ) -> Failure | None:
        parameters = {
            "cell": cell.model_dump(mode="json"),
            "folder": str(folder),
            "campaign": campaign,
            "testbed": self.bed.name,
        }
        with entitled(self.bed.name, LOCKS):
            try:
                return execute(experiment_of(cell).notebook, folder, parameters, limit_s(cell))
            finally:
                netns.remove(self.bed.name)  # nothing there after a cell that ended by itself

    def clean(self) -> None:
        with entitled(self.bed.name, LOCKS):
            netns.remove(self.bed.name)

    def is_back(self, patience_s: float) -> bool:
        return True


class NodesPlace(Place[EmulabDescription]):
    """Three nodes over SSH."""

    is_here = False

    def owned(self, what: str) -> contextlib.AbstractContextManager[Owner]:
        return owned(self.bed.name, paths.CACHE, what)

    def require_reachable(self) -> None:
        for role in ROLES:
            session = session_to(self.bed, role)
            print(f"reaching {session!r}", file=sys.stderr, flush=True)
            with session:
                pass

    def attempt(
        self, cell: Cell, campaign: str, folder: Path, set_aside: Callable[[], object] | None
    ) -> Failure | None:
        try:
            with Nodes(self.bed, cell.stacks) as nodes:
                if set_aside and nodes.salvage(campaign, cell.id, folder):
                    set_aside()
                return nodes.measure(cell, campaign, folder)
        except NodeError as error:
            return Failure.of(type(error), str(error))

    def clean(self) -> None:
        with contextlib.suppress(LonglookError), Nodes(self.bed):
            pass

    def is_back(self, patience_s: float) -> bool:
        deadline = time.monotonic() + patience_s
        waiting = list(ROLES)
        while waiting and time.monotonic() < deadline:
            with contextlib.suppress(LonglookError), session_to(self.bed, waiting[0]) as session:
                session.run(["true"], timeout_s=10, as_root=False)
                waiting.pop(0)
                continue
            time.sleep(POLL_S)  # polling interval, bounded by the deadline
        return not waiting


PLACES: dict[str, type[Place]] = {"netns": HerePlace, "emulab": NodesPlace}
"""By testbed driver."""


def place_of(bed: Description) -> Place:
    """The place of a testbed."""
    return PLACES[bed.driver](bed)
