"""One part as it lies on this machine: its files, held to what is pinned.

Layout, the same for both providers: `bin/<component>` for each packaged program, `node_modules/` and `python/` where a
library stays in them. Nix adds `run/<component>`: the same program made to use the loader and libraries of its store,
which is what is started; and `bin/<command>` for programs that are the system's elsewhere.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack.component import KEPT, Component, Kept
from longlook.stack.gobuild import build_tool
from longlook.stack.part import PYTHON, Part
from longlook.stack.tree import Entry, Stamp, files_below, tree_sha256

SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Debian keeps servers there, and leaves these folders out of the PATH of ordinary users."""


class ChangedError(LonglookError):
    """Installed files are not the bytes that a part.toml and its locks name."""


class PlacedPart:
    """A part and the folder it is in, or would be in; `remedy` says what to do about changed files."""

    def __init__(self, part: Part, folder: Path, remedy: str):
        self.part, self.folder, self.remedy = part, folder, remedy

    @property
    def name(self) -> str:
        return self.part.name

    @property
    def is_there(self) -> bool:
        """Whether it is installed; a part without files of its own always is."""
        return self.folder.is_dir() or not self.part.has_files

    def program(self, name: str) -> Path:
        """Path of a component's program: the installation's own, else, for the system's components, from PATH."""
        component = self.part.spec.components[name]
        if component.is_installed_program:
            adapted = self.folder / "run" / name
            return adapted if adapted.exists() else self.folder / "bin" / name
        if component.source == "go":
            return build_tool(component.package)
        search = os.pathsep.join((str(self.folder / "bin"), os.environ.get("PATH", os.defpath), SYSTEM_FOLDERS))
        for command in component.commands:
            if found := shutil.which(command, path=search):
                return Path(found)
        if not component.commands:
            raise LonglookError(f"component {name} of part {self.name} has no program of its own")
        raise LonglookError(
            f"part {self.name} needs {' or '.join(component.commands)}, which is not on PATH: "
            f"apt-get install {component.package}"
        )

    def packages(self, component: Component) -> Path | None:
        """The folder in which a library stays; None for anything else."""
        return self.folder / component.kept_in if component.kept_in else None

    def is_own(self, name: str) -> bool:
        """Whether a component's program is in this folder, and not the system's."""
        return self.program(name).is_relative_to(self.folder)

    def sha256(self, name: str) -> str | None:
        """Of a component's program, else of its package's folder; None for what is part of another component."""
        component = self.part.spec.components[name]
        if component.sha256:
            return component.sha256
        if component.kept_in == "node_modules":
            return _hash_of(self.folder / "node_modules" / component.package)
        if component.kept_in == "python":
            return self._pinned_tree("python")
        return Entry.of(self.program(name)).sha256 if component.commands or component.source == "go" else None

    @property
    def _stamp(self) -> Path:
        key = hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]
        return paths.CACHE / "parts" / "stamps" / f"{self.part.label}-{key}.json"

    def verify(self, full: bool = False) -> None:
        """Raise `ChangedError` unless every file is as pinned.

        Without `full` a file with the size and time of the last full check counts as unchanged; whatever
        else is seen leads to a full check, which hashes every byte (about 0.3 s for 260 MB).
        """
        if not self.part.has_files:
            return
        stamp = Stamp.read(self._stamp)
        if not full and stamp is not None and self._looks_untouched(stamp):
            return
        Stamp(self.part.digest, self.check_every_byte(stamp)).write(self._stamp)

    def check_every_byte(self, stamp: Stamp | None = None) -> dict[str, Entry]:
        """Hash every file and compare with what is pinned; an older stamp helps to name the file that differs."""
        hashed = {path: self._hash(path) for path in self._files()}
        for name, component in self.part.spec.components.items():
            if component.is_installed_program and hashed[f"bin/{name}"].sha256 != component.sha256:
                self._refuse(self.folder / "bin" / name, component.sha256, hashed[f"bin/{name}"].sha256)
        for kept in self._kept():
            self._compare_tree(kept, hashed, stamp)
        return hashed

    def _kept(self) -> Iterator[Kept]:
        return (kept for kept in KEPT.values() if self.part.keeps(kept))

    def _files(self) -> list[str]:
        components = self.part.spec.components.items()
        found = [f"bin/{name}" for name, component in components if component.is_installed_program]
        for kept in self._kept():
            found += [f"{kept}/{path}" for path in files_below(self.folder / kept)]
        return found

    def _looks_untouched(self, stamp: Stamp) -> bool:
        if stamp.digest != self.part.digest or set(stamp.files) != set(self._files()):
            return False
        return all(entry.looks_untouched(self.folder / path) for path, entry in stamp.files.items())

    def _hash(self, path: str) -> Entry:
        try:
            return Entry.of(self.folder / path)
        except OSError as error:
            raise ChangedError(
                f"part {self.name}: cannot read {self.folder / path} ({error.strerror}). {self.remedy}"
            ) from None

    def _pinned_tree(self, kept: Kept) -> str | None:
        if kept == "node_modules":
            return self.part.spec.locks.npm_tree_sha256
        pinned = self.part.spec.locks.python_tree_sha256
        if PYTHON not in pinned:
            raise LonglookError(
                f"{self.part.file}: locks.python_tree_sha256 knows Python {', '.join(pinned)}, and this is {PYTHON}: "
                "make the environment with one of them (PYTHON=python3.11 make bootstrap)"
            )
        return pinned[PYTHON]

    def _compare_tree(self, kept: Kept, hashed: dict[str, Entry], stamp: Stamp | None) -> None:
        prefix = f"{kept}/"
        tree = {path.removeprefix(prefix): one.sha256 for path, one in hashed.items() if path.startswith(prefix)}
        found, expected = tree_sha256(tree), self._pinned_tree(kept)
        if found == expected:
            return
        # The tree's hash says that something differs; the last good stamp, if there is one, says what.
        before = {path: one for path, one in stamp.files.items() if path.startswith(prefix)} if stamp else {}
        for path in sorted(set(before) & set(hashed)):
            if before[path].sha256 != hashed[path].sha256:
                self._refuse(self.folder / path, before[path].sha256, hashed[path].sha256)
        self._refuse(self.folder / kept, expected, found)

    def _refuse(self, path: Path, expected: str | None, found: str) -> None:
        raise ChangedError(
            f"part {self.name}: {path} is not what is pinned: expected sha256 {expected}, found {found}. {self.remedy}"
        )


def _hash_of(folder: Path) -> str:
    return tree_sha256({path: Entry.of(folder / path).sha256 for path in files_below(folder)})
