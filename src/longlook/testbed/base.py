"""The contract of a testbed: it makes three hosts (server, bridge, client) ready and gives them back.

A driver subclasses `Testbed` and writes `_up`, `_down` and what `Hosts` asks for; the base gives the context manager,
so that every driver cleans up after a failure in the same way.
"""

from __future__ import annotations

import abc
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.hosts import Host, Hosts, Role
from longlook.probe.capture import capture
from longlook.probe.tcp_probe import TcpProbe, TcpTrace
from longlook.server.base import RunningServer, Server, ServerSettings
from longlook.stack import Installed

__all__ = ["LOCKS", "Host", "Role", "Testbed"]

LOCKS = Path("/run") if os.geteuid() == 0 else paths.CACHE
"""Folder of the testbeds' locks: one owner per testbed's name and machine, or ordinary user, who has namespaces of his
own (host/userns.py)."""


class Testbed(Hosts):
    """Server - bridge - client. Use as a context manager; leaving it ends what was started on it."""

    __test__ = False  # not a pytest class, whatever its name
    driver: str
    """Its kind, as in TESTBEDS."""

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

    def offloads_off(self, role: Role, interface: str, features: Sequence[str]) -> None:
        """Switch features of an interface off: at once, or one by one where the kernel has not all of them."""
        command = ["ethtool", "-K", interface]
        try:
            self.run(role, [*command, *(word for one in features for word in (one, "off"))], timeout_s=10)
        except LonglookError:
            for one in features:
                self.run(role, [*command, one, "off"], timeout_s=10, check=False)

    def server(
        self, kind: type[Server], stack: Installed, settings: ServerSettings
    ) -> AbstractContextManager[RunningServer]:
        """A server of class `kind` (server/base.py) on the server host; a context manager, ready inside."""
        return kind(self, stack, settings)

    def capture(self, role: Role, path: Path, expression: str, snaplen: int = 0) -> AbstractContextManager[None]:
        """Packets on a host's experiment interface, into a file here; see probe/capture.py."""
        return capture(self, role, path, expression, snaplen)

    def tcp_probe(self, ports: list[int], path: Path) -> AbstractContextManager[TcpTrace]:
        """TCP on the server host from inside; see probe/tcp_probe.py."""
        return TcpProbe(self.name, ports, path)
