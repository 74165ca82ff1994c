"""Every server with every client of its protocol, by controller: which of them can be, and of those that cannot why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from longlook.experiment.refusals import of_arm
from longlook.plan.arm import CCAS, Arm, Cca, Protocol
from longlook.stack import load_stack
from longlook.stack.arms import complete_arm

STACKS = {"nginx": "matrixnginx"}
"""By server; else `STACK`."""
STACK = "matrix"
_stack = cache(load_stack)
"""Each is read once for all pairs."""
SERVERS: dict[Protocol, tuple[str, ...]] = {
    "quic": ("envoy", "ngtcp2", "lsquic", "aioquic", "quicgo"),
    "tcp": ("apache", "nginx", "aiohttp"),
}
CLIENTS: dict[Protocol, tuple[str, ...]] = {
    "quic": ("ngtcp2", "lsquic", "aioquic", "quicgo", "curl"),
    "tcp": ("aiohttp", "curl"),
}
NAMES = {
    "envoy": "Envoy",
    "ngtcp2": "ngtcp2",
    "lsquic": "LSQUIC",
    "aioquic": "aioquic",
    "quicgo": "quic-go",
    "apache": "Apache",
    "nginx": "nginx",
    "aiohttp": "AIOHTTP",
    "curl": "curl",
}
BROWSERS = {"111": "Chromium 111", "153": "Chromium 153"}
"""In sweeps of their own: they are no CLIENTS here."""
SLOW = "aioquic"
"""The one that a processor holds up."""
WORKLOAD = "download"


@dataclass(frozen=True)
class Pair:
    """Who serves and who fetches, over which protocol and with which controller of the server."""

    protocol: Protocol
    server: str
    client: str
    cca: Cca

    @property
    def title(self) -> str:
        """`Envoy with curl`."""
        return f"{NAMES[self.server]} with {NAMES[self.client]}"

    @property
    def arm(self) -> Arm:
        """As a sweep would have it; also of a pair that no sweep can have."""
        asked = {"protocol": self.protocol, "server": self.server, "client": self.client, "cca": self.cca}
        return Arm.parse(complete_arm(asked | {"handshake": "1rtt"}, STACKS.get(self.server, STACK), _stack))


@cache
def refused(pair: Pair) -> str:
    """Why a pair can be no arm of any sweep, by the same words that would refuse it there; empty where it can be."""
    return "; ".join(of_arm(pair.arm, WORKLOAD, _stack))


def pairs(cca: Cca | None = None) -> Iterator[Pair]:
    """All of them, also those that cannot be: by controller (all, or this one), protocol, server and client."""
    for controller in CCAS if cca is None else (cca,):
        for protocol, servers in SERVERS.items():
            for server in servers:
                for client in CLIENTS[protocol]:
                    yield Pair(protocol, server, client, controller)
