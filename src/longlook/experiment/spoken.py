"""Every pinned browser asked which versions of QUIC it offers and which it can be made to offer; a table that is kept.

Browsers are asked inside a testbed's client host, which has no way out.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from longlook.client.chromium.offered import offered, spoken
from longlook.errors import LonglookError
from longlook.experiment.asked import write_rows
from longlook.stack.install import install_part
from longlook.stack.part import Part, known_parts, load_part
from longlook.testbed.base import Testbed

BROWSER = "chromium"
"""The component that a browser's part has, and the client that speaks it."""


@dataclass(frozen=True)
class Spoken:
    """One browser: what it says on the wire."""

    part: str
    version: str
    offers: str
    """By itself; empty: nothing."""
    speaks: str
    """All that it can be made to offer, the oldest first, with spaces between."""
    disk_bytes: int
    """Of its part as it is installed: the program and what comes with it."""


def browsers() -> list[Part]:
    """Every part with a browser that a package registry has, the oldest first."""
    found = [load_part(name) for name in known_parts()]
    own = [part for part in found if BROWSER in part.spec.components and part.spec.components[BROWSER].source == "npm"]
    return sorted(own, key=lambda part: int(part.spec.components[BROWSER].version.split(".")[0]))


def ask(bed: Testbed, parts: Iterable[Part], say: Callable[[str], None]) -> Iterator[Spoken]:
    """Each in turn; installs those that are not there."""
    for part in parts:
        placed = install_part(part.name, say)
        program = placed.program(BROWSER)
        flags = features(part)
        alone = offered(bed, program, flags) or ""
        versions = spoken(bed, program, flags)
        size = sum(file.stat().st_size for file in placed.folder.rglob("*") if file.is_file())
        yield Spoken(part.name, part.spec.components[BROWSER].version, alone, " ".join(versions), size)


def features(part: Part) -> tuple[str, ...]:
    """Switches that every dialect of the browser has, but for those of QUIC itself: without them some heed nothing."""
    dialects = [one for versions in part.spec.clients[BROWSER].values() for one in versions.values()]
    common = set.intersection(*(set(one.flags) for one in dialects)) if dialects else set()
    return tuple(sorted(flag for flag in common if "quic" not in flag))


def write(path: Path, found: Iterable[Spoken]) -> None:
    """The table, one line per browser."""
    write_rows(path, Spoken, found)


def read(path: Path) -> list[Spoken]:
    """What `write` wrote."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return [_spoken(**row) for row in csv.DictReader(file)]
    except (OSError, TypeError, ValueError) as error:
        raise LonglookError(f"{path}: cannot be read ({error}): `longlook browsers` writes it anew") from None


def _spoken(part: str, version: str, offers: str, speaks: str, disk_bytes: str) -> Spoken:
    return Spoken(part, version, offers, speaks, int(disk_bytes))
