"""Hashes of files and of folders, and the stamp that spares re-hashing what has not been touched."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from longlook.host.files import open_regular

IGNORED_NAMES = {".bin", ".package-lock.json", "INSTALLER", "RECORD", "REQUESTED", "__pycache__"}
"""Made differently by different versions of npm and pip, or by use; nothing of ours reads them."""
IGNORED_SUFFIXES = (".br",)
"""Packed programs: they are unpacked into bin/ and hashed there."""


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of one file; an `OSError` for what is no regular file."""
    with open_regular(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def files_below(folder: Path) -> Iterator[str]:
    """Relative POSIX paths of the files that count, sorted."""
    found = []
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED_NAMES]
        relative = Path(parent).relative_to(folder)
        found += [
            (relative / name).as_posix()
            for name in files
            if name not in IGNORED_NAMES and not name.endswith(IGNORED_SUFFIXES)
        ]
    return iter(sorted(found))


def tree_sha256(hashes: dict[str, str]) -> str:
    """One hash for a folder: SHA-256 of its `sha256sum` listing, sorted by path. Modes and times do not count."""
    listing = "".join(f"{hashes[path]}  {path}\n" for path in sorted(hashes))
    return hashlib.sha256(listing.encode()).hexdigest()


@dataclass(frozen=True)
class Entry:
    """A file as it was when its hash was last computed."""

    sha256: str
    size: int
    mtime_ns: int

    @classmethod
    def of(cls, path: Path) -> Entry:
        """Hash the file now."""
        status = path.stat()
        return cls(sha256_of(path), status.st_size, status.st_mtime_ns)

    def looks_untouched(self, path: Path) -> bool:
        """Same size and same modification time; says nothing about the bytes."""
        try:
            status = path.stat()
        except OSError:
            return False
        return (status.st_size, status.st_mtime_ns) == (self.size, self.mtime_ns)


@dataclass(frozen=True)
class Stamp:
    """What a whole installation looked like when every byte of it was last checked."""

    digest: str
    files: dict[str, Entry]

    @classmethod
    def read(cls, path: Path) -> Stamp | None:
        """None when there is none, or none that can be read."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return cls(data["digest"], {name: Entry(*values) for name, values in data["files"].items()})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, path: Path) -> None:
        """Replace the stamp; where it cannot be written, the next check hashes everything again."""
        data = {
            "digest": self.digest,
            "files": {name: [e.sha256, e.size, e.mtime_ns] for name, e in self.files.items()},
        }
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps(data), encoding="utf-8")
            temporary.replace(path)
