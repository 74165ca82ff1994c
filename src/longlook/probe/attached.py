"""A tool that watches programs while a context is open, and writes what it saw when it is told to end."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from longlook.errors import LonglookError
from longlook.host import process

TIMEOUT_S = 10.0


@dataclass(frozen=True)
class AttachedTool:
    """One that takes `-o FILE -p PIDS` and ends by SIGINT."""

    command: Sequence[str]
    package: str
    """Debian's."""
    is_attached: Callable[[int, Sequence[int]], bool]
    """Whether the tool of the first process id watches the others by now; may raise OSError."""
    idle: str
    """What it says where it never does: `perf counts nothing here`, and why as far as is known."""
    reason: str


class Written:
    """What the tool wrote; `text` holds it after the context."""

    text: str


@contextlib.contextmanager
def attached(tool: AttachedTool, pids: Sequence[int]) -> Iterator[Written]:
    """Watch programs and all that they have started so far, while inside. Needs the tool, and root."""
    name = tool.command[0]
    if shutil.which(name) is None:
        raise LonglookError(f"missing: {name} (apt-get install {tool.package})")
    found = Written()
    with tempfile.TemporaryDirectory(prefix="longlook-calls-") as folder:
        told, own = Path(folder) / "told", with_descendants(pids)
        argv = [*tool.command, "-o", str(told), "-p", ",".join(map(str, own))]
        child = process.start(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _wait_attached(tool, child, own)
            yield found
            child.send_signal(signal.SIGINT)
            child.wait(TIMEOUT_S)
        finally:
            process.stop(child)
        found.text = told.read_text() if told.exists() else ""


def with_descendants(pids: Sequence[int]) -> list[int]:
    """Processes and all that they have started."""
    found = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            found += [pid, *(one.pid for one in psutil.Process(pid).children(recursive=True))]
    return found


def _wait_attached(tool: AttachedTool, child: subprocess.Popen, pids: Sequence[int]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while child.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            if tool.is_attached(child.pid, pids):
                return
        time.sleep(0.02)  # polling interval, bounded by the deadline
    said = child.stderr.read().strip() if child.poll() is not None and child.stderr else tool.reason
    raise LonglookError(f"{tool.idle}: {said[-300:]}")
