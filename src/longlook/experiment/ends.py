"""The hosts at the ends of the link: what their interfaces count, read where they are on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from longlook.host import interfaces
from longlook.host.hosts import Role
from longlook.host.interfaces import Counted
from longlook.link.base import DIRECTIONS, LinkDriver

Reading = tuple[Mapping[str, Counted], Mapping[str, Mapping[str, float]], Mapping[str, Counted]]
"""Of the hosts, of the link per direction, and of the hosts again."""


class Program(Protocol):
    """A client or a server."""

    @property
    def pids(self) -> tuple[int, ...]: ...


def reading(link: LinkDriver, client: Program, server: Program) -> Reading:
    """What link and hosts have counted by now."""
    return hosts(link, client, server), link.counters(), hosts(link, client, server)


def hosts(link: LinkDriver, client: Program, server: Program) -> dict[str, Counted]:
    """`client` and `server`, as far as they and the link are on this machine and their programs run."""
    found: dict[str, Counted] = {}
    ends: dict[Role, Program] = {"client": client, "server": server} if link.pids else {}
    for role, program in ends.items():
        name = link.testbed.hosts[role].interfaces[0]
        if program.pids and (counts := interfaces.counted(program.pids[0], name)) is not None:
            found[role] = counts
    return found


COUNTED = (
    "packets_in",
    "bytes_in",
    "dropped_loss",
    "dropped_queue",
    "packets_out",
    "bytes_out",
    "socket_drops",
    "late_over_1ms",
    "behind_us",
)
MANAGED = ("dropped_aqm", "marked_ce", "ecn_capable")
SELDOM = ("corrupted", "duplicated", *MANAGED, "send_errors", "memory_drops", "oversize_drops")
"""The same, of a link that does such a thing, or to which it happened."""


def between(before: Reading, after: Reading) -> dict[str, dict[str, float]]:
    """What the link counted from one reading to another, per direction; a link that does not count something says
    nothing of it."""
    return {way: _counted(before[1][way], after[1][way]) for way in DIRECTIONS}


def _counted(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    kept = (*COUNTED, *(key for key in SELDOM if after.get(key)))
    return {key: after[key] - before.get(key, 0) for key in kept if key in after}
