"""One owner for each testbed's name: whoever sets it up or clears it away must be its owner, or started by him.

A run owns its testbeds from its first to its last cell. The lock is the kernel's, so that an owner who is killed is
none any more; its file says who it is, for the others' message. What the owner starts (workers, notebooks' kernels)
finds his token in its environment and shows it; what a killed run left behind shows one that has expired.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
import time
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from longlook.errors import LonglookError
from longlook.host.locking import held

USE_WAIT_S = 15.0
"""For a kernel whose run was killed: it looks for its parent every second."""
RECORD_WAIT_S = 2.0
POLL_S = 0.01


def lock_path(name: str, folder: Path) -> Path:
    """The lock of a testbed."""
    return folder / f"ll-{name}.lock"


class Owner:
    """The one who has the lock, as its file says."""

    def __init__(self, file: TextIO):
        self._file, self.token = file, uuid.uuid4().hex
        self._since = datetime.now(UTC).isoformat(timespec="seconds")

    def is_for(self, what: str) -> None:
        """Write down what the testbed is used for: a campaign, or a command."""
        record = {"pid": os.getpid(), "campaign": what, "since": self._since, "token": self.token}
        text = json.dumps(record) + "\n"
        os.ftruncate(self._file.fileno(), 0)
        os.pwrite(self._file.fileno(), text.encode(), 0)


@contextlib.contextmanager
def owned(name: str, folder: Path, what: str, hand_down: bool = True) -> Iterator[Owner]:
    """Own a testbed; raises at once, with its owner's name, where it has another one. What is started meanwhile may use
    it, if it is to be handed down."""
    path = lock_path(name, folder)
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(_opened(path))
        if not _taken(file):
            raise LonglookError(_refusal(name, path, _read(path)))
        owner = Owner(file)
        owner.is_for(what)
        if hand_down:
            stack.enter_context(_environment(_variable(name), owner.token))
        yield owner


@contextlib.contextmanager
def entitled(name: str, folder: Path, hand_down: bool = True) -> Iterator[None]:
    """Who gets in may clear the testbed away: its owner, what he has started, or else this process, as its owner."""
    if _is_handed_down(name, folder):
        yield
    else:
        with owned(name, folder, _command(), hand_down):
            yield


@contextlib.contextmanager
def used(name: str, folder: Path) -> Iterator[None]:
    """`entitled`, and the only one of its owner's who uses the testbed now."""
    busy = f"testbed {name!r} is still used by a program of its owner's, or of a run that was killed; end it"
    with entitled(name, folder, hand_down=False), held(folder / f"ll-{name}.use", busy, USE_WAIT_S):
        yield


def _variable(name: str) -> str:
    return f"LONGLOOK_TESTBED_{name.upper().replace('-', '_')}"


def _command() -> str:
    """Of a process that measures no campaign: calibration, bench, a notebook that was started by hand."""
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:120]


def _opened(path: Path) -> TextIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Nobody else may take the lock just to be in the way.
        return open(path, "a+", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600))
    except OSError as error:
        raise LonglookError(
            f"cannot open the testbed's lock {path}: {error.strerror}; namespaces need root: run again with sudo"
        ) from None


def _taken(file: TextIO) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_handed_down(name: str, folder: Path) -> bool:
    """Whether the one who owns the testbed now has started this process, or is it."""
    token = os.environ.get(_variable(name))
    path = lock_path(name, folder)
    if token is None:
        return False
    with _opened(path) as file:
        if _taken(file):  # its owner is gone
            return False
    return _read(path).get("token") == token


def _read(path: Path) -> dict[str, Any]:
    """Who holds the lock; empty where that cannot be told. Between taking the lock and writing there is a moment in
    which the file says nothing, or still names an owner who was killed."""
    deadline = time.monotonic() + RECORD_WAIT_S
    while time.monotonic() < deadline:
        with contextlib.suppress(ValueError, OSError):
            record = json.loads(path.read_text(encoding="utf-8"))
            os.kill(record["pid"], 0)
            return record
        time.sleep(POLL_S)
    return {}


def _refusal(name: str, path: Path, record: dict[str, Any]) -> str:
    who = f"process {record['pid']} ({record['campaign']}, since {record['since']})" if record else "another process"
    return f"testbed {name!r} is in use by {who}: wait for its end, or use another testbed (lock {path})"


@contextlib.contextmanager
def _environment(variable: str, value: str) -> Iterator[None]:
    before = os.environ.get(variable)
    os.environ[variable] = value
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = before
