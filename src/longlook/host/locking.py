"""A file lock between processes; the kernel lets go of it when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from longlook.errors import LonglookError

WAIT_S = 900.0
POLL_S = 0.1


def exclusive(path: Path, waiting_for: str, wait_s: float = WAIT_S) -> contextlib.AbstractContextManager[None]:
    """Hold `path` alone; `waiting_for` names who else may hold it, for the message when the wait is over."""
    return held(path, f"waited {wait_s:g} s for {waiting_for} to end (it holds {path})", wait_s)


def _private(path: str, flags: int) -> int:
    """Nobody else may take the lock just to be in the way."""
    return os.open(path, flags, 0o600)


@contextlib.contextmanager
def held(path: Path, refusal: str, wait_s: float = 0.0) -> Iterator[None]:
    """Hold `path` alone; raise `refusal` where another process holds it for longer than `wait_s`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", opener=_private) as file:
        deadline = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    raise LonglookError(refusal) from None
                time.sleep(POLL_S)  # flock has no timed form
        yield
