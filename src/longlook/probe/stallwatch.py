"""Stall watch: does this machine let a thread run when it wants to?

A separate process (no interpreter lock shared with the driver) sleeps one millisecond at a time and reports
every wake-up that came late by more than `THRESHOLD_MS`. Virtual machines stall for milliseconds now and
then; a page load during which that happened measures the machine and not the protocol.
"""

from __future__ import annotations

import bisect

from longlook.probe.watching import Watching, realtime

SLEEP_S = 0.001
THRESHOLD_MS = 5.0


# One line per gap: its end (CLOCK_MONOTONIC, s) and its length (ms).
# Real-time priority: a gap then means that the machine did not run us, not that our own programs were busy
# (how busy they were is measured apart, in longlook/host/machine.py).
# Names of the loop are local: it runs a thousand times a second beside what is measured.
_SOURCE = f"""{realtime(10)}
import time
def watch(sleep, monotonic):
    last = monotonic()
    while True:
        sleep({SLEEP_S})
        now = monotonic()
        if now - last > {THRESHOLD_MS / 1e3}:
            print(f"{{now:.6f}} {{(now - last) * 1e3:.3f}}", flush=True)
        last = now
watch(time.sleep, time.monotonic)
"""


class StallWatch(Watching):
    """Context manager around the watching process; ask it for the gaps within an interval."""

    source = _SOURCE

    def __enter__(self):
        self._ends: list[float] = []
        self._lengths: list[float] = []
        return super().__enter__()

    def _hear(self, line: str) -> None:
        end, length = line.split()
        self._ends.append(float(end))
        self._lengths.append(float(length))

    def gaps_ms(self, start: float, end: float) -> list[float]:
        """Lengths (ms) of the gaps that overlap the interval [start, end] of CLOCK_MONOTONIC seconds."""
        self.require_alive()
        first = bisect.bisect_left(self._ends, start)
        found = zip(self._ends[first:], self._lengths[first:], strict=False)
        return [length for gap_end, length in found if gap_end - length / 1e3 <= end]
