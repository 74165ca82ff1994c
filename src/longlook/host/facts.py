"""Facts about this machine that go into records, without naming anybody: nothing here raises."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import socket
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.host import git, process

CLOCKSOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")


def machine() -> dict[str, Any]:
    """hostname_hash, cpu_model, cpus (that may be used), memory_bytes, kernel, clocksource, git_commit (None where
    unknown); and environment, that of the programs that are started here."""
    return {
        "hostname_hash": hostname_hash(),
        "cpu_model": cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "memory_bytes": memory_bytes(),
        "kernel": platform.release(),
        "clocksource": clocksource(),
        "git_commit": git_commit(),
        "environment": process.stated(),
    }


def hostname_hash() -> str:
    """First 16 hex digits of the host name's SHA-256: tells machines apart, and says no more."""
    return hashlib.sha256(socket.gethostname().encode()).hexdigest()[:16]


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """As /proc/cpuinfo names it; the architecture where it names none (ARM)."""
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory_bytes() -> int | None:
    """Physical memory, bytes."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return None


def clocksource() -> str | None:
    """The kernel's clock source, for instance `tsc`."""
    try:
        return CLOCKSOURCE.read_text(encoding="ascii").strip()
    except OSError:
        return None


@functools.cache
def git_commit(root: Path | None = None) -> str | None:
    """Commit of the working tree, with `-dirty` where tracked files differ from it; None outside git or without git.

    Asked once per process: that is the code which the process runs. Data does not count: a reader's own
    campaign changes the processed tables, and not what measures.
    """
    if root is None and (told := os.environ.get("LONGLOOK_COMMIT")):
        return told  # a node was given the files without the repository
    folder = root or paths.ROOT
    head = _git(folder, "rev-parse", "--verify", "HEAD")
    if not head:
        return None
    changed = _git(
        folder, "status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)data", ":(exclude)book"
    )
    return head if changed == "" else f"{head}-dirty"


def _git(folder: Path, *arguments: str) -> str | None:
    """Output of a git command; None if it failed."""
    try:
        return git.output(folder, *arguments).strip()
    except git.GitError:
        return None
