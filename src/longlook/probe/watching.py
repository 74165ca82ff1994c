"""What the stall watch and the stop watch have in common: a process of its own that prints what it sees.

It shares no interpreter lock with the driver; `python -S` starts it in 10 ms.
"""

from __future__ import annotations

import abc
import subprocess
import sys
import threading

from longlook.errors import LonglookError
from longlook.host import process

SHORT_SLICE_NS = 100_000
"""The shortest that Linux gives: who wakes up with it comes before those with the usual one of some ms (6.12 and newer;
ignored before)."""
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
"""System call number; Python has no wrapper."""


def realtime(priority: int) -> str:
    """Lines of a watching program that ask for real-time priority; where that is forbidden, for short slices."""
    return f"""
import os
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param({priority}))
except PermissionError:
    import ctypes, struct
    # size, policy, flags, nice, priority, slice
    wanted = struct.pack("IIQiIQQQ", 48, 0, 0, os.nice(0), 0, {SHORT_SLICE_NS}, 0, 0)
    ctypes.CDLL(None).syscall({SCHED_SETATTR}.get(os.uname().machine, -1), 0, wanted, 0)
"""


class Watching(abc.ABC):
    """Context manager around the watching process; a thread hears each line that it prints."""

    source: str
    """The program."""

    def __enter__(self):
        self._process = process.start(
            [sys.executable, "-S", "-c", self.source],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_):
        process.stop(self._process)

    def require_alive(self) -> None:
        """Raise if the process has ended: who watches no longer sees nothing wrong."""
        if self._process.poll() is not None:
            name = type(self).__name__
            raise LonglookError(f"the {name} has ended ({self._process.returncode}): no load can be judged any more")

    def _read(self) -> None:
        for line in process.piped(self._process.stdout):
            self._hear(line.rstrip("\n"))

    @abc.abstractmethod
    def _hear(self, line: str) -> None: ...
