"""A file lock between processes; the kernel lets go of it when its holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator
from pathlib import Path

from longlook.errors import LonglookError

WAIT_S = 900.0
POLL_S = 0.1


@contextlib.contextmanager
def exclusive(path: Path, waiting_for: str, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold `path` alone; `waiting_for` names who else may hold it, for the message when the wait is over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        deadline = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LonglookError(f"waited {wait_s:g} s for {waiting_for} to end (it holds {path})") from None
                time.sleep(POLL_S)  # flock has no timed form
        yield
