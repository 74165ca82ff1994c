"""How often programs call the kernel, by the kernel's own trace points. `perf stat` counts them: nothing is stopped."""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

from longlook.errors import LonglookError
from longlook.host import process

KINDS: Mapping[str, Sequence[str]] = {
    "sends": ("sendmsg", "sendmmsg", "sendto"),
    "receives": ("recvmsg", "recvmmsg", "recvfrom"),
    "writes": ("write", "writev", "sendfile64"),
    "reads": ("read", "readv"),
    "waits": ("epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"),
}
"""Datagrams are sent and received; what TCP carries may be written and read too, as files are."""
ALL = "raw_syscalls:sys_enter"
EVENT = "syscalls:sys_enter_"
TIMEOUT_S = 10.0


class Calls:
    """What is counted of some programs while a context is open; `counts` holds it afterwards."""

    counts: Mapping[str, int]
    """Of each of KINDS, and `all`."""


@contextlib.contextmanager
def counted(pids: Sequence[int]) -> Iterator[Calls]:
    """Count the calls of programs and of all that they have started so far, while inside. Needs perf, and root."""
    if shutil.which("perf") is None:
        raise LonglookError("missing: perf (apt-get install linux-perf)")
    found = Calls()
    with tempfile.TemporaryDirectory(prefix="longlook-calls-") as folder:
        told = Path(folder) / "told"
        events = [ALL, *(f"{EVENT}{name}" for own in KINDS.values() for name in own)]
        argv = ["perf", "stat", "-x", ";", "-o", str(told), "-p", ",".join(map(str, with_descendants(pids)))]
        child = process.start([*argv, "-e", ",".join(events)], stderr=subprocess.PIPE, text=True)
        try:
            _wait_attached(child)
            yield found
            child.send_signal(signal.SIGINT)
            child.wait(TIMEOUT_S)
        finally:
            process.stop(child)
        found.counts = counts(told.read_text() if told.exists() else "")


def with_descendants(pids: Sequence[int]) -> list[int]:
    """Processes and all that they have started."""
    found = []
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            found += [pid, *(one.pid for one in psutil.Process(pid).children(recursive=True))]
    return found


def _wait_attached(child: subprocess.Popen) -> None:
    """Until perf has opened its counters: it holds one file for each, of each thread."""
    deadline = time.monotonic() + TIMEOUT_S
    while child.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            links = [link.readlink() for link in Path(f"/proc/{child.pid}/fd").iterdir()]
            if sum("perf_event" in str(link) for link in links) >= 1 + sum(map(len, KINDS.values())):
                return
        time.sleep(0.02)  # polling interval, bounded by the deadline
    said = child.stderr.read().strip() if child.poll() is not None and child.stderr else "it opened no counters"
    raise LonglookError(f"perf counts nothing here: {said[-300:]}")


def counts(text: str) -> dict[str, int]:
    """What `perf stat -x ;` wrote: calls of each kind, and `all`. One that was not counted is a `LonglookError`."""
    lines = re.findall(r"^(\d+);[^;]*;([a-z_]+:[a-z_0-9]+);", text, re.MULTILINE)
    numbers = {event: int(count) for count, event in lines}
    if ALL not in numbers:
        raise LonglookError(f"perf did not count system calls: {text.strip()[-300:] or 'it wrote nothing'}")
    kinds = {kind: sum(numbers.get(f"{EVENT}{name}", 0) for name in names) for kind, names in KINDS.items()}
    return {"all": numbers[ALL]} | kinds
