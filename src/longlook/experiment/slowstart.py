"""How TCP's connections of a cell begin: initial window, and the threshold that the server's kernel remembers.

Linux before 5.6 kept the slow start threshold of a connection that had ended in order, and began the next one to the
same host with it. What a threshold does is measured with one that is set, not with one that a lossy transfer happened
to leave: it stands locked on the server's route, one short connection enters it into the kernel's memory, and it is
read back from there before and after the loads.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.hosts import Hosts
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell

PORT = 7790
TIMEOUT_S = 15
ATTEMPTS = 3
"""An earlier connection whose last acknowledgement comes after the memory was emptied enters its own threshold,
and an entry that was made from a locked route keeps it: empty the memory and enter the threshold again."""
SERVE = f"""import socket, sys
listener = socket.create_server((sys.argv[1], {PORT}))
print("ready", flush=True)
one, _ = listener.accept()
one.sendall(b"x")
one.shutdown(socket.SHUT_WR)
one.recv(1)
one.close()
"""
ASK = f"""import socket, sys
one = socket.create_connection((sys.argv[1], {PORT}), {TIMEOUT_S - 5})
while one.recv(1):
    pass
one.close()
"""


@dataclass(frozen=True)
class SlowStart:
    """Of TCP's connections from the server."""

    window: int | None
    """Segments; None: the kernel's own."""
    threshold: int | None
    """Packets; None: the kernel remembers none."""

    @classmethod
    def of(cls, arm: Arm) -> SlowStart:
        return cls(arm.initial_window, arm.remembered_ssthresh)


def common(cell: Cell) -> SlowStart | None:
    """What all its TCP arms ask for; None where that is nothing, or not the same."""
    asked = {SlowStart.of(arm) for arm in cell.arms if arm.protocol == "tcp"} - {SlowStart(None, None)}
    return asked.pop() if len(asked) == 1 and not own(cell) else None


def own(cell: Cell) -> dict[str, SlowStart]:
    """Name of each TCP arm -> what it asks for, where they differ; else empty."""
    asked = {arm.name: SlowStart.of(arm) for arm in cell.arms if arm.protocol == "tcp"}
    return asked if len(set(asked.values())) > 1 else {}


def set_slow_start(bed: Hosts, wanted: SlowStart) -> None:
    """Have the server's TCP connections begin so from now on; a threshold is read back from the kernel's memory."""
    for _ in range(ATTEMPTS):
        bed.set_slow_start("server", wanted.window, wanted.threshold)
        if wanted.threshold is None:
            return
        _one_connection(bed)
        if remembered(bed).get("ssthresh") == wanted.threshold:
            return
    require(bed, wanted)


def require(bed: Hosts, wanted: SlowStart) -> None:
    """Raise unless the server's kernel remembers the threshold for the client, and no other."""
    if wanted.threshold is None:
        return
    found = remembered(bed).get("ssthresh")
    if found != wanted.threshold:
        raise LonglookError(
            f"the server's kernel remembers {'no slow start threshold' if found is None else f'a threshold of {found}'}"
            f", {wanted.threshold} packets were set"
        )


def remembered(bed: Hosts) -> dict[str, float]:
    """What the server's kernel keeps of earlier connections with the client, as `ip tcp_metrics` names it."""
    client = bed.hosts["client"].address
    said = bed.run("server", ["ip", "-json", "tcp_metrics", "show"], TIMEOUT_S)
    entries = json.loads(said) if said.strip() else []
    return next((dict(entry) for entry in entries if entry.get("dst") == client), {})


def _one_connection(bed: Hosts) -> None:
    """That the server closes first, in order: its end makes the kernel's entry."""
    address = bed.hosts["server"].address
    server = bed.popen("server", [sys.executable, "-c", SERVE, address], stdout=subprocess.PIPE, text=True)
    try:
        if process.piped(server.stdout).readline().strip() != "ready":
            raise LonglookError(f"nothing could listen on {address}:{PORT} to enter a threshold into TCP's memory")
        bed.run("client", [sys.executable, "-c", ASK, address], TIMEOUT_S)
        server.wait(TIMEOUT_S)
    finally:
        process.stop(server)
