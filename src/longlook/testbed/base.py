"""The contract of a testbed: three hosts (server, bridge, client) on which programs run.

A driver subclasses `Testbed` and writes `_up`, `_down` and `popen`; the base gives the context manager,
so that every driver cleans up after a failure in the same way.
"""

from __future__ import annotations

import abc
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from longlook.errors import LonglookError

Role = Literal["server", "bridge", "client"]
LOCKS = Path("/run")
"""Folder of the testbeds' locks: one owner per testbed's name and machine."""


@dataclass(frozen=True)
class Host:
    """One node: how programs there see the experiment network."""

    role: Role
    address: str
    """IPv4 address on the experiment network; empty on the bridge, which forwards at layer 2."""
    interfaces: tuple[str, ...]
    """Experiment interfaces; the bridge has two: towards the server, towards the client."""


class Testbed(abc.ABC):
    """Server - bridge - client. Use as a context manager; leaving it ends what was started on it."""

    __test__ = False  # not a pytest class, whatever its name
    driver: str
    """Its kind, as in TESTBEDS."""
    name: str
    hosts: Mapping[Role, Host]

    def __enter__(self):
        try:
            self._up()
        except BaseException:
            self._down()
            raise
        return self

    def __exit__(self, *_):
        self._down()

    @abc.abstractmethod
    def _up(self) -> None:
        """Make the hosts ready; also when an earlier run died here without cleaning up."""

    @abc.abstractmethod
    def _down(self) -> None:
        """End every process started here and give the hosts back. Never raises for what is gone already."""

    @abc.abstractmethod
    def popen(self, role: Role, argv: Sequence[str], **options) -> subprocess.Popen:
        """Start a program on a host; it dies with the testbed, and with the driver. `options` as of Popen."""

    @abc.abstractmethod
    def sysctls(self) -> dict[str, dict[str, str]]:
        """The network settings in force, per host, as read back from the kernel."""

    def machines(self) -> dict[str, dict]:
        """Facts (as of sysinfo.machine) about hosts that are other machines than the one that this runs on."""
        return {}

    @abc.abstractmethod
    def set_cca(self, role: Role, name: str) -> str:
        """Set the TCP congestion controller of new connections on a host; the one in force is returned."""

    @abc.abstractmethod
    def set_initial_window(self, role: Role, segments: int) -> None:
        """Set TCP's initial congestion window of new connections from a host, segments."""

    def server(self, kind, stack, settings) -> AbstractContextManager:
        """A server of class `kind` (server/base.py) on the server host; a context manager, ready inside."""
        return kind(self, stack, settings)

    def capture(self, role: Role, path: Path, expression: str, snaplen: int = 0) -> AbstractContextManager:
        """Packets on a host's experiment interface, into a file here; see probe/capture.py."""
        from longlook.probe.capture import capture

        return capture(self, role, path, expression, snaplen)

    def tcp_probe(self, ports: list[int], path: Path) -> AbstractContextManager:
        """TCP on the server host from inside; see probe/tcp_probe.py."""
        from longlook.probe.tcp_probe import TcpProbe

        return TcpProbe(self.name, ports, path)

    def run(self, role: Role, argv: Sequence[str], timeout_s: float, check: bool = True) -> str:
        """Run a program on a host to its end and return its standard output."""
        process = self.popen(role, argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise LonglookError(f"{argv[0]} on {role} did not finish in {timeout_s:g} s: {' '.join(argv)}") from None
        if check and process.returncode:
            raise LonglookError(
                f"{argv[0]} on {role} failed ({process.returncode}): {' '.join(argv)}: {err.strip()[-500:]}"
            )
        return out
