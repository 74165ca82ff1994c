"""Stop watch: are a cell's own programs running, or did somebody stop or freeze one of them?

The stall watch sees a machine that does not run anybody. This one looks at every process that a load rests on, of
server, client, emulator and driver, each 10 ms (`held.py`); those of other arms, which idle meanwhile, would cost more
than all of them: a fifth of a processor in a cell of ten arms. A process that is held has neither processor time nor
run delay, like an idle one; what tells them apart is where in the kernel it sleeps: in a signal's stop, a debugger's,
or version 2's freezer. Version 1's leaves threads in the sleep they were in, so the freezer's state of each process's
control group is read too. Nothing that a cell does itself holds a program. One that has had its share of a processor is
throttled, which its control groups' `cpu.stat` counts: a cell's own limit is left out, anybody else's is told as
`(throttled)`. A debugger (strace, gdb) that is attached to a thread when it is asked stops it at each call: that is
told as `(traced)`, of the whole interval. Single threads that are frozen apart from their process are not seen.
"""

from __future__ import annotations

import bisect
import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from longlook.host import process
from longlook.probe.held import PERIOD_S, each_of, name_of
from longlook.probe.watching import Watching, realtime

UNTRACED = b"\nTracerPid:\t0\n"
PROGRAM = Path(__file__).with_name("held.py")


class StopWatch(Watching):
    """Context manager around the watching process; ask it who was stopped within an interval."""

    source = realtime(9) + PROGRAM.read_text(encoding="utf-8")

    def __enter__(self):
        self._seen: list[tuple[float, str]] = []
        self._watched: set[int] = set()
        return super().__enter__()

    def watch(self, pids: Iterable[int]) -> None:
        """From now on look at these with all that they start, and at this process, which asks late for what it measures
        where it is held; no more at those of before."""
        self._watched = set(pids)
        stdin = process.piped(self._process.stdin)
        with contextlib.suppress(OSError):
            stdin.write(" ".join(map(str, sorted(self._watched))) + "\n")
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
        return found | dict.fromkeys(_traced({os.getpid(), *each_of(self._watched)}), end - start)


def _traced(pids: Iterable[int]) -> Iterator[str]:
    """Of these processes those that a debugger has a thread of."""
    for pid in pids:
        with contextlib.suppress(OSError):
            tasks = Path(f"/proc/{pid}/task").iterdir()
            if any(UNTRACED not in (task / "status").read_bytes() for task in tasks):
                yield f"{pid} {name_of(pid)} (traced)"
