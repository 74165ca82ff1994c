"""What servers over Linux's TCP share: the controller is the namespace's when a connection is opened."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from longlook.host.tcpdiag import Connection, TcpDiag
from longlook.plan.arm import CCAS
from longlook.server.base import CcaSource, Server

NO_CONNECTION = "no connection"


class TcpServer(Server):
    """A subclass's `_command` calls `_set_cca` before its program starts."""

    cca_source: CcaSource = "connection"

    def _set_cca(self) -> None:
        """For the listener and, as long as no other arm asks for another one, for its connections
        (`experiment/controllers.py`)."""
        self.testbed.set_cca("server", self.settings.arm.cca)

    def _listeners(self) -> str:
        return self.testbed.run("server", ["ss", "-Htlni", f"sport = :{self.settings.port}"], timeout_s=5)

    def _is_ready(self) -> bool:
        return bool(self._listeners().strip())

    def _wait_ready(self) -> None:
        super()._wait_ready()
        self._diag = self._owned.enter_context(TcpDiag(self.process.pid))

    def cca_of_load(self) -> str:
        """As the kernel has it of the open connections, or else of those that are being closed: the namespace, or a
        route, may give them another one than the listener has."""
        return ", ".join(sorted({one.cca for one in self._connections()})) or NO_CONNECTION

    def tcp_of_load(self) -> list[dict[str, Any]]:
        return [asdict(one.info) for one in self._connections() if one.info is not None]

    def _connections(self) -> list[Connection]:
        """The open ones, or else those that are being closed."""
        found = self._diag.connections(self.settings.port)
        return [one for one in found if one.is_open] or found

    def cca_in_force(self) -> str:
        words = self._listeners().split()
        return next((word for word in words if word in CCAS), "unknown")
