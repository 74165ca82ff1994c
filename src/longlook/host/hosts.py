"""The contract of hosts: server, bridge and client, on which programs run.

It is what links, servers, clients and probes are given. A testbed (longlook/testbed) makes the hosts; everything below
it knows no more of a testbed than this.
"""

from __future__ import annotations

import abc
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Literal, Protocol

from longlook.errors import LonglookError

Role = Literal["server", "bridge", "client"]


class Running(Protocol):
    """A program on a host, as much of Popen as this project uses: a Popen here, a RemoteProcess on another node."""

    @property
    def args(self) -> Any:
        """Its argument list."""

    @property
    def pid(self) -> int:
        """Of a program on this machine; another node's means nothing here, and to ask for it is an error."""

    @property
    def returncode(self) -> int | None:
        """Its status, once `poll` or `wait` has seen it end."""

    @property
    def stdin(self) -> IO[Any] | None: ...

    @property
    def stdout(self) -> IO[Any] | None: ...

    @property
    def stderr(self) -> IO[Any] | None: ...

    def poll(self) -> int | None:
        """Its status if it has ended, else None."""

    def wait(self, timeout: float | None = None) -> int:
        """Its status, once it has ended; TimeoutExpired where that takes too long."""

    def communicate(self, *, timeout: float | None = None) -> tuple[Any, Any]:
        """What it writes to standard output and standard error, to its end."""

    def kill(self) -> None:
        """End it at once."""


@dataclass(frozen=True)
class Host:
    """One node: how programs there see the experiment network."""

    role: Role
    address: str
    """IPv4 address on the experiment network; empty on the bridge, which forwards at layer 2."""
    interfaces: tuple[str, ...]
    """Experiment interfaces; the bridge has two: towards the server, towards the client."""
    pipes: Mapping[str, int] = field(default_factory=dict, hash=False)
    """Of a bridge with dummynet: direction -> number of its pipe."""
    node: str = ""
    """How messages call the machine, where it is another one than this."""


class Hosts(abc.ABC):
    """Programs run on them, settings are read back from their kernels."""

    name: str
    hosts: Mapping[Role, Host]

    @abc.abstractmethod
    def popen(self, role: Role, argv: Sequence[str], **options) -> Running:
        """Start a program on a host; it dies with the testbed, and with the driver. `options` as of Popen."""

    @abc.abstractmethod
    def sysctls(self) -> dict[str, dict[str, str]]:
        """The network settings in force, per host, as read back from the kernel."""

    def machines(self) -> dict[str, dict]:
        """Facts (as of host.facts.machine) about hosts that are other machines than the one that this runs on."""
        return {}

    @abc.abstractmethod
    def set_cca(self, role: Role, name: str) -> str:
        """Set the TCP congestion controller of new connections on a host; the one in force is returned."""

    @abc.abstractmethod
    def set_slow_start(self, role: Role, window: int | None, threshold: int | None) -> None:
        """How TCP's new connections from a host begin: with this congestion window (segments; None: the kernel's), and
        with this threshold of slow start, once an earlier connection has ended in order (None: with none). What the
        kernel remembered of others is gone."""

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
            said = err.strip()[-500:]
            raise LonglookError(f"{argv[0]} on {role} failed ({process.returncode}): {' '.join(argv)}: {said}")
        return out
