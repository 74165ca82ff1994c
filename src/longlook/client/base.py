"""The contract of a client adapter.

It is given an arm, the server's address and what it must trust; `fetch` loads what a request names and answers with an
`Observation`. All fetches happen in one process with one memory of sessions, unless a request is to be `fresh`. What a
client cannot do it declares (`offer`), and a cell that asks for it is refused before it is measured.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass
from pathlib import Path

from longlook.client.observation import Observation
from longlook.errors import NotSupported
from longlook.host.hosts import Hosts
from longlook.plan.arm import Arm
from longlook.plan.offer import Offer
from longlook.site.certificate import ORIGIN
from longlook.stack import Installed


@dataclass(frozen=True)
class ClientSettings:
    """What every client is given."""

    arm: Arm
    address: str
    port: int
    certificate: Path
    """The server's, PEM: to be trusted."""
    spki: str
    """Base64 SHA-256 of the server's public key, for clients that trust by that."""
    key_log: Path | None = None
    """Where to write the secrets of its connections (SSLKEYLOGFILE); None: nowhere."""
    origin: str = ORIGIN
    paints: bool = False
    """The page is looked at: what it looks like while it loads is told with each load."""
    film_s: int | None = None
    """A film is played for so long, s."""
    left_open: bool = False
    """Its server ends no connection of QUIC, and none is to be there when the next load begins."""


@dataclass(frozen=True)
class Request:
    """One fetch: `paths` on the origin (of a page its document), all at once, on one connection unless it is a client
    that opens one for each."""

    paths: tuple[str, ...]
    timeout_s: float
    fresh: bool = False
    """The client must know nothing of earlier fetches, and resume no session. Else it resumes the one before, with the
    request as early data, where it can."""
    pictures: bool = False
    """Of a page that is looked at, keep what was seen, small."""


class LoadFailed(Exception):
    """One fetch did not finish; the client may still be usable.

    No error of the program: an outcome that is recorded, as its reason `load_failed`.
    """


class Client(abc.ABC):
    """Use as a context manager: one process and one memory of sessions from entry to exit."""

    name: str
    offer: Offer
    """What it can do."""

    def __init__(self, hosts: Hosts, stack: Installed, settings: ClientSettings):
        self.testbed, self.stack, self.settings = hosts, stack, settings

    @abc.abstractmethod
    def __enter__(self): ...

    @abc.abstractmethod
    def __exit__(self, *_): ...

    @abc.abstractmethod
    def fetch(self, request: Request) -> Observation:
        """Fetch with an empty cache. Raise `LoadFailed` with the reason."""

    def discover(self, request: Request) -> Observation:
        """Load a page, or a file as if it were one, as by its address. Raise `LoadFailed`."""
        raise NotSupported(f"{self.name} learns nothing of a server")

    def hashes(self, page: str, paths: tuple[str, ...], timeout_s: float) -> dict[str, str] | None:
        """SHA-256 (hex) of each path's body, fetched outside of any load; None: every `fetch` tells them. Raise
        `LoadFailed`. `page`: where the request for the others would come from."""
        return None

    @abc.abstractmethod
    def drop_connections(self) -> None:
        """End the TCP connections to the server, so that the next fetch opens a new one; a client of QUIC has none, and
        its server ends them."""

    @abc.abstractmethod
    def abandon(self) -> None:
        """End at once, in the middle of a fetch, which then fails; only leaving the context is possible afterwards."""

    @abc.abstractmethod
    def version(self) -> str:
        """As the running program reports it."""

    def sends(self) -> tuple[int, float] | None:
        """How many sends had a stated cost so far, and the least that one had, us of wall clock; None: no cost."""
        return None

    @property
    @abc.abstractmethod
    def pids(self) -> tuple[int, ...]:
        """Processes on this machine that are the client's, without their descendants."""

    @abc.abstractmethod
    def cpu_seconds(self) -> float:
        """CPU seconds used so far, all processes of the client together."""
