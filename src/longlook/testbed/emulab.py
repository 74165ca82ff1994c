"""Testbed `emulab`: three nodes. This runs on the client node; the server node and the bridge are reached over SSH.

The server node has an agent (longlook/testbed/agent.py) that starts servers and probes there. The bridge runs nothing
of ours: the link driver gives it commands. Nothing of the control network crosses the link under test.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from longlook.errors import LonglookError
from longlook.host.hosts import Running
from longlook.node.session import CLEAN, NodeError, Session
from longlook.probe.tcp_probe import TcpTrace
from longlook.server.base import RunningServer, Server, ServerSettings
from longlook.stack import Installed
from longlook.testbed.asking import AgentConnection, RemoteServer, RemoteTcpProbe
from longlook.testbed.base import LOCKS, Host, Role, Testbed
from longlook.testbed.description import EmulabDescription, Node
from longlook.testbed.onehost import OneHost
from longlook.testbed.ownership import used

INHERITED = ("PYTHONPATH", "LONGLOOK_ROOT", "LONGLOOK_CACHE", "LONGLOOK_COMMIT", "TMPDIR", "LONGLOOK_PYTHON")
"""Environment variables that mean the same on the server node: code and stacks lie at the same places there."""


def session_to(bed: EmulabDescription, role: Role) -> Session:
    """A connection (not yet made) to one node of a testbed; `tag` marks what is started there."""
    node: Node = getattr(bed, role)
    return Session(
        f"{role} node of testbed {bed.name}",
        node.host,
        node.port,
        bed.user,
        f"{bed.name}-{role}",
        bed.key,
        bed.known_hosts,
    )


class EmulabTestbed(Testbed):
    """The description's `key` and `known_hosts` are paths on this node, if they are given."""

    driver = "emulab"

    def __init__(self, description: EmulabDescription):
        self.description, self.name = description, description.name

    def _up(self) -> None:
        own = self.description
        self._owned = contextlib.ExitStack()
        self._owned.enter_context(used(f"{self.name}-node", LOCKS))
        self._client = self._owned.enter_context(OneHost(self.name, "client", own.client.address, own.server.address))
        self._server = self._owned.enter_context(session_to(own, "server"))
        self._bridge = self._owned.enter_context(session_to(own, "bridge"))
        self._server.environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        self._server.run([sys.executable, "-S", str(CLEAN), self._server.tag], timeout_s=30)
        self._agent = self._owned.enter_context(
            AgentConnection(self._server, sys.executable, self.name, own.server.address, own.client.address)
        )
        self.hosts = {
            "server": Host("server", own.server.address, self._agent.interfaces, node=own.server.host),
            "bridge": Host("bridge", "", (), own.bridge.pipes.model_dump(), own.bridge.host),
            "client": self._client.hosts["client"],
        }

    def _down(self) -> None:
        if hasattr(self, "_owned"):
            with contextlib.suppress(NodeError):
                self._owned.close()

    def popen(self, role: Role, argv: Sequence[str], **options) -> Running:
        if role == "client":
            return self._client.popen(role, argv, **options)
        if role == "bridge":
            raise LonglookError("nothing of ours runs on the bridge: give it commands that end (run)")
        return self._server.popen(
            argv, **{key: value for key, value in options.items() if key in ("stdin", "stdout", "stderr")}
        )

    def run(self, role: Role, argv: Sequence[str], timeout_s: float, check: bool = True) -> str:
        if role == "client":
            return self._client.run(role, argv, timeout_s, check)
        return (self._server if role == "server" else self._bridge).run(argv, timeout_s, check)

    def sysctls(self) -> dict[str, dict[str, str]]:
        return {"server": self._agent.ask("settings"), **self._client.sysctls()}

    def machines(self) -> dict[str, dict]:
        return {"server": self._agent.ask("machine")}

    def set_cca(self, role: Role, name: str) -> str:
        return self._agent.ask("set_cca", name=name) if role == "server" else self._client.set_cca(role, name)

    def set_slow_start(self, role: Role, window: int | None, threshold: int | None) -> None:
        if role == "server":
            self._agent.ask("set_slow_start", window=window, threshold=threshold)
        else:
            self._client.set_slow_start(role, window, threshold)

    # -- what runs beside the server ------------------------------------------------------------------

    def server(
        self, kind: type[Server], stack: Installed, settings: ServerSettings
    ) -> AbstractContextManager[RunningServer]:
        return RemoteServer(self._agent, kind, stack.name, settings)

    def capture(self, role: Role, path: Path, expression: str, snaplen: int = 0) -> AbstractContextManager[None]:
        if role == "server":
            return self._agent.capture(path, expression, snaplen)
        return self._client.capture(role, path, expression, snaplen)

    def tcp_probe(self, ports: list[int], path: Path) -> AbstractContextManager[TcpTrace]:
        return RemoteTcpProbe(self._agent, self._server, ports, path)
