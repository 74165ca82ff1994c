"""Cross traffic: bulk flows from the server to the client that run beside every load of a cell (`Link.cross_flows`).

They begin before the first load and end after the last one. What each carried, and its controller, is read before and
after each load; the oracle holds a load to it (`carried.wrong_cross_traffic`). Over TCP the server's kernel tells both.
Those over QUIC are in `cross_quic`.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from longlook.errors import LonglookError
from longlook.host import process
from longlook.host.hosts import Hosts, Role
from longlook.host.tcpdiag import TcpDiag
from longlook.plan.arm import Protocol
from longlook.plan.link import BITS_PER_BYTE, Link

PROGRAM = Path(__file__).with_name("bulk.py")
PORT = 5201
START_TIMEOUT_S, BEGIN_TIMEOUT_S = 10.0, 60.0
BEGUN_S = 2.0
"""They have begun when they have carried what the link passes in this time: slow start is over."""


@dataclass(frozen=True)
class Reading:
    """What the flows had come to at a moment."""

    at_s: float
    flows: Mapping[int, tuple[str, int]]
    """By the client's port, or over QUIC its process: controller, bytes acknowledged or received."""
    said: Mapping[str, str] = field(default_factory=dict)
    """Of each, as it goes into a record."""


class CrossTraffic:
    """The flows that a link states; inside, they run."""

    protocol: Protocol = "tcp"

    def __init__(self, bed: Hosts, link: Link):
        self._bed, self.link = bed, link

    @property
    def place(self) -> tuple[str, int]:
        """Transport and server port."""
        return self.protocol, PORT

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as owned:
            server = self._bed.hosts["server"]
            if server.node:
                raise LonglookError(f"cross traffic is of hosts on this machine: {server.node} is another one")
            self._begin(owned)
            self._wait_begun()
            self._owned = owned.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._owned.close()

    def _begin(self, owned: contextlib.ExitStack) -> None:
        sender = self._start(owned, "server", "send", str(self.link.cross_cca))
        if process.hear(sender, START_TIMEOUT_S) != "ready\n":
            process.stop(sender)
            raise LonglookError(f"the cross traffic's sender did not start, by {self.link.cross_cca}")
        self._start(owned, "client", "receive", str(self.link.cross_flows))
        self._diag = owned.enter_context(TcpDiag(sender.pid))

    def _start(self, owned: contextlib.ExitStack, role: Role, what: str, argument: str) -> Any:
        target = [self._bed.hosts["server"].address, str(PORT), argument]
        argv = [sys.executable, "-S", str(PROGRAM), what, *target]
        started = self._bed.popen(role, argv, stdout=subprocess.PIPE, text=True)
        owned.callback(process.stop, started)
        return started

    def _wait_begun(self) -> None:
        wanted, flows = BEGUN_S * self.link.bandwidth_mbps * 1e6 / BITS_PER_BYTE, self.link.cross_flows
        deadline = time.monotonic() + BEGIN_TIMEOUT_S
        while True:
            told = self.reading().flows.values()
            carried = sum(acked for _, acked in told)
            if len(told) == flows and carried >= wanted:
                return
            if time.monotonic() > deadline:
                raise LonglookError(
                    f"{len(told)} of {flows} flows of cross traffic carried {carried:,} bytes in {BEGIN_TIMEOUT_S:g} s"
                )
            time.sleep(0.05)  # polling interval, bounded by the deadline

    def reading(self) -> Reading:
        """Now."""
        own = [one for one in self._diag.connections(PORT) if one.is_open]
        return Reading(time.monotonic(), {one.peer_port: (one.cca, one.acked_bytes or 0) for one in own})


def between(before: Reading, after: Reading) -> list[dict[str, Any]]:
    """Each flow that ran from one reading to another: its controller and its rate, as they go into a record."""
    took_us = (after.at_s - before.at_s) * 1e6
    return [
        {**after.said, "cca": cca, "mbps": round((acked - before.flows[port][1]) * BITS_PER_BYTE / took_us, 3)}
        for port, (cca, acked) in sorted(after.flows.items())
        if port in before.flows
    ]
