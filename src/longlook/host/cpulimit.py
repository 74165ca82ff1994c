"""A CPU limit for one program and its children, by the kernel's control groups: a slower machine, on purpose.

Works with both hierarchies, version 2 (`cpu.max`) and version 1 (`cpu.cfs_quota_us`). A program that has had its share
stands until the period ends. With the usual one of 10 ms that is more than the rise of the RTT at which hybrid slow
start leaves off (an eighth of it, at least 4 ms), so that the limit itself ends it; a period of 2.5 ms cannot.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from longlook.errors import LonglookError

PERIOD_US = 10_000
ROOT_V2 = Path("/sys/fs/cgroup")
ROOTS_V1 = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup/cpu,cpuacct"))


class CpuLimit:
    """Context manager: a control group that gives its members `percent` of one CPU, all together, in each period."""

    def __init__(self, name: str, percent: float, period_us: int | None = None):
        self.name, self.percent, self.period_us = name, percent, period_us or PERIOD_US

    def __enter__(self):
        self._folder = self._root() / self.name
        quota = int(self.percent / 100 * self.period_us)
        try:
            self._folder.mkdir(exist_ok=True)
            if (self._folder / "cpu.max").exists():
                (self._folder / "cpu.max").write_text(f"{quota} {self.period_us}")
            else:
                (self._folder / "cpu.cfs_period_us").write_text(str(self.period_us))
                (self._folder / "cpu.cfs_quota_us").write_text(str(quota))
        except OSError as error:
            raise LonglookError(f"cannot limit the CPU by the control group {self._folder}: {error}") from None
        return self

    @staticmethod
    def _root() -> Path:
        if (first := _version_1()) is not None:
            return first
        if (ROOT_V2 / "cgroup.controllers").exists() and "cpu" in (ROOT_V2 / "cgroup.controllers").read_text().split():
            with contextlib.suppress(OSError):
                (ROOT_V2 / "cgroup.subtree_control").write_text("+cpu")
            return ROOT_V2
        raise LonglookError(
            "this machine has no control groups for the CPU: cells that limit it cannot be measured here"
        )

    def add(self, pid: int) -> None:
        """Put a process in; what it starts from now on follows."""
        (self._folder / "cgroup.procs").write_text(str(pid))

    def __exit__(self, *_):
        with contextlib.suppress(OSError):  # members that are still ending keep it alive; the next use takes it over
            self._folder.rmdir()


def _version_1() -> Path | None:
    for root in ROOTS_V1:
        if (root / "cpu.cfs_quota_us").exists() or (root / "cgroup.procs").exists():
            return root
    return None


def is_granted() -> bool:
    """Whether this user may make control groups where this module makes them."""
    return os.access(_version_1() or ROOT_V2, os.W_OK)


@contextlib.contextmanager
def held(pid: int, percent: float | None, period_us: int | None = None) -> Iterator[None]:
    """A running program, and what it starts from now on, held to `percent` of one CPU together; None: not held."""
    if percent is None:
        yield
        return
    with CpuLimit(f"longlook-{pid}", percent, period_us) as limit:
        limit.add(pid)
        yield
