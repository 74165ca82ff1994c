"""The congestion controller of a load's connection, and how it is known. Pure.

A kernel tells it of each connection, and so do some servers. QUICHE tells only what its connections begin with, and
lets a client change that in its hello: then it follows from the default that was read back and from the options that
the link saw the client ask for. What is derived is recorded as derived.
"""

from __future__ import annotations

from dataclasses import dataclass

from longlook.experiment.opened import OpenedConnections
from longlook.plan import quic_options
from longlook.plan.arm import Arm
from longlook.server.base import CcaSource

SWITCHES = "switches"
EVIDENCE: dict[str, str] = {
    "connection": "read from the connection itself, by the kernel or the server",
    "start": "by how the running server was started; no client can change it",
    "program": "the server's program has no other",
    "hello": "derived: what the server's connections begin with, and the options in the client's hello, by the link",
    "file": "stated by the file of a server by file, or not told there: nobody has read it",
    SWITCHES: "derived: the same, by the options that the client was told to ask for; the link does not tell its hello",
}
DERIVED = ("hello", SWITCHES)


@dataclass(frozen=True)
class InForce:
    """Of one load."""

    cca: str
    evidence: str
    """A key of EVIDENCE."""
    options: tuple[str, ...] | None = None
    """What the client asked for, where that counts and was seen."""

    def record(self) -> dict[str, str]:
        """As it goes into a sample's record; the options are the link's to tell (`opened_over_link`)."""
        return {"cca": self.cca, "evidence": self.evidence}


def in_force(told: str, source: CcaSource, opened: OpenedConnections | None, arm: Arm) -> InForce:
    """`told`: what the server says of the load, from its `source`."""
    if source != "hello":
        return InForce(told, source)
    seen = None if opened is None else opened.asked
    if seen is None:
        return InForce(quic_options.controller(told, arm.quic_options), SWITCHES)
    found = sorted({quic_options.controller(told, options) for options in seen})
    return InForce(", ".join(found), "hello", tuple(option for options in seen for option in options))
