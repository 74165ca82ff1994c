"""TCP's ECN (RFC 3168) on both hosts of a cell whose queues mark. Linux accepts it by default and does not ask for it.

Whether a connection negotiated it, the server's kernel tells of each load (host.tcpdiag). QUIC's packets say for
themselves whether they may be marked, and the link counts those that do (`ecn_capable`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from longlook.host.hosts import Hosts, Role

SYSCTL, ON = "net.ipv4.tcp_ecn", "1"
ENDS: tuple[Role, ...] = ("server", "client")
TIMEOUT_S = 10


@contextlib.contextmanager
def negotiated(bed: Hosts) -> Iterator[None]:
    """In the block connections over TCP ask for ECN and accept it."""
    with contextlib.ExitStack() as owned:
        for role in ENDS:
            before = bed.run(role, ["sysctl", "-n", SYSCTL], TIMEOUT_S).strip()
            owned.callback(bed.run, role, ["sysctl", "-qw", f"{SYSCTL}={before}"], TIMEOUT_S)
            bed.run(role, ["sysctl", "-qw", f"{SYSCTL}={ON}"], TIMEOUT_S)
        yield
