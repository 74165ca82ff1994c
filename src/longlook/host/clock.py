"""Moments in UTC that follow each other whatever sets the wall clock: NTP, a user, a machine that is resumed.

A clock reads the wall clock once and goes on by the monotonic one. By how much the wall clock was set since, it says.
"""

from __future__ import annotations

import hashlib
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

STEP_S = 0.005
"""Less is the time between two readings, of a machine that stalls."""
READINGS = 5
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

wall_s = time.time
"""Unix time, s; a test sets it back."""


def boot() -> str:
    """Names this start of the machine: monotonic times of one can be compared, those of two cannot."""
    return hashlib.sha256(b"longlook" + _BOOT_ID.read_bytes().strip()).hexdigest()[:12]


def ahead_s() -> float:
    """By how much the wall clock is ahead of the monotonic one, s: what changes when it is set, and else does not."""
    found = []
    for _ in range(READINGS):
        before, wall, after = time.monotonic(), wall_s(), time.monotonic()
        found.append((after - before, wall - (before + after) / 2))
    return min(found)[1]


def set_by(step_s: float) -> str:
    """In words."""
    return f"set {'forward' if step_s > 0 else 'back'} by {abs(step_s):.3f} s"


class Clock:
    """The time of a cell, or of a campaign, while it is measured."""

    def __init__(self) -> None:
        self._began_ahead_s = self._last_ahead_s = ahead_s()
        self.began = self.text()
        self.steps: list[tuple[str, float]] = []
        """When the wall clock was found to have been set, by this clock, and by how much, s."""

    def now(self) -> datetime:
        """UTC: the wall clock's when this clock began, and the time since."""
        return datetime.fromtimestamp(time.monotonic() + self._began_ahead_s, UTC)

    def text(self) -> str:
        """As in records of cells and samples: ISO 8601 to the millisecond, ended by +00:00."""
        return self.now().isoformat(timespec="milliseconds")

    def look(self) -> float:
        """By how much the wall clock was set since the last look, s; 0 where it was not."""
        now = ahead_s()
        step_s = round(now - self._last_ahead_s, 3)
        if abs(step_s) < STEP_S:
            return 0.0
        self._last_ahead_s = now
        self.steps.append((self.text(), step_s))
        return step_s

    def ahead_of_this_s(self, moment: str) -> float:
        """By how much the wall clock was ahead of this one at a moment of this one, s, as far as it was looked at."""
        return sum(step_s for at, step_s in self.steps if at <= moment)

    def record(self) -> dict[str, Any]:
        """As it goes into a record."""
        self.look()
        steps = [{"at": at, "step_s": step_s} for at, step_s in self.steps]
        return {"boot": boot(), "ahead_s": round(self._began_ahead_s, 3), "steps": steps}
