"""The contract of a client adapter.

Given an origin, an address, a page, a protocol and a number of loads, a client returns one HAR (or timing
record) per load, with the protocol seen and the connection it used, all loads in one process and context.
What it cannot do it answers with `NotSupported`.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

from longlook.host.hosts import Hosts


@dataclass(frozen=True)
class ClientSettings:
    """What every client is given."""

    protocol: str
    origin: str
    address: str
    port: int
    spki: str
    """Base64 SHA-256 of the server's public key, to be trusted."""
    options: tuple[str, ...] = ()
    """Further command-line switches, for instance QUIC connection options."""
    cpu_pct: float | None = None
    """Limit on the client's CPU, percent of one CPU for all its processes together; None: no limit."""


class LoadFailed(Exception):
    """One load did not finish; the client may still be usable."""


class Client(abc.ABC):
    """Use as a context manager: one process and one context from entry to exit."""

    name: str

    def __init__(self, testbed: Hosts, stack, settings: ClientSettings):
        self.testbed, self.stack, self.settings = testbed, stack, settings

    @abc.abstractmethod
    def __enter__(self): ...

    @abc.abstractmethod
    def __exit__(self, *_): ...

    @abc.abstractmethod
    def load(self, path: str, timeout_s: float, fresh_context: bool = False) -> dict[str, Any]:
        """Load one page with an empty cache; return its HAR. Raise `LoadFailed` with the reason. In a fresh context the
        client knows nothing of earlier loads, and resumes no session."""

    @abc.abstractmethod
    def drop_connections(self) -> None:
        """End the TCP connections to the server, so that the next load opens a new one; a client of QUIC has none, and
        its server ends them."""

    @abc.abstractmethod
    def abandon(self) -> None:
        """End at once, in the middle of a load, which then fails; only leaving the context is possible afterwards."""

    @abc.abstractmethod
    def version(self) -> str:
        """As the running program reports it."""

    @abc.abstractmethod
    def cpu_seconds(self) -> float:
        """CPU seconds used so far, all processes of the client together."""
