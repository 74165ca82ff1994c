"""The program of the stop watch: each 10 ms it looks which of a cell's processes somebody holds. It imports nothing of
ours (`python -S` runs it, behind the lines of `watching.realtime`).

Roots come by standard input, one process id a line; their descendants are watched too. One line per look and process
that was held: time (CLOCK_MONOTONIC, s), process id, name.
"""

import contextlib
import os
import select
import sys
import time
from collections.abc import Iterator

PERIOD_S = 0.01
"""With 20 processes this takes 1 % of one processor, and 4 % where others empty its caches."""
REFRESH_EVERY = 20
"""Looks, until descendants and control groups are searched for again."""
HELD = {b"get_signal", b"do_freezer_trap", b"__refrigerator", b"do_signal_stop", b"ptrace_stop"}
"""Functions of Linux in which only a process sleeps that is frozen, stopped by a signal, or by a debugger; `get_signal`
is version 2's freezer where the compiler has put `do_freezer_trap` into it."""
UNTOLD = (b"", b"0")
"""Instead of a function: the process runs, or the right to ask is lacking."""


def is_held(told: bytes) -> bool:
    """By what /proc/<pid>/wchan told, or /proc/<pid>/stat, which begins with a digit."""
    if told[:1].isdigit():
        return told.rpartition(b")")[2][1:2] in (b"T", b"t")
    return told.partition(b".")[0] in HELD


def is_frozen(told: bytes) -> bool:
    """By a control group's `cgroup.events` (version 2) or `freezer.state` (version 1); ancestors count in both."""
    return b"frozen 1" in told or told.startswith((b"FROZEN", b"FREEZING"))


def freezers(mounts: str, groups: str) -> Iterator[str]:
    """The files that tell whether a process's control groups are frozen, by /proc/self/mounts and its
    /proc/<pid>/cgroup."""
    at = {}
    for line in mounts.splitlines():
        _, where, kind, options, *_ = line.split()
        if kind == "cgroup2":
            at[""] = where
        elif kind == "cgroup" and "freezer" in options.split(","):
            at["freezer"] = where
    for line in groups.splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers and "" in at:
            yield f"{at['']}{path}/cgroup.events"
        elif "freezer" in controllers.split(",") and "freezer" in at:
            yield f"{at['freezer']}{path}/freezer.state"


def family(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as children:
                found = children.read().split()
            for child in found:
                yield from family(int(child))
    except OSError:
        pass


def look(file: int) -> bytes:
    """What a file of the kernel says now; nothing of a process or a group that is gone."""
    try:
        return os.pread(file, 256, 0)
    except OSError:
        return b""


class Watched:
    """Processes and their control groups, with the files that tell of them open."""

    def __init__(self) -> None:
        self.processes: dict[int, int] = {}
        self._by_state: set[int] = set()
        self.groups: dict[str, tuple[int, set[int]]] = {}

    def search(self, roots: set[int]) -> None:
        """Find the roots' descendants of now and their groups."""
        now = {pid for root in roots for pid in family(root)} - {os.getpid()}
        for pid in (self.processes.keys() - now) | (self._by_state & self.processes.keys()):
            os.close(self.processes.pop(pid))
        self._by_state.clear()
        for file, _ in self.groups.values():
            os.close(file)
        self.groups.clear()
        with open("/proc/self/mounts") as text:
            mounts = text.read()
        for pid in now:
            with contextlib.suppress(OSError):  # it has ended
                self._attach(pid, mounts)

    def _attach(self, pid: int, mounts: str) -> None:
        if pid not in self.processes:
            told = os.open(f"/proc/{pid}/wchan", os.O_RDONLY)
            if look(told) in UNTOLD:  # its state tells of stops at least, until the next search
                os.close(told)
                told = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
                self._by_state.add(pid)
            self.processes[pid] = told
        with open(f"/proc/{pid}/cgroup") as text:
            groups = text.read()
        for path in freezers(mounts, groups):
            if path not in self.groups and os.path.exists(path):  # the root has none: nobody can freeze it
                self.groups[path] = os.open(path, os.O_RDONLY), set()
            if path in self.groups:
                self.groups[path][1].add(pid)

    def held(self) -> set[int]:
        """Who is held now."""
        found = {pid for pid, file in self.processes.items() if is_held(look(file))}
        for file, pids in self.groups.values():
            if is_frozen(look(file)):
                found |= pids
        return found


def name_of(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm") as text:
            return text.read().strip()
    except OSError:
        return "(gone)"


def main() -> None:
    os.set_blocking(0, False)
    watched, roots, text, looks = Watched(), set[int](), b"", 0
    while True:
        if select.select([0], [], [], 0)[0]:
            got = os.read(0, 65536)
            if not got:
                return
            *lines, text = (text + got).split(b"\n")
            roots |= {int(line) for line in lines}
            looks = 0
        if looks % REFRESH_EVERY == 0:
            watched.search(roots)
        looks += 1
        for pid in watched.held():
            sys.stdout.write(f"{time.monotonic():.6f} {pid} {name_of(pid)}\n")
        sys.stdout.flush()
        time.sleep(PERIOD_S)


if __name__ == "__main__":
    main()
