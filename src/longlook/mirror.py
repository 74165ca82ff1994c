"""`longlook mirror`: every package that a lock names, fetched once and kept in a folder, to install from when its
registry is out of reach or gone (`make OFFLINE=1`)."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import Marker

from longlook import paths
from longlook.doctor import TOOLS
from longlook.errors import LonglookError
from longlook.stack.commands import AWAY, answered
from longlook.stack.gobuild import find_go
from longlook.stack.gopatch import go_environment
from longlook.stack.offline import DEBS, GO, NPM, PYTHON, package, packages, tarball
from longlook.stack.part import PYTHON as PYTHON_VERSION
from longlook.stack.part import Part, known_parts, load_part
from longlook.stack.spec import load_stack
from longlook.stack.tree import sha256_of

SUMS = "SHA256SUMS"
FETCH_TIMEOUT_S = 1800.0
RELEASES = (f"{PYTHON_VERSION}.0", f"{PYTHON_VERSION}.99")
"""The first and last imaginable of this Python: markers of locks tell patch releases apart."""
AT_ONCE = 40
"""Packages per call of npm."""
OTHER_DEBS = ("python3-venv", "libnss3", "libexpat1")
"""Of the system, beside those that the doctor looks for."""
SAFE = ("--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks", "--no-replaces", "--no-enhances")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Mirror:
    """What is there now."""

    path: Path
    files: int
    bytes: int


def make_mirror(folder: Path, stacks: Iterable[str] = (), debs: bool = False, say: Say = print) -> Mirror:
    """Fill `folder` with what is missing: of these stacks, or of every part in envs/. `debs`: also the packages of this
    system's release, with all that they depend on.

    Wheels are those that pip chooses here: of this Python's version and processor. LonglookError where a registry does
    not have what a lock names, or has other bytes.
    """
    parts = [load_part(name) for name in _parts(stacks)]
    for kind in (PYTHON, NPM, GO):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for lock in _python_locks(parts):
        say(f"Python packages of {lock.relative_to(paths.ROOT)}")
        _wheels(lock, folder / PYTHON)
    for part in parts:
        if (npm_lock := part.lock("npm")) is not None:
            say(f"npm packages of {part.name}")
            _tarballs(json.loads(npm_lock.read_text(encoding="utf-8")), folder / NPM)
    for source in _go_sources():
        say(f"Go modules of {source.relative_to(paths.ROOT)}")
        _modules(source, folder / GO)
    if debs:
        say("packages of the system")
        _debs(folder / DEBS)
    return _sealed(folder)


def _parts(stacks: Iterable[str]) -> list[str]:
    wanted = {part.name for stack in stacks for part in load_stack(stack).parts}
    return sorted(wanted) or known_parts()


def _python_locks(parts: Iterable[Part]) -> list[Path]:
    own = [paths.ROOT / "requirements.txt", *sorted(paths.TOOLS.glob("bootstrap-*.txt"))]
    return own + [lock for part in parts if (lock := part.lock("python")) is not None]


def _go_sources() -> list[Path]:
    return sorted(found.parent for folder in ("tools", "tests") for found in paths.ROOT.glob(f"{folder}/**/go.mod"))


def _wheels(lock: Path, folder: Path) -> None:
    """For every patch release of this Python, whichever runs here: which packages a lock names can depend on it."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    text, there = lock.read_text(encoding="utf-8"), set[str]()
    for release in RELEASES:
        missing = {pin: hashes for pin, hashes in _pins(text, release) if pin not in there}
        there |= missing.keys()
        if not missing:
            continue
        with tempfile.TemporaryDirectory(prefix="longlook-wheels-") as scratch:
            chosen = Path(scratch) / "requirements.txt"
            chosen.write_text("".join(f"{pin} {hashes}\n" for pin, hashes in missing.items()), encoding="utf-8")
            own = ["--no-deps", "--only-binary=:all:", "--python-version", release]
            _run([*command, *own, "--dest", str(folder), "-r", str(chosen)], AWAY)


