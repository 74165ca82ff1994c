"""Clients and servers of the sweep shreedhar-cloud asked how often they call the kernel for a megabyte; a table that is
kept.

Each pair of them has one file fetched over the sweep's link inside a testbed, with nothing else measured: as the sweep
has it; with the client's host putting packets together (generic receive offload); and from ngtcp2's server without what
it puts together itself (UDP_SEGMENT, generic segmentation offload), which is told so by `--max-gso-dgrams=1`. The same
file is fetched once more to see in which calls the system's time goes, since that slows what it looks at.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from longlook.client.base import Request
from longlook.experiment.asked import read_rows, write_rows
from longlook.experiment.asking import asking, must_load
from longlook.experiment.context import PORTS, Context
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.probe.call_times import CallTimes, timed
from longlook.probe.calls import counted
from longlook.server import SERVERS
from longlook.server.base import ServerSettings
from longlook.server.ngtcp2 import Ngtcp2
from longlook.stack.arms import open_sweep
from longlook.testbed.base import Testbed

SWEEP = "shreedhar-cloud"
TIMEOUT_S = 30
USUAL, RECEIVE, NO_SEGMENTS = "as measured", "client's GRO", "no GSO"
"""What is put together: as the sweep has it (what the server does itself); besides, what arrives; nothing at all."""


class Ngtcp2WithoutGso(Ngtcp2):
    """A system call for each datagram."""

    def _command(self) -> list[str]:
        program, *rest = super()._command()
        return [program, "--max-gso-dgrams=1", *rest]


@dataclass(frozen=True)
class Syscalls:
    """One end of one pair: calls for a megabyte (1,000,000 bytes) of the file."""

    arm: str
    """Its name in the sweep."""
    offload: str
    """USUAL, RECEIVE or NO_SEGMENTS."""
    end: str
    """`client` or `server`."""
    version: str
    """Of that program."""
    sends: float
    receives: float
    writes: float
    """And of files: of what a server logs, too."""
    reads: float
    waits: float
    all: float
    longest: str
    """The three calls that took most of the system's time, with their shares in %: `recvmsg 77, poll 17, close 5`."""


def cell() -> Cell:
    """The sweep's largest file, with its fast clients."""
    largest = max(open_sweep(SWEEP).cells(), key=lambda one: one.workload.total_bytes)
    return largest.model_copy(update={"arms": tuple(arm for arm in largest.arms if arm.client_cpu_pct is None)})


def ask(bed: Testbed) -> Iterator[Syscalls]:
    """Each in turn; installs the stacks that are not there. A client that fails is a `LonglookError`."""
    of = cell()
    with asking(bed, of) as context:
        for arm in of.arms:
            yield from _asked(context, arm, USUAL)
            with _receive_offload(bed):
                yield from _asked(context, arm, RECEIVE)
            if arm.server == Ngtcp2.name:
                yield from _asked(context, arm, NO_SEGMENTS)


@contextlib.contextmanager
def _receive_offload(bed: Testbed) -> Iterator[None]:
    """The client's interface puts packets together before its programs see them."""
    (interface, *_) = bed.hosts["client"].interfaces
    bed.run("client", ["ethtool", "-K", interface, "gro", "on"], timeout_s=10)
    try:
        yield
    finally:
        bed.run("client", ["ethtool", "-K", interface, "gro", "off"], timeout_s=10)


def _asked(context: Context, arm: Arm, offload: str) -> Iterator[Syscalls]:
    port, own = PORTS[0], context.certificate
    kind = Ngtcp2WithoutGso if offload == NO_SEGMENTS else SERVERS[arm.server]
    settings = ServerSettings(arm, context.site, own.certificate, own.key, port)
    with (
        must_load(arm),
        context.bed.server(kind, context.stacks[arm.stack], settings) as server,
        context.client(arm, port) as client,
    ):
        versions = {"client": client.version(), "server": server.version()}
        request = Request(context.site.start, TIMEOUT_S, fresh=True)
        with counted(client.pids) as by_client, counted(server.pids) as by_server:
            client.fetch(request)
        with timed(client.pids) as of_client, timed(server.pids) as of_server:
            client.fetch(request)
    megabytes = context.cell.workload.total_bytes / 1e6
    for end, calls, times in (("client", by_client, of_client), ("server", by_server, of_server)):
        counts = {kind: round(count / megabytes, 2) for kind, count in calls.counts.items()}
        yield Syscalls(arm.name, offload, end, versions[end], **counts, longest=_longest(times))


def _longest(times: CallTimes) -> str:
    return ", ".join(f"{name} {pct:.0f}" for name, pct in list(times.pct.items())[:3])


def write(path: Path, found: Iterable[Syscalls]) -> None:
    """The table, one line per end of each pair, offload by offload."""
    write_rows(path, Syscalls, found)


def read(path: Path) -> list[Syscalls]:
    """What `write` wrote; none before that."""
    return read_rows(path, _syscalls, "syscalls")


def _syscalls(row: dict[str, str]) -> Syscalls:
    names = ("sends", "receives", "writes", "reads", "waits")
    sends, receives, writes, reads, waits = (float(row[name]) for name in names)
    of = row["arm"], row["offload"], row["end"], row["version"]
    return Syscalls(*of, sends, receives, writes, reads, waits, float(row["all"]), row["longest"])
