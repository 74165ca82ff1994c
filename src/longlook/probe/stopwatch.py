"""Stop watch: are a cell's own programs running, or did somebody stop one of them?

The stall watch sees a machine that does not run anybody. This one looks at every process of servers, clients and
emulator each 10 ms: state T (stopped by a signal) or t (by a debugger) in /proc/<pid>/stat. Nothing that a cell does
itself stops a program; one that is held to a share of a processor is throttled, which is another state.
"""

from __future__ import annotations

import bisect
import contextlib
from collections.abc import Iterable

from longlook.host import process
from longlook.probe.watching import Watching, realtime

PERIOD_S = 0.01
"""With 20 processes this takes about 1.5 % of one processor: 5 us for each look."""
REFRESH_EVERY = 20
"""Looks, until descendants are searched for again."""

# Roots come by standard input, one process id a line. One line per look at which somebody was stopped:
# time (CLOCK_MONOTONIC, s), process id, name.
_SOURCE = f"""{realtime(9)}
import select, time
os.set_blocking(0, False)
roots, opened, text, looks = set(), {{}}, b"", 0
def family(pid):
    yield pid
    try:
        for task in os.listdir(f"/proc/{{pid}}/task"):
            for child in open(f"/proc/{{pid}}/task/{{task}}/children").read().split():
                yield from family(int(child))
    except OSError:
        pass
while True:
    if select.select([0], [], [], 0)[0]:
        got = os.read(0, 65536)
        if not got:
            break
        text += got
        *lines, text = text.split(b"\\n")
        roots |= {{int(line) for line in lines}}
        looks = 0
    if looks % {REFRESH_EVERY} == 0:
        now = {{pid for root in roots for pid in family(root)}}
        for pid in opened.keys() - now:
            os.close(opened.pop(pid))
        for pid in now - opened.keys():
            try:
                opened[pid] = os.open(f"/proc/{{pid}}/stat", os.O_RDONLY)
            except OSError:
                pass
    looks += 1
    for pid, stat in opened.items():
        try:
            name, _, rest = os.pread(stat, 256, 0).rpartition(b")")
        except OSError:
            continue
        if rest[1:2] in b"Tt" and rest[1:2]:
            print(f"{{time.monotonic():.6f}} {{pid}} {{name.partition(b'(')[2].decode(errors='replace')}}", flush=True)
    time.sleep({PERIOD_S})
"""


class StopWatch(Watching):
    """Context manager around the watching process; ask it who was stopped within an interval."""

    source = _SOURCE

    def __enter__(self):
        self._seen: list[tuple[float, str]] = []
        self._watched: set[int] = set()
        return super().__enter__()

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
        found: dict[str, float] = {}
        first = bisect.bisect_left(self._seen, (start, ""))
        for at, who in self._seen[first:]:
            if at <= end:
                found[who] = found.get(who, 0.0) + PERIOD_S
        return found
