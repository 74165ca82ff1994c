"""What executed chapters showed, kept from one build to the next with digests of everything that it was made of.

It is taken again if all of that is the same today: the page's text, all code and its environment, each file, folder and
row of a table that was read, and what was looked for and absent. If in doubt a chapter is executed: where one of these
differs, where its file here is damaged, where no list can tell what it was made of (`reads`), where anything failed.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from longlook import paths
from longlook.book import chapters, digests
from longlook.book.reads import Reads, listing, signature
from longlook.errors import LonglookError

TABLES_FILE = "tables.json"
NOTHING = "nothing is kept of it"

Result = dict[str, Any]
"""Of a chapter as `execute` has it: `outputs` of its cells, `numbers` of its sentences, `cpu_s`."""


@dataclass(frozen=True)
class KeptPage:
    """What is kept of a page: its result, as JSON; why it is not right today, empty where it is; of which tables it
    asked for rows; and how long it took."""

    sealed: bytes
    changed: str
    tables: tuple[str, ...] = ()
    cpu_s: float | None = None

    def result(self) -> Result:
        """What the chapter showed."""
        return json.loads(self.sealed)


class Kept:
    """The results in a folder, which need not be there; `table`: reads a processed table as the chapters have it
    (digests.py), `code`: the digest of the code that runs.

    One object is of one build: what it reads it takes to stay as it is, and notices where it does not.
    """

    def __init__(self, folder: Path, table: Callable[[str, Mapping[str, str]], pd.DataFrame], code: str) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)  # before anything is read, lest a list of files grows meanwhile
        self._contents = digests.Contents()
        sealed = _unsealed(folder / TABLES_FILE)
        known = json.loads(sealed[0]) if sealed else None
        self._rows = digests.TableRows(paths.PROCESSED, self._contents, table, known)
        self._code = code
        self._fronts = digests.fronts(chapters.pages_of(paths.BOOK))

    def find(self, page: Path) -> KeptPage:
        """What is kept of a page, and whether it is right."""
        sealed = _unsealed(self._file(page))
        if sealed is None:
            return KeptPage(b"", NOTHING)
        try:
            of = json.loads(sealed[0])
            tables = tuple(dict.fromkeys(table for table, _, _ in of["rows"]))
            return KeptPage(sealed[1], self._changed(page, of), tables, of["cpu_s"])
        except (LookupError, TypeError, ValueError):
            return KeptPage(b"", NOTHING)
        except LonglookError as error:  # of a table that cannot be read
            return KeptPage(b"", str(error))

    def keep(self, page: Path, result: Result, reads: Reads) -> str:
        """Keeps a page's result; returns why not, where that cannot be."""
        if reads.beyond:
            return reads.beyond
        files = {path: self._contents.file(path) for path in reads.files}
        folders = {path: self._contents.folder(path) for path in reads.folders}
        changed = [path for path, then in reads.files.items() if signature(path) != then]
        changed += [path for path, then in reads.folders.items() if listing(path) != then]
        if changed:
            return f"{_short(changed[0])} changed meanwhile"
        try:
            rows = [(table, where, self._rows.of((table, where))) for table, where in reads.rows]
        except LonglookError as error:  # the chapter said so, and did not mind
            return str(error)
        fronts = self._fronts if reads.fronts else None
        of = {"text": self._text(page), "code": self._code, "fronts": fronts, "cpu_s": result["cpu_s"]}
        self._seal(self._file(page), of | {"files": files, "folders": folders, "rows": rows}, result)
        return ""

    def close(self) -> None:
        """Keeps what is known of the tables. A `LonglookError` where one of them changed during the build: then nothing
        is kept."""
        try:
            tables = self._rows.to_json()
        except LonglookError:
            shutil.rmtree(self.folder)
            raise
        self._seal(self.folder / TABLES_FILE, tables)

    def _changed(self, page: Path, of: dict[str, Any]) -> str:
        """The first that is not what it was; empty where all is."""
        if of["code"] != self._code:
            return "the code, or what it runs on"
        if of["text"] != self._text(page):
            return "its text"
        if of["fronts"] not in (None, self._fronts):
            return "the front matter of the book's pages"
        for path, digest in of["files"].items():
            if self._contents.file(path) != digest:
                return _short(path)
        for path, digest in of["folders"].items():
            if self._contents.folder(path) != digest:
                return _short(path)
        for table, where, digest in of["rows"]:
            if self._rows.of((table, tuple((column, value) for column, value in where))) != digest:
                return f"{table}, {' '.join(value for _, value in where) or 'some of its rows'}"
        return ""

    def _text(self, page: Path) -> str:
        return digests.of_bytes(page.read_bytes())

    def _file(self, page: Path) -> Path:
        return self.folder / page.relative_to(paths.ROOT).with_suffix(".json")

    def _seal(self, file: Path, *contents: Any) -> None:
        """As JSON, a line each, below their digest: whole or not at all."""
        body = b"\n".join(json.dumps(one).encode() for one in contents)
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_suffix(".half")
        half.write_bytes(digests.of_bytes(body).encode() + b"\n" + body)
        half.replace(file)


def _unsealed(file: Path) -> list[bytes] | None:
    """The lines of what was sealed in a file; None where that cannot be had."""
    with contextlib.suppress(OSError):
        digest, _, body = file.read_bytes().partition(b"\n")
        if digests.of_bytes(body).encode() == digest:
            return body.split(b"\n")
    return None


def _short(path: str) -> str:
    return path.removeprefix(f"{paths.ROOT}/")
