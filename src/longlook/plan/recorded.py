"""A page of somebody's own as a workload: the files that one load of it asks for, each with what its answer must be."""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from longlook.plan.value import Many, Text, Value, worded

MOST_SITE_FILES = 500
MOST_SITE_BYTES = 200_000_000
DIGEST_DIGITS = 8
ODD = r'\x00-\x1f\x7f-\x9f"\\*?\[\]#%<>\u2028-\u202e\u2066-\u2069'
Path = Annotated[
    str,
    worded(
        rf"^(/[^/.{ODD}][^/{ODD}]*)+$",
        "a path from the site's root without hidden parts, quotes, wildcards, # or %",
        max_length=300,
    ),
]
Query = Annotated[
    str,
    worded(
        r"^[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*$", "what may stand behind a ? in an address (RFC 3986, 3.4)", max_length=300
    ),
]
MediaType = Annotated[
    str,
    worded(r"^[\w.+-]+/[\w.+-]+(; ?charset=[\w-]+)?$", "a media type, as text/css or text/html; charset=utf-8"),
]
SiteName = Annotated[
    str, worded(r"^[a-z0-9][a-z0-9-]*$", "small letters, digits and '-', a letter or digit first", max_length=40)
]


class RecordedFile(Value):
    """One file of a site; its answer has status 200 and these bytes, decoded."""

    called = "a file of a site"

    path: Path
    query: Query = Field(default="", exclude_if=lambda one: not one, description="with which its page asks for it")
    type: MediaType
    size_bytes: int = Field(ge=0, le=MOST_SITE_BYTES)
    sha256: Annotated[str, worded(r"^[0-9a-f]{64}$", "64 hexadecimal digits")]


class RecordedSite(Value):
    """The files that one load of a page asks for, all of one origin (site/recorded.py has their bytes)."""

    called = "a site"

    kind: Literal["site"] = "site"
    name: SiteName
    start: Path = "/index.html"
    source: Text = Field(default="", description="where it is from, and its licence")
    files: Many[RecordedFile] = Field(min_length=1, max_length=MOST_SITE_FILES)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        paths = [one.path for one in self.files]
        if twice := sorted({path for path in paths if paths.count(path) > 1}):
            raise ValueError(f"a site has {twice[0]} twice")
        if self.start not in paths:
            raise ValueError(f"a site has no start page: {self.start} is not among its files")
        if not self.start_bytes:
            raise ValueError(f"its start page {self.start} is empty")
        if self.total_bytes > MOST_SITE_BYTES:
            raise ValueError(f"{self.total_bytes} bytes in all: at most {MOST_SITE_BYTES}")
        return self

    @property
    def start_bytes(self) -> int:
        """Of the document."""
        return next(one.size_bytes for one in self.files if one.path == self.start)

    @property
    def digest(self) -> str:
        """Of paths, types and bytes."""
        lines = sorted(" ".join(filter(None, (one.path, one.query, one.type, one.sha256))) for one in self.files)
        return hashlib.sha256("\n".join([self.start, *lines]).encode()).hexdigest()

    @property
    def object_count(self) -> int:
        """Objects besides the document."""
        return len(self.files) - 1

    @property
    def total_bytes(self) -> int:
        """Bytes of all files, the document's too."""
        return sum(one.size_bytes for one in self.files)

    @property
    def object_bytes(self) -> None:
        """They differ."""
        return None

    @property
    def requests(self) -> int:
        """Requests per load."""
        return len(self.files)

    @property
    def id_part(self) -> str:
        """`site-docs-1a2b3c4d`."""
        return f"site-{self.name}-{self.digest[:DIGEST_DIGITS]}"

    @property
    def label(self) -> str:
        """`site docs, 12 files of 0.45 MB`."""
        count = f"{self.requests} files" if self.requests > 1 else "1 file"
        return f"site {self.name}, {count} of {self.total_bytes / 1e6:.2g} MB"
