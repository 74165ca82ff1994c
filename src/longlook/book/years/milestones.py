"""The milestones of one browser: what each is, when it was released, what it says on the wire, how it was measured."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from IPython.display import HTML

from longlook import paths
from longlook.experiment.spoken import BROWSER, Spoken, read
from longlook.figure.live import csv_file, offered
from longlook.stack.arms import open_sweep
from longlook.stack.spec import Stack, load_stack

SWEEP = "years"
RELEASED = "released.csv"
"""Beside the chapter: milestone and the day of its stable release, of MDN's table of browsers."""
ROLE = "browser"
SERVERS = {"gquicd": "gquicd", "envoy": "Envoy", "apache": "Apache"}
NONE_MEASURED = "not measured"


@dataclass(frozen=True)
class Milestone:
    """One browser of the axis."""

    number: int
    released: str
    """Day of the stable release, ISO 8601."""
    spoken: Spoken
    stack: str
    """That it was measured with; empty: none."""
    version: str
    """Of QUIC, that it was measured with."""
    server: str
    tls: str
    """Over TCP."""

    @property
    def name(self) -> str:
        return f"Chromium {self.number}"

    @property
    def wire(self) -> str:
        """What it spoke, and with whom."""
        return f"{self.version}, {SERVERS.get(self.server, self.server)}" if self.stack else NONE_MEASURED


@cache
def milestones() -> tuple[Milestone, ...]:
    """Every pinned browser, the oldest first."""
    with (paths.BOOK / "years" / RELEASED).open(newline="", encoding="utf-8") as file:
        released = {int(row["milestone"]): row["released"] for row in csv.DictReader(file)}
    measured = {number_of(stack): stack for stack in map(load_stack, open_sweep(SWEEP).stacks())}
    found = []
    for spoken in read(paths.SPOKEN):
        number = int(spoken.version.split(".")[0])
        found.append(_milestone(number, released[number], spoken, measured.get(number)))
    return tuple(found)


def number_by_stack() -> dict[str, int]:
    """Of each stack that measured a milestone."""
    return {one.stack: one.number for one in milestones() if one.stack}


def _milestone(number: int, released: str, spoken: Spoken, stack: Stack | None) -> Milestone:
    if stack is None:
        return Milestone(number, released, spoken, "", "", "", "")
    quic, tcp = stack.spec.quic, stack.spec.tcp
    return Milestone(number, released, spoken, stack.name, quic.version, quic.server, tcp.tls)


def number_of(stack: Stack) -> int:
    """The milestone of a stack's browser."""
    return int(stack.spec.parts[ROLE].spec.components[BROWSER].version.split(".")[0])


COLUMNS: Mapping[str, Callable[[Milestone], str]] = {
    "browser": lambda one: one.name,
    "build": lambda one: one.spoken.version,
    "stable release": lambda one: one.released,
    "offers by itself": lambda one: one.spoken.offers,
    "can be made to offer": lambda one: one.spoken.speaks.replace(" ", ", "),
    "QUIC measured": lambda one: one.wire,
    "TLS over TCP": lambda one: one.tls or NONE_MEASURED,
    "on disk": lambda one: f"{one.spoken.disk_bytes / 1e6:.0f} MB",
}


def table() -> HTML:
    """A file with a row each: version, release, what it offers by itself or can be made to, how it was measured."""
    rows = [[told(one) for told in COLUMNS.values()] for one in milestones()]
    return HTML(offered(csv_file("milestones.csv", list(COLUMNS), rows)))
