"""Every pinned Envoy asked what it has built in of Google's QUICHE; two tables that are kept.

Nothing is measured: the programs are read (server/quiche.py), and say their versions.
"""

from __future__ import annotations

import mmap
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment.asked import read_rows, write_rows
from longlook.server import quiche
from longlook.server.envoy import DEFAULT_TO_BBR
from longlook.stack.install import install_part
from longlook.stack.part import Part, known_parts, load_part

ENVOY = "envoy"
"""The component that an Envoy's part has."""
RECIPE = paths.ENVS / "quicv1" / "envoy-n1.toml"
"""Where N stands in its program."""
SETTINGS = "envoy.reloadable_features."
"""What the names of QUICHE's flags have before them in Envoy's configuration."""
SAID = re.compile(r"version: ([0-9a-f]+)/([0-9.]+)/")
"""Of `envoy --version`: the commit that it was built of, and its number."""
TIMEOUT_S = 30.0
COMMAND = "servers"
"""Which writes both tables."""


@dataclass(frozen=True)
class BuiltIn:
    """One Envoy: what it says of itself, and what its program holds."""

    part: str
    version: str
    revision: str
    """Commit of Envoy's sources."""
    controller: str
    """Of its connections, where nobody asks for another one."""
    emulated_connections: str
    """N of its CUBIC; empty: not found in the program."""


@dataclass(frozen=True)
class Flag:
    """One of QUICHE's, in one Envoy."""

    part: str
    flag: str
    default: int


def envoys() -> list[Part]:
    """Every part with an Envoy, the oldest first."""
    found = [load_part(name) for name in known_parts()]
    own = [part for part in found if ENVOY in part.spec.components]
    return sorted(own, key=lambda part: tuple(map(int, part.spec.components[ENVOY].version.split("."))))


def ask(parts: Iterable[Part], say: Callable[[str], None]) -> Iterator[tuple[BuiltIn, list[Flag]]]:
    """Each in turn; installs those that are not there."""
    changes = tomllib.loads(RECIPE.read_text(encoding="utf-8"))["change"]
    for part in parts:
        program = install_part(part.name, say).program(ENVOY)
        revision, version = said(program)
        with program.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            require_heeded(part.name, content)
            flags, number = quiche.flags(content), quiche.emulated(content, changes)
        shown = "" if number is None else str(number)
        one = BuiltIn(part.name, version, revision, quiche.controller(flags), shown)
        yield one, [Flag(part.name, name, int(value)) for name, value in flags.items()]


def require_heeded(name: str, content: mmap.mmap | bytes) -> None:
    """Raise where a program does not have the setting by which our configuration asks for CUBIC: it ignores what it
    does not know, and begins with its own choice."""
    setting = DEFAULT_TO_BBR.removeprefix(SETTINGS)
    if content.find(setting.encode() + b"\0") < 0:
        raise LonglookError(f"{name} does not know the setting {setting}, by which it is asked for CUBIC")


def said(program: Path) -> tuple[str, str]:
    """The commit and the version that an Envoy names."""
    done = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    found = SAID.search(done.stdout)
    if found is None:
        raise LonglookError(f"{program} --version: {(done.stdout + done.stderr).strip()[:200] or 'no message'}")
    return found.group(1), found.group(2)


def write(path: Path, rows: Sequence[BuiltIn | Flag]) -> None:
    """A table, one line per row."""
    write_rows(path, type(rows[0]), rows)


def read(path: Path) -> list[BuiltIn]:
    """The table of the Envoys; none before it is written."""
    return [BuiltIn(**row) for row in read_rows(path, dict, COMMAND)]


def read_flags(path: Path) -> list[Flag]:
    """The table of the flags; none before it is written."""
    return [Flag(row["part"], row["flag"], int(row["default"])) for row in read_rows(path, dict, COMMAND)]
