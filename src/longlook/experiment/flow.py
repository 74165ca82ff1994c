"""One flow of arms that run together: a server of its own, a client, and what became of its load."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.client.base import Client
from longlook.client.observation import Observation
from longlook.experiment.context import PORTS, Context
from longlook.experiment.in_force import InForce, in_force
from longlook.experiment.opened import OpenedConnections, Place
from longlook.plan.arm import Arm
from longlook.probe.quic_packets import Packet
from longlook.server.base import RunningServer

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class Flow:
    """One arm's two ends, and what became of it."""

    arm: Arm
    server: RunningServer
    client: Client
    protocol_name: str
    keys: Path
    seen: Observation | None = None
    error: str | None = None
    finished_s: float | None = None
    cca: str | None = None
    """Of its connection, if it has been asked; else None."""
    opened: OpenedConnections | None = None
    """Connections that the link saw."""
    responses_ms: list[float] = field(default_factory=list)
    """Per request from its arrival at the server to the first packet of the answer."""
    packets: Sequence[Packet] = ()
    """Of QUIC, as they passed the server, where they could be decrypted."""
    own: pd.DataFrame | None = None
    """The server's own account of its congestion control, if it has one."""

    @property
    def name(self) -> str:
        return self.arm.name

    @property
    def place(self) -> Place:
        """Where its connection goes."""
        return self.arm.protocol, self.port

    @property
    def in_force(self) -> InForce:
        """Its connection's controller."""
        return in_force(self.cca or self.server.cca_of_load(), self.server.cca_source, self.opened, self.arm)

    def ask_cca(self) -> None:
        """While its connection is there; only TCP's are asked for."""
        if self.arm.protocol == "tcp" and self.cca is None:
            self.cca = self.server.cca_of_load()

    @property
    def port(self) -> int:
        return self.server.settings.port


def start_flows(owned: contextlib.ExitStack, context: Context, scratch: Path) -> list[Flow]:
    """A server on a port of its own (a server's account of its congestion control names no connection) and a client for
    every arm; the clients' keys go into `scratch`."""
    flows = []
    for arm, port in zip(context.cell.arms, PORTS, strict=False):
        server = owned.enter_context(context.server(arm, port, trace=arm.protocol == "quic"))
        keys = scratch / f"{arm.name}.keys"
        client = owned.enter_context(context.client(arm, port, key_log=keys))
        flows.append(Flow(arm, server, client, context.protocol_name(arm), keys))
    return flows