def _pins(lock: str, release: str) -> Iterator[tuple[str, str]]:
    """`name==version` and its hashes, of a lock's packages that one release of Python takes on this system."""
    for name, marker, hashes in re.findall(
        r"^([^\s#]+==\S+)(?: ; (.+?))? \\\n((?:    --hash=.*\n?)+)", lock, re.MULTILINE
    ):
        if not marker or Marker(marker).evaluate({"python_full_version": release, "python_version": PYTHON_VERSION}):
            yield name, " ".join(hashes.replace("\\\n", " ").split())


def _tarballs(lock: dict[str, Any], folder: Path) -> None:
    wanted = {tarball(place, facts): (place, facts) for place, facts in packages(lock).items()}
    missing = {name: one for name, one in wanted.items() if not (folder / name).exists()}
    npm = shutil.which("npm")
    if missing and npm is None:
        raise LonglookError("npm is missing, it fetches npm's packages: apt-get install npm")
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as scratch:
        for batch in _batches(list(missing.items())):
            names = [f"{package(place)}@{facts['version']}" for _, (place, facts) in batch]
            _run([str(npm), "pack", "--silent", "--ignore-scripts", "--pack-destination", scratch, *names], AWAY)
            for name, (_, facts) in batch:
                _check_integrity(Path(scratch) / name, facts["integrity"])
                (Path(scratch) / name).rename(folder / name)


def _batches(items: list[Any]) -> Iterable[list[Any]]:
    return (items[first : first + AT_ONCE] for first in range(0, len(items), AT_ONCE))


def _check_integrity(file: Path, integrity: str) -> None:
    """Hold a tarball to its lock, by the form of npm: `sha512-<base64>`."""
    kind, _, wanted = integrity.partition("-")
    if not file.is_file():
        raise LonglookError(f"npm fetched no {file.name}, which a lock names")
    found = base64.b64encode(hashlib.new(kind, file.read_bytes()).digest()).decode()
    if found != wanted:
        raise LonglookError(f"{file.name} is not what its lock names: expected {integrity}, found {kind}-{found}")


def _modules(source: Path, folder: Path) -> None:
    """Through a module cache of its own, whose downloads have the form of a proxy's files."""
    go = find_go(source)
    with tempfile.TemporaryDirectory(prefix="longlook-go-") as scratch:
        environment = {**go_environment(), "GOMODCACHE": scratch, "GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local"}
        _run([str(go), "mod", "download"], source, environment)
        downloads = Path(scratch) / "cache" / "download"
        for file in sorted(downloads.rglob("*")):
            if file.suffix in (".info", ".mod", ".zip"):
                target = folder / file.relative_to(downloads)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)


def _debs(folder: Path) -> None:
    if shutil.which("apt-get") is None:
        raise LonglookError("there is no apt-get here: packages of the system can be kept on Debian and Ubuntu only")
    folder.mkdir(exist_ok=True)
    named = sorted({*OTHER_DEBS, *(one for tool in TOOLS for one in tool.package.split())})
    known = _run(["apt-cache", "show", "--no-all-versions", *named], folder, check=False)
    there = sorted({line.split()[1] for line in known.splitlines() if line.startswith("Package:")})
    listed = _run(["apt-cache", "depends", "--recurse", *SAFE, *there], folder)
    # Names alone stand at the margin; `<name>` is a virtual package, others provide it.
    closure = sorted({line for line in listed.splitlines() if line[:1].isalnum()})
    _run(["apt-get", "download", "-q", *closure], folder)


def _run(command: list[str], cwd: Path, environment: dict[str, str] | None = None, check: bool = True) -> str:
    what = " ".join(command[:4])
    done = answered(command, f"{what} to fetch packages", FETCH_TIMEOUT_S, cwd, environment or dict(os.environ))
    if check and done.returncode:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise LonglookError(f"{what} ended with status {done.returncode}; is its registry reachable? It wrote:\n{tail}")
    return done.stdout


def _sealed(folder: Path) -> Mirror:
    """Write the hashes of all files, in the form that `sha256sum --check` reads."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name != SUMS)
    text = "".join(f"{sha256_of(file)}  {file.relative_to(folder).as_posix()}\n" for file in files)
    (folder / SUMS).write_text(text, encoding="utf-8")
    return Mirror(folder, len(files), sum(file.stat().st_size for file in files))
