"""How busy the processors are that this process may use, from /proc/stat."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Jiffies(NamedTuple):
    """Of one CPU, cumulative."""

    total: int
    idle: int
    stolen: int = 0
    """What a hypervisor gave to other virtual machines while this one had work."""


@dataclass(frozen=True)
class CpuTimes:
    """Of each CPU. Compared are those of both readings: one may be taken away, or come back, in between."""

    of: Mapping[str, Jiffies]

    def busy_since(self, earlier: CpuTimes) -> float:
        """Share (0 to 1) of CPU time since `earlier` that was not idle; time stolen by the host counts as busy."""
        total, idle, _ = self._since(earlier)
        return 0.0 if total <= 0 else 1 - idle / total

    def stolen_since(self, earlier: CpuTimes) -> float:
        """Share (0 to 1) of CPU time since `earlier` that other virtual machines had."""
        total, _, stolen = self._since(earlier)
        return 0.0 if total <= 0 else stolen / total

    def _since(self, earlier: CpuTimes) -> Jiffies:
        both = [(self.of[cpu], earlier.of[cpu]) for cpu in self.of.keys() & earlier.of.keys()]
        return Jiffies(*(sum(now[kind] - before[kind] for now, before in both) for kind in range(3)))


def cpu_times() -> CpuTimes:
    """Now, of the CPUs that this process may use; see proc(5). Held to one of two, it is starved while the other one
    idles."""
    usable, found = {f"cpu{number}" for number in os.sched_getaffinity(0)}, {}
    for name, *words in map(str.split, Path("/proc/stat").read_text().splitlines()):
        if name in usable:
            times = [int(word) for word in words[:8]]
            found[name] = Jiffies(total=sum(times), idle=times[3] + times[4], stolen=times[7])
    return CpuTimes(found)
