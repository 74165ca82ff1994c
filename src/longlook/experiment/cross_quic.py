"""Cross traffic over QUIC, by the example programs of ngtcp2, whatever the stacks of the arms (`QUIC_FLOWS`).

Each client writes what it gets to nowhere; the kernel counts that. The controller is the one that the running server
was started with: it has no way to be asked.
"""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError
from longlook.experiment.cross import PORT, START_TIMEOUT_S, CrossTraffic, Reading
from longlook.host import process
from longlook.host.hosts import Hosts, Role
from longlook.host.sockets import udp_listens
from longlook.plan.link import Link
from longlook.server.ngtcp2 import controller_of
from longlook.site.certificate import ORIGIN, Certificate
from longlook.stack.adapters import QUIC_FLOWS
from longlook.stack.installed import Installed

FILE, FILE_BYTES = "zeros", 1 << 40
"""A hole, so large that no cell comes to its end."""


class QuicCrossTraffic(CrossTraffic):
    """The flows that a link states; inside, they run."""

    protocol = "quic"

    def __init__(self, bed: Hosts, link: Link, stack: Installed, certificate: Certificate):
        super().__init__(bed, link)
        self._serve, self._fetch = (str(stack.binary(name)) for name in QUIC_FLOWS[1])
        self._tls = str(certificate.key), str(certificate.certificate)

    def _begin(self, owned: contextlib.ExitStack) -> None:
        folder = Path(owned.enter_context(tempfile.TemporaryDirectory()))
        place = self._bed.hosts["server"].address, str(PORT)
        with (folder / FILE).open("wb") as file:
            file.truncate(FILE_BYTES)
        command = [self._serve, "--quiet", f"--htdocs={folder}", f"--cc={self.link.cross_cca}", *place, *self._tls]
        self._server = self._run(owned, "server", command)
        self._wait_listening()
        nowhere = folder / "nowhere"
        nowhere.mkdir()
        (nowhere / FILE).symlink_to("/dev/null")
        command = [self._fetch, "--quiet", f"--download={nowhere}", *place, f"https://{ORIGIN}:{PORT}/{FILE}"]
        self._clients = [self._run(owned, "client", command) for _ in range(self.link.cross_flows or 0)]

    def _run(self, owned: contextlib.ExitStack, role: Role, command: Sequence[str]) -> Any:
        started = self._bed.popen(role, command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        owned.callback(process.stop, started)
        return started

    def _wait_listening(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not udp_listens(self._bed, PORT):
            if self._server.poll() is not None or time.monotonic() > deadline:
                raise LonglookError(f"the cross traffic's sender did not start, over QUIC by {self.link.cross_cca}")
            time.sleep(0.05)  # polling interval, bounded by the deadline

    def reading(self) -> Reading:
        """Now."""
        if self._server.poll() is not None:
            return Reading(time.monotonic(), {})
        cca = controller_of(self._server.pid)
        alive = [one.pid for one in self._clients if one.poll() is None]
        return Reading(time.monotonic(), {pid: (cca, written_bytes(pid)) for pid in alive}, {"protocol": self.protocol})


def written_bytes(pid: int) -> int:
    """What a process has handed to write(2) so far; what it sends to sockets is not of it."""
    told = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text(encoding="ascii").splitlines())
    return int(told["wchar"])
