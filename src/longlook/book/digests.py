"""Digests of what a chapter is made of, to be compared with those of today: files, folders, rows of tables.

Contents count, and no times. Rows of a processed table are hashed with its columns' types, since whether a number is
whole may hang on the rows of others. Of a table that is what it was they are known without reading it.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from longlook.book.reads import Rows, Signature, signature
from longlook.dataset.tables import BY_SERIES, TABLES, resource
from longlook.errors import LonglookError
from longlook.stack.tree import sha256_of

ABSENT, FOLDER, SPECIAL = "absent", "folder", "neither file nor folder"


def of_bytes(content: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


class Contents:
    """Of files and folders, each read once as long as it stays what it is."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Signature, str]] = {}

    def file(self, path: str) -> str:
        """Of a file's content, or what it is instead."""
        now = signature(path)
        if path not in self._known or self._known[path][0] != now:
            self._known[path] = (now, _content(path))
        return self._known[path][1]

    def folder(self, path: str) -> str:
        """Of the names in a folder."""
        try:
            names = sorted(name for name in os.listdir(path) if name != "__pycache__")
        except OSError:
            return ABSENT
        return of_bytes("\0".join(names).encode(errors="surrogateescape"))


def _content(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            return FOLDER
        if not stat.S_ISREG(mode):
            return SPECIAL
        return sha256_of(Path(path))
    except (OSError, ValueError):
        return ABSENT


def fronts(pages: list[Path]) -> str:
    """Of the front matter of these pages, and of which there are."""
    return of_bytes(b"\n".join(bytes(page) + page.read_bytes().partition(b"\n---")[0] for page in pages))


class TableRows:
    """Of rows of the processed tables in a folder; `table`: reads one of them as the chapters have it, at least
    the rows that have some values. `known`: what `to_json` gave before.

    A table that changes meanwhile is a `LonglookError`: nobody could tell which of the two a page shows.
    """

    def __init__(
        self,
        folder: Path,
        contents: Contents,
        table: Callable[[str, Mapping[str, str]], pd.DataFrame],
        known: Any = None,
    ) -> None:
        self._table = table
        self._files = {name: str(folder / resource(name)["path"]) for name in TABLES}
        self._signatures = {name: signature(file) for name, file in self._files.items()}
        self._contents = {name: contents.file(file) for name, file in self._files.items()}
        self._known: dict[str, dict[str, str]] = {name: {} for name in TABLES}
        for name, (content, rows) in (known or {}).items():
            if self._contents.get(name) == content:
                self._known[name] = rows
        self._hashed: dict[str, _Hashed] = {}

    def of(self, rows: Rows) -> str:
        """Of the rows that were asked for."""
        name, where = rows
        key = json.dumps(where)
        if key not in self._known[name]:
            hashed = self._hashed.get(name) or _Hashed(self._table(name, dict(where)))
            if name not in BY_SERIES:
                self._hashed[name] = hashed
            self._known[name][key] = hashed.of(where)
        return self._known[name][key]

    def to_json(self) -> dict[str, tuple[str, dict[str, str]]]:
        """What is known, by table, with the content of its file."""
        changed = [file for name, file in self._files.items() if signature(file) != self._signatures[name]]
        if changed:
            raise LonglookError(f"{changed[0]} changed while the book was built: build it again")
        return {name: (self._contents[name], self._known[name]) for name in TABLES}


class _Hashed:
    """A table's rows as hashes, and where those of some values are."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame
        self._head = repr([(name, str(kind)) for name, kind in frame.dtypes.items()]).encode()
        self._rows = pd.util.hash_pandas_object(frame, index=False).to_numpy()
        self._places: dict[tuple[str, ...], dict[tuple[str, ...], np.ndarray]] = {}

    def of(self, where: tuple[tuple[str, str], ...]) -> str:
        columns = tuple(column for column, _ in where)
        if not columns:
            return of_bytes(self._head + self._rows.tobytes())
        if columns not in self._places:
            self._places[columns] = places(self._frame[list(columns)])
        own = self._places[columns].get(tuple(value for _, value in where))
        return of_bytes(self._head + (b"" if own is None else self._rows[own].tobytes()))


def places(frame: pd.DataFrame) -> dict[tuple[str, ...], np.ndarray]:
    """Texts of values -> the places of the rows that have them, in their order."""
    if frame.empty:
        return {}
    groups = frame.groupby(list(frame.columns), sort=False, dropna=False).ngroup().to_numpy()
    order = np.argsort(groups, kind="stable")
    places = np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)
    return {tuple(map(str, frame.iloc[own[0]])): own for own in places}
