"""Stop watch: are a cell's own programs running, or did somebody stop or freeze one of them?

The stall watch sees a machine that does not run anybody. This one looks at every process of servers, clients, emulator
and driver each 10 ms (`held.py`). A process that is held has neither processor time nor run delay, like an idle one;
what tells them apart is where in the kernel it sleeps: in a signal's stop, a debugger's, or version 2's freezer.
Version 1's leaves threads in the sleep they were in, so the freezer's state of each process's control group is read
too. Nothing that a cell does itself holds a program. One that has had its share of a processor is throttled, which its
control groups' `cpu.stat` counts: a cell's own limit is left out, anybody else's is told as `(throttled)`. A debugger
(strace, gdb) that is attached to a thread when it is asked stops it at each call: that is told as `(traced)`, of the
whole interval. Single threads that are frozen apart from their process are not seen.
"""

from __future__ import annotations

import bisect
import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from longlook.host import process
from longlook.probe.held import PERIOD_S, family, name_of
from longlook.probe.watching import Watching, realtime

UNTRACED = b"\nTracerPid:\t0\n"
PROGRAM = Path(__file__).with_name("held.py")


class StopWatch(Watching):
    """Context manager around the watching process; ask it who was stopped within an interval."""

    source = realtime(9) + PROGRAM.read_text(encoding="utf-8")

    def __enter__(self):
        self._seen: list[tuple[float, str]] = []
        self._watched: set[int] = set()
        super().__enter__()
        self.add((os.getpid(),))  # a driver that is held asks late for what it measures
        return self

    def add(self, pids: Iterable[int]) -> None:
        """Watch these too, with all that they start."""
        new = set(pids) - self._watched
        self._watched |= new
        stdin = process.piped(self._process.stdin)
        with contextlib.suppress(OSError):
            stdin.write("".join(f"{pid}\n" for pid in sorted(new)))
            stdin.flush()

    def _hear(self, line: str) -> None:
        at, who = line.split(" ", 1)
        self._seen.append((float(at), who))

    def stopped(self, start: float, end: float) -> dict[str, float]:
        """Process id and name -> about how long it was stopped (s) within [start, end] of CLOCK_MONOTONIC seconds."""
        self.require_alive()
        found: dict[str, float] = {}
        first = bisect.bisect_left(self._seen, (start, ""))
        for at, who in self._seen[first:]:
            if at <= end:
                found[who] = found.get(who, 0.0) + PERIOD_S
        return found | dict.fromkeys(_traced(self._watched), end - start)


def _traced(roots: Iterable[int]) -> Iterator[str]:
    """Of these processes and their descendants, those that a debugger has a thread of."""
    for pid in {one for root in roots for one in family(root)}:
        with contextlib.suppress(OSError):
            tasks = Path(f"/proc/{pid}/task").iterdir()
            if any(UNTRACED not in (task / "status").read_bytes() for task in tasks):
                yield f"{pid} {name_of(pid)} (traced)"
