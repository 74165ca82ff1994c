"""The program of the stop watch: each 10 ms it looks which of a cell's processes somebody holds. It imports nothing of
ours (`python -S` runs it, behind the lines of `watching.realtime`).

A line of standard input has the process ids of roots; they and their descendants are watched, and the parent of this
program alone, until the next line. One line per look and process that was held: time (CLOCK_MONOTONIC, s), process id,
name.
"""

import contextlib
import functools
import os
import select
import sys
import time
from collections.abc import Iterable, Iterator

PERIOD_S = 0.01
"""Each process takes 16 us of this."""
REFRESH_EVERY = 20
"""Looks, until descendants and control groups are searched for again."""
HELD = {b"get_signal", b"do_freezer_trap", b"__refrigerator", b"do_signal_stop", b"ptrace_stop"}
"""Functions of Linux in which only a process sleeps that is frozen, stopped by a signal, or by a debugger; `get_signal`
is version 2's freezer where the compiler has put `do_freezer_trap` into it."""
UNTOLD = (b"", b"0")
"""Instead of a function: the process runs, or the right to ask is lacking."""
COUNTS = "/cpu.stat"
"""How the name of the file ends in which a control group counts its throttling."""
OURS = "longlook-"
"""How the names of the control groups begin by which a cell limits a program itself (host/cpulimit.py)."""


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


def quotas(mounts: str, groups: str) -> Iterator[str]:
    """The files that count how often a process's control groups, and those that they lie in, had had their share of
    CPU; those of a cell's own limits left out."""
    for line in mounts.splitlines():
        _, where, kind, options, *_ = line.split()
        for entry in groups.splitlines():
            _, controllers, path = entry.split(":", 2)
            if (kind == "cgroup2" and not controllers) or (kind == "cgroup" and "cpu" in _both(options, controllers)):
                parts = path.strip("/").split("/") if path.strip("/") else []
                for end in range(len(parts), -1, -1):
                    if not "".join(parts[end - 1 : end]).startswith(OURS):
                        yield "/".join([where, *parts[:end]]) + COUNTS


@functools.lru_cache(maxsize=64)
def group_files(mounts: str, groups: str) -> tuple[str, ...]:
    """Those of both kinds; nearly all processes of a cell are in the same groups."""
    return (*freezers(mounts, groups), *quotas(mounts, groups))


def _both(options: str, controllers: str) -> set[str]:
    return set(options.split(",")) & set(controllers.split(","))


def throttled(told: bytes) -> tuple[int, float]:
    """How often a group was throttled, and for how long, s: by its `cpu.stat` of either version."""
    found = dict(line.split() for line in told.splitlines() if line.count(b" ") == 1)
    took_s = int(found.get(b"throttled_usec", 0)) / 1e6 + int(found.get(b"throttled_time", 0)) / 1e9
    return int(found.get(b"nr_throttled", 0)), took_s


def family(pid: int) -> Iterator[int]:
    """A process and its descendants."""
    yield pid
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in whole(f"/proc/{pid}/task/{task}/children").split():
                yield from family(int(child))
    except OSError:
        pass


def each_of(roots: Iterable[int]) -> set[int]:
    """Processes and their descendants."""
    return {pid for root in roots for pid in family(root)}


def whole(path: str) -> bytes:
    """A file of /proc; `open` takes twice the time, and there is one of each thread."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 1 << 16)
    finally:
        os.close(file)


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
        self._throttled: dict[str, tuple[int, float]] = {}
        """By `cpu.stat`: what it told last."""

    def search(self, roots: set[int]) -> None:
        """Find the roots' descendants of now and their groups."""
        now = ({os.getppid()} | each_of(roots)) - {os.getpid()}
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
        for path in group_files(mounts, whole(f"/proc/{pid}/cgroup").decode()):
            if path not in self.groups and os.path.exists(path):  # the root has none: nobody can freeze it
                self.groups[path] = os.open(path, os.O_RDONLY), set()
            if path in self.groups:
                self.groups[path][1].add(pid)

    def held(self) -> set[int]:
        """Who is held now."""
        found = {pid for pid, file in self.processes.items() if is_held(look(file))}
        for path, (file, pids) in self.groups.items():
            if not path.endswith(COUNTS) and is_frozen(look(file)):
                found |= pids
        return found

    def throttled(self) -> Iterator[tuple[int, int]]:
        """Who was throttled since the last look, and for how many looks, at least one."""
        for path, (file, pids) in self.groups.items():
            if path.endswith(COUNTS):
                now = throttled(look(file))
                before = self._throttled.setdefault(path, now)
                self._throttled[path] = now
                if now != before:
                    looks = max(1, round((now[1] - before[1]) / PERIOD_S))
                    yield from ((pid, looks) for pid in pids)


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
            if lines:
                roots, looks = {int(pid) for pid in lines[-1].split()}, 0
        if looks % REFRESH_EVERY == 0:
            watched.search(roots)
        looks += 1
        for pid in watched.held():
            sys.stdout.write(f"{time.monotonic():.6f} {pid} {name_of(pid)}\n")
        for pid, times in watched.throttled():
            sys.stdout.write(f"{time.monotonic():.6f} {pid} {name_of(pid)} (throttled)\n" * times)
        sys.stdout.flush()
        time.sleep(PERIOD_S)


if __name__ == "__main__":
    main()
