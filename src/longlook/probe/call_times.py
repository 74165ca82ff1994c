"""In which calls of the kernel programs spend their system time, by `strace -c`, which slows what it looks at."""

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

from longlook.errors import LonglookError
from longlook.host import process
from longlook.probe.calls import with_descendants

TIMEOUT_S = 10.0


class CallTimes:
    """What programs did while a context is open; `pct` holds it afterwards."""

    pct: Mapping[str, float]
    """By call, its share of all calls' system time, the largest first."""


@contextlib.contextmanager
def timed(pids: Sequence[int]) -> Iterator[CallTimes]:
    """Time the calls of programs and of all that they start, while inside. Needs strace, and root."""
    if shutil.which("strace") is None:
        raise LonglookError("missing: strace (apt-get install strace)")
    found = CallTimes()
    with tempfile.TemporaryDirectory(prefix="longlook-calls-") as folder:
        told, own = Path(folder) / "told", with_descendants(pids)
        argv = ["strace", "-f", "-c", "-o", str(told), "-p", ",".join(map(str, own))]
        child = process.start(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait_attached(child, own)
            yield found
            child.send_signal(signal.SIGINT)
            child.wait(TIMEOUT_S)
        finally:
            process.stop(child)
        found.pct = shares(told.read_text() if told.exists() else "")


def _wait_attached(child: subprocess.Popen, pids: Sequence[int]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while child.poll() is None and time.monotonic() < deadline:
        if all(map(_is_traced, pids)):
            return
        time.sleep(0.02)  # polling interval, bounded by the deadline
    raise LonglookError("strace times nothing here: it could not attach to the programs")


def _is_traced(pid: int) -> bool:
    """Or has ended."""
    with contextlib.suppress(OSError):
        states = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
        return not any(re.search(r"^TracerPid:\s*0$", state, re.MULTILINE) for state in states)
    return True


def shares(text: str) -> dict[str, float]:
    """What `strace -c` wrote. Nothing timed is a `LonglookError`."""
    rows = re.findall(r"^\s*([\d.]+)\s+[\d.]+\s+\d+\s+\d+\s+(?:\d+\s+)?([a-z_0-9]+)$", text, re.MULTILINE)
    found = {name: float(pct) for pct, name in rows if name != "total"}
    if not found:
        raise LonglookError(f"strace timed no call: {text.strip()[-300:] or 'it wrote nothing'}")
    return dict(sorted(found.items(), key=lambda one: -one[1]))
