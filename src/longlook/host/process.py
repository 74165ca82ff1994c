"""Programs that end when their owner does: started in their own session, ended by whoever started them, and with an
environment that is stated here.

A user's variables change what is measured: an `OPENSSL_CONF` with one group costs a round trip in every handshake. So a
program gets `STATED`, the variables of `INHERITED` that there are, and what whoever starts it names; nothing else.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import psutil

from longlook.errors import LonglookError
from longlook.host.hosts import Running

STATED = {
    "LANG": "C.UTF-8",
    "HOME": "/nonexistent",  # no settings of a user's: ~/.curlrc, Wireshark's
    "OPENSSL_CONF": "/dev/null",  # nor the system's /etc/ssl/openssl.cnf
    "GNUTLS_SYSTEM_PRIORITY_FILE": "/dev/null",  # the same of GnuTLS (/etc/gnutls/config)
}
"""What every program has."""
INHERITED = ("PATH", "TMPDIR", "LONGLOOK_NODE", "LONGLOOK_JOB")
"""Where programs are found (in Nix's shells all of them), where temporary files belong, and what marks a node's."""


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Of a program; `more`: what it has besides, or instead."""
    return STATED | {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(more or {})


def stated() -> dict[str, Any]:
    """For records: the variables that every program has, and the names of those that it was handed on."""
    return {"stated": dict(STATED), "inherited": [name for name in INHERITED if name in os.environ]}


def tied(argv: Sequence[str]) -> list[str]:
    """`argv` such that the kernel kills the program when the thread that started it dies (kill -9 of the driver)."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise LonglookError("setpriv is missing: install util-linux (apt-get install util-linux)")
    return [setpriv, "--pdeathsig", "KILL", "--", *argv]


def start(argv: Sequence[str], **options) -> subprocess.Popen[Any]:
    """Popen with its own session (no Ctrl-C of the terminal reaches it) and no inherited standard input; `env`: what it
    has beside `STATED`."""
    options["env"] = environment(options.get("env"))
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


Schedule = Mapping[int, tuple[int, int]]
"""Thread id -> nanoseconds for which it ran, and for which it was ready to run and did not."""


def schedule(pids: Sequence[int]) -> Schedule:
    """Of every thread of these processes and their live descendants: the first two fields of
    /proc/<pid>/task/<tid>/schedstat."""
    found: dict[int, tuple[int, int]] = {}
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            root = psutil.Process(pid)
            for own in [root, *root.children(recursive=True)]:
                found |= _scheduled(own.pid)
    return found


def _scheduled(pid: int) -> Schedule:
    found = {}
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as told:
                ran, waited, _ = told.read().split()
                found[int(task)] = int(ran), int(waited)
    return found


@dataclass(frozen=True)
class Waiting:
    """What the threads of a program waited for a processor in between."""

    seconds: float
    """All threads' added up."""
    threads: float
    """Among how many it was divided: (sum of b)^2 / (sum of b^2), b being the time for which a thread ran or waited.
    As many as there are where all are equally busy, 1 where one does everything or nobody did anything."""

    @classmethod
    def between(cls, before: Schedule, after: Schedule) -> Waiting:
        deltas = [(ran - old[0], waited - old[1]) for task, (ran, waited) in after.items()
                  for old in [before.get(task, (0, 0))]]  # fmt: skip
        busy = [float(ran + waited) for ran, waited in deltas]
        squares = sum(b * b for b in busy)
        return cls(sum(waited for _, waited in deltas) / 1e9, sum(busy) ** 2 / squares if squares else 1.0)


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
