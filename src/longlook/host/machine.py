"""How busy the whole machine is, from /proc/stat."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CpuTimes:
    """Cumulative jiffies of all CPUs together."""

    total: int
    idle: int
    stolen: int = 0
    """What a hypervisor gave to other virtual machines while this one had work."""

    def busy_since(self, earlier: CpuTimes) -> float:
        """Share (0 to 1) of CPU time since `earlier` that was not idle; time stolen by the host counts as busy."""
        total = self.total - earlier.total
        return 0.0 if total <= 0 else 1 - (self.idle - earlier.idle) / total

    def stolen_since(self, earlier: CpuTimes) -> float:
        """Share (0 to 1) of CPU time since `earlier` that other virtual machines had."""
        total = self.total - earlier.total
        return 0.0 if total <= 0 else (self.stolen - earlier.stolen) / total


def cpu_times() -> CpuTimes:
    """Now; see proc(5)."""
    fields = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return CpuTimes(total=sum(fields), idle=fields[3] + fields[4], stolen=fields[7])
