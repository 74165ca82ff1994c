"""Packages of another Debian release than the system's, unpacked beside it: their programs run with that release's
loader and libraries.

apt fetches them from the mirror that the system has, and holds them to the release's signature. An archive keeps a
package until its next version is there, so that a lock of hashes could be installed for some weeks: what was fetched is
told by hash (`Unpacked.packages`), for records.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.locking import exclusive
from longlook.plan.value import Many, Value, worded
from longlook.stack.commands import answered
from longlook.stack.tree import sha256_of

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
TIMEOUT_S = 600.0
PROGRAMS = ("usr/bin", "usr/sbin")
LOADER = "usr/lib/*/ld-linux*.so.*"
Word = Annotated[str, worded(r"^[a-z0-9][a-z0-9+.-]*$", "small letters, digits, '+', '.' and '-'", max_length=80)]


class DebianPackages(Value):
    """A release by its codename, and packages of its main archive: a program's and all that it is linked with."""

    called = "packages of a Debian release"

    release: Word
    packages: Many[Word] = Field(min_length=1, max_length=100, description="libc6, which has the loader, among them")


@dataclass(frozen=True)
class Unpacked:
    """Where packages are, or would be, unpacked."""

    folder: Path

    @classmethod
    def of(cls, wanted: DebianPackages) -> Unpacked:
        """A folder for each list of packages."""
        digest = hashlib.sha256(" ".join(wanted.packages).encode()).hexdigest()[:12]
        return cls(paths.CACHE / "debian" / f"{wanted.release}-{digest}")

    @property
    def root(self) -> Path:
        """Has usr/ and etc/."""
        return self.folder / "root"

    @property
    def starters(self) -> Path:
        """Has a script for each program, which starts it with its release's loader."""
        return self.folder / "bin"

    def program(self, name: str) -> Path:
        """That a script starts."""
        return next(self.root / one / name for one in PROGRAMS if (self.root / one / name).exists())

    @property
    def packages(self) -> dict[str, str]:
        """Name of each package's file -> its SHA-256."""
        return {one.name: sha256_of(one) for one in sorted((self.folder / "packages").glob("*.deb"))}


def unpack(wanted: DebianPackages) -> Unpacked:
    """Fetched and unpacked, unless they are; `LonglookError` where apt does not have them."""
    found = Unpacked.of(wanted)
    store, name = found.folder.parent, found.folder.name
    with exclusive(store / f"{name}.lock", f"another command that unpacks packages of Debian {wanted.release}"):
        if not found.folder.is_dir():
            with tempfile.TemporaryDirectory(prefix=f"{name}.partial-", dir=store) as scratch:
                partial = Unpacked(Path(scratch) / name)
                _fetch(wanted, partial.folder / "packages", Path(scratch))
                _unpack(partial, found)
                partial.folder.rename(found.folder)
    return found


def _fetch(wanted: DebianPackages, folder: Path, scratch: Path) -> None:
    """By an apt that knows nothing but that release."""
    for made in (folder, scratch / "state" / "lists" / "partial", scratch / "cache" / "archives" / "partial"):
        made.mkdir(parents=True)
    sources, status = scratch / "sources.list", scratch / "status"
    sources.write_text(f"deb [signed-by={KEYS}] {_mirror()} {wanted.release} main\n", encoding="utf-8")
    status.touch()
    options = {
        "Dir::State": scratch / "state",
        "Dir::State::status": status,
        "Dir::Cache": scratch / "cache",
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "-",
        "Dir::Etc::Preferences": "-",
        "Dir::Etc::PreferencesParts": "-",
        "Acquire::Languages": "none",
        "APT::Sandbox::User": "root",  # the folder is its owner's alone
    }
    own = ["-q", *(f"-o{key}={value}" for key, value in options.items())]
    _run(["apt-get", *own, "update", "--error-on=any"], folder)
    _run(["apt-get", *own, "download", *wanted.packages], folder)


def _mirror() -> str:
    """The mirror of Debian's archive that this system's apt has."""
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: Debian"]
    if not (found := _run(asked, Path("/")).split()):
        raise LonglookError("apt has no list of Debian's packages here: apt-get update, on a Debian")
    return found[0]


def _unpack(partial: Unpacked, final: Unpacked) -> None:
    """`partial` becomes `final`, to which its scripts refer."""
    for package in partial.packages:
        file = partial.folder / "packages" / package
        _run(["dpkg-deb", "--extract", str(file), str(partial.root)], partial.folder)
    if (loader := next(partial.root.glob(LOADER), None)) is None:
        raise LonglookError(f"no loader is among {', '.join(partial.packages)}: name libc6 too")
    loader = final.root / loader.relative_to(partial.root)
    partial.starters.mkdir()
    for place in PROGRAMS:
        for program in (partial.root / place).glob("*"):
            command = f"{loader} --library-path {loader.parent} {final.root / place / program.name}"
            script = partial.starters / program.name
            script.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
            script.chmod(0o755)


def _run(command: list[str], folder: Path) -> str:
    if shutil.which(command[0]) is None:
        raise LonglookError(f"there is no {command[0]} here: packages of a Debian release are for Debian")
    done = answered(command, f"{command[0]} to fetch and unpack packages", TIMEOUT_S, folder, dict(os.environ))
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).strip().splitlines()[-4:])
        raise LonglookError(f"{command[0]} ended with status {done.returncode}: {tail}")
    return done.stdout
