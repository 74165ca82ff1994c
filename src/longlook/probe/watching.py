"""What the stall watch and the stop watch have in common: a process of its own that prints what it sees.

It shares no interpreter lock with the driver; `python -S` starts it in 10 ms.
"""

from __future__ import annotations

import abc
import subprocess
import sys
import threading

from longlook.host import process


def realtime(priority: int) -> str:
    """Lines of a watching program that ask for real-time priority, and do without it where that is forbidden."""
    return f"""
import os
try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param({priority}))
except PermissionError:
    pass
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

    def _read(self) -> None:
        for line in process.piped(self._process.stdout):
            self._hear(line.rstrip("\n"))

    @abc.abstractmethod
    def _hear(self, line: str) -> None: ...
