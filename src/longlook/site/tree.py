"""A site: the tree of files of a workload, with the size and hash that each must have when it arrives."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class SiteFile:
    """What a correct answer's body is."""

    size_bytes: int
    sha256: str
    content_type: str
    query: str = ""
    """With which it is asked for."""


@dataclass(frozen=True)
class Site:
    """A folder that every server serves as it is: the file `root`/a/b answers the path /a/b, and nothing else does."""

    root: Path
    files: Mapping[str, SiteFile]
    """Path (begins with a slash) -> its file."""
    start: tuple[str, ...]
    """Paths that a client asks for; of a page its document, which names the others."""

    @property
    def sizes(self) -> dict[str, int]:
        """Expected body size in bytes by path."""
        return {path: one.size_bytes for path, one in self.files.items()}

    @property
    def requests(self) -> int:
        """Requests of one correct load."""
        return len(self.files)


def described(body: bytes, content_type: str) -> SiteFile:
    """The description of a file with this content."""
    return SiteFile(len(body), hashlib.sha256(body).hexdigest(), content_type)
