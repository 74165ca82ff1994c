"""Programs that end when their owner does: started in their own session, ended by whoever started them."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Any

import psutil

from longlook.errors import LonglookError
from longlook.host.hosts import Running


def tied(argv: Sequence[str]) -> list[str]:
    """`argv` such that the kernel kills the program when the thread that started it dies (kill -9 of the driver)."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise LonglookError("setpriv is missing: install util-linux (apt-get install util-linux)")
    return [setpriv, "--pdeathsig", "KILL", "--", *argv]


def start(argv: Sequence[str], **options) -> subprocess.Popen[Any]:
    """Popen with its own session (no Ctrl-C of the terminal reaches it) and no inherited standard input."""
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("start_new_session", True)
    try:
        return subprocess.Popen([str(part) for part in tied(argv)], **options)
    except OSError as error:
        raise LonglookError(f"cannot start {argv[0]}: {error}") from None


def stop(process: Running, grace_s: float = 3.0) -> None:
    """End a program and its whole session: first politely, then not; returns when it is gone."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace_s)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()


def started(program: Running | None, name: str) -> Running:
    """A program that its owner has started; to ask for one that does not run yet, or no longer, is an error."""
    if program is None:
        raise LonglookError(f"{name} has not been started, or has been ended")
    return program


def piped(stream: IO[Any] | None) -> IO[Any]:
    """A standard stream of a program that was started with a pipe there."""
    if stream is None:
        raise ValueError("the program was started without a pipe for this stream")
    return stream


def tell(program: Running, request: Mapping[str, Any]) -> None:
    """Write a request to a program's standard input, as one line of JSON. OSError where the program is gone."""
    stream = piped(program.stdin)
    stream.write(json.dumps(request) + "\n")
    stream.flush()


def hear(program: Running, timeout_s: float) -> str | None:
    """The next line of a program's standard output, empty at its end; None where nothing comes in time.

    For programs that write one line and then wait: `select` does not see a second line in Python's own buffer.
    """
    stream = piped(program.stdout)
    readable, _, _ = select.select([stream], [], [], timeout_s)
    return stream.readline() if readable else None


def kill_pids(pids: Sequence[int]) -> None:
    """SIGKILL, for what an earlier run left behind; gone already is fine."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    gone = [psutil.Process(pid) for pid in pids if psutil.pid_exists(pid)]
    psutil.wait_procs(gone, timeout=3)


def waited_seconds(pids: Sequence[int]) -> float:
    """Seconds for which threads of these processes and their live descendants were ready to run and did not, added up:
    the second field of /proc/<pid>/task/<tid>/schedstat."""
    total = 0
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            root = psutil.Process(pid)
            for own in [root, *root.children(recursive=True)]:
                total += _waited_ns(own.pid)
    return total / 1e9


def _waited_ns(pid: int) -> int:
    found = 0
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as told:
                found += int(told.read().split()[1])
    return found


def cpu_seconds(pid: int) -> float:
    """User plus system CPU seconds of a process and its live descendants; 0.0 when it is gone."""
    total = 0.0
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in [root, *root.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                total += times.user + times.system
    return total
