"""What a chapter is made of: the files, folders and rows of tables that a process reads while it records.

Python tells of every file that is opened and every folder that is listed (audit events, PEP 578), and `os.stat` of each
that is looked for, so that what was absent is told too. (What a library opens in C, as Parquet, it tells only where
somebody looked first.) The processed tables are read as a whole and told by the rows that were asked for (`rows`), the
front matter of the book's pages as one (`fronts`). What no such list can tell, that another program ran or a file was
written, is told as `beyond`: what was made so is not kept.

Told is what lies in the repository or in the folder for data. Code is not: any change of it counts (`code`).
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.book import code

Signature = tuple[int, ...] | None
"""Of a file or folder: what changes when it does; None where there is none."""
Rows = tuple[str, tuple[tuple[str, str], ...]]
"""Rows of a processed table: its name, and columns with the value that they have; all rows without any column."""

LISTED = ("os.listdir", "os.scandir")
BEYOND = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "socket.connect")
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
IMPORTING = "importlib"
LOOKS = ("stat", "lstat", "access")
_STAT = os.stat


@dataclass
class Reads:
    """What was read: path -> its signature when that was first done."""

    files: dict[str, Signature] = field(default_factory=dict)
    folders: dict[str, Signature] = field(default_factory=dict)
    rows: dict[Rows, None] = field(default_factory=dict)
    fronts: bool = False
    beyond: str = ""

    def to_json(self) -> dict[str, Any]:
        """For another process."""
        return asdict(self) | {"rows": list(self.rows)}

    @classmethod
    def of_json(cls, told: dict[str, Any]) -> Reads:
        """The reverse of `to_json`."""
        found = cls(**told)
        for seen in (found.files, found.folders):
            seen.update({path: None if one is None else tuple(one) for path, one in seen.items()})
        found.rows = {(table, tuple((column, value) for column, value in where)): None for table, where in told["rows"]}
        return found


class _Recorder:
    """One per process; a process that was forked from another knows what that one had read."""

    def __init__(self) -> None:
        self.seen = Reads()
        self.on = False
        self._hooked = False
        self._looks: dict[str, Callable] = {}
        self._inside: tuple[str, ...] = ()
        self._outside: tuple[str, ...] = ()

    def start(self) -> None:
        if not self._hooked:  # nothing takes such a hook away
            sys.addaudithook(self._hear)
            self._hooked = True
        self._inside = _both(paths.ROOT, paths.DATA)
        outside = (paths.ROOT / name for name in (".venv", ".git", ".longlook", "_build"))
        self._outside = _both(code.FOLDER.parent, Path(sys.prefix), *outside)
        self._looks = {name: getattr(os, name) for name in LOOKS}
        for name, look in self._looks.items():
            setattr(os, name, self._looked(look))

    def stop(self) -> None:
        for name, look in self._looks.items():
            setattr(os, name, look)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            self._file(arguments[0], writes=bool(arguments[2] & WRITES))
        elif event in LISTED:
            if IMPORTING not in sys._getframe(1).f_code.co_filename:
                self._note(self.seen.folders, arguments[0] or ".", listing)
        elif event in BEYOND:
            self.seen.beyond = self.seen.beyond or event

    def _looked(self, look: Callable) -> Callable:
        """One of `LOOKS`, which also tells of the file."""

        def looked(path: Any, *arguments: Any, **options: Any) -> Any:
            if self.on:
                self._file(path)
            return look(path, *arguments, **options)

        return looked

    def _file(self, path: Any, writes: bool = False) -> None:
        if self._note(self.seen.files, path, signature) and writes:
            self.seen.beyond = self.seen.beyond or f"written: {os.fsdecode(path)}"

    def _note(self, seen: dict[str, Signature], path: Any, signed: Callable[[str], Signature]) -> bool:
        """Whether it is one that is told of."""
        if not isinstance(path, str | bytes | os.PathLike):  # a descriptor
            return False
        name = os.path.abspath(os.fsdecode(path))
        whole = f"{name}/"
        if not whole.startswith(self._inside) or whole.startswith(self._outside) or "/__pycache__/" in whole:
            return False
        if name not in seen:
            seen[name] = signed(name)
        return True


def _both(*folders: Path) -> tuple[str, ...]:
    """As they are called, and where links to them lead."""
    return tuple(f"{name}/" for one in folders for name in (os.path.abspath(one), os.path.realpath(one)))


_RECORDER = _Recorder()


def signature(path: str) -> Signature:
    """Of a file; of a folder that it is one; None where there is neither."""
    try:
        return () if stat.S_ISDIR(_STAT(path).st_mode) else listing(path)
    except (OSError, ValueError):
        return None


def listing(path: str) -> Signature:
    """Of a folder with the names that are in it; None where there is none."""
    try:
        found = _STAT(path)
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@contextmanager
def recorded() -> Iterator[Reads]:
    """What is read within is told, beside what was recorded before in this process and those it was forked from."""
    before = _RECORDER.on
    if not before:
        _RECORDER.start()
    _RECORDER.on = True
    try:
        yield _RECORDER.seen
    finally:
        _RECORDER.on = before
        if not before:
            _RECORDER.stop()


@contextmanager
def untold() -> Iterator[None]:
    """What is read within is told by other means, if at all."""
    before, _RECORDER.on = _RECORDER.on, False
    try:
        yield
    finally:
        _RECORDER.on = before


def rows(table: str, **where: str) -> None:
    """Tells that rows of a processed table were asked for: those with these values, or all."""
    if _RECORDER.on:
        _RECORDER.seen.rows[table, tuple(where.items())] = None


def fronts() -> None:
    """Tells that the front matter of the book's pages was asked for (`chapters`)."""
    if _RECORDER.on:
        _RECORDER.seen.fronts = True
