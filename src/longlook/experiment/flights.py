"""Browsers asked how many bytes they send first, before anybody answers; a table that is kept.

A first connection, which resumes nothing: what its key shares add shows there. Browsers are asked inside a testbed's
client host, which has no way out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from longlook.client.chromium.offered import flight
from longlook.errors import LonglookError
from longlook.experiment.asked import read_rows, write_rows
from longlook.experiment.spoken import BROWSER
from longlook.plan.arm import Protocol
from longlook.stack.arms import open_sweep
from longlook.stack.install import install_part
from longlook.stack.spec import Stack, load_stack
from longlook.testbed.base import Testbed

SWEEP = "today-key-share"
ROLE = "browser"
BESIDE = ("quicv1",)
"""Stacks that are asked beside those of the sweep."""


@dataclass(frozen=True)
class Flight:
    """One browser with its stack's switches."""

    stack: str
    version: str
    datagrams: int
    """Of QUIC."""
    quic_bytes: int
    """Of UDP's payload."""
    tcp_bytes: int
    """Of the ClientHello."""


def stacks() -> list[Stack]:
    """Those of the sweep, and a few beside, the oldest browser first; of one version in the order of the sweep."""
    found = [load_stack(name) for name in (*BESIDE, *open_sweep(SWEEP).stacks())]
    return sorted(found, key=lambda stack: int(version_of(stack).split(".")[0]))


def version_of(stack: Stack) -> str:
    """Of its browser."""
    return stack.spec.parts[ROLE].spec.components[BROWSER].version


def ask(bed: Testbed, asked: Iterable[Stack], say: Callable[[str], None]) -> Iterator[Flight]:
    """Each in turn; installs those that are not there. A browser that sends nothing is an error."""
    for stack in asked:
        program = install_part(stack.spec.parts[ROLE].name, say).program(BROWSER)
        sent: dict[Protocol, list[int]] = {
            "quic": flight(bed, program, "quic", stack.spec.quic.client_flags),
            "tcp": flight(bed, program, "tcp", stack.spec.tcp.client_flags),
        }
        if silent := [protocol for protocol, sizes in sent.items() if not sizes]:
            raise LonglookError(f"the browser of stack {stack.name} sent nothing over {' and '.join(silent)}")
        yield Flight(stack.name, version_of(stack), len(sent["quic"]), sum(sent["quic"]), sum(sent["tcp"]))


def write(path: Path, found: Iterable[Flight]) -> None:
    """The table, one line per stack."""
    write_rows(path, Flight, found)


def read(path: Path) -> list[Flight]:
    """What `write` wrote; none before that."""
    return read_rows(path, _flight, "flights")


def _flight(row: dict[str, str]) -> Flight:
    datagrams, quic, tcp = (int(row[name]) for name in ("datagrams", "quic_bytes", "tcp_bytes"))
    return Flight(row["stack"], row["version"], datagrams, quic, tcp)
