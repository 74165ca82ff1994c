"""The control groups' freezer of this machine, for the tests: either version, where it may be used."""

import contextlib
import time
from pathlib import Path

import pytest

from longlook.probe.held import freezers

FILES = {"cgroup.events": ("cgroup.freeze", "1", "0"), "freezer.state": ("freezer.state", "FROZEN", "THAWED")}
"""What tells -> what freezes, and by which words."""


def roots(version):
    """Where groups of a version (1 or 2) are made."""
    kept = {1: "freezer.state", 2: "cgroup.events"}[version]
    found = freezers(Path("/proc/self/mounts").read_text(), "0::/\n1:freezer:/\n")
    return [Path(path).parent for path in found if path.endswith(kept)]


def version_here():
    """One that this machine has."""
    return next((version for version in (2, 1) if roots(version)), 2)


@contextlib.contextmanager
def freezable(version, pid):
    """`freeze(s)` holds a process, and what it starts from now on, for so long."""
    try:
        (root,) = roots(version)
        group = root / f"longlook-test-{pid}"
        group.mkdir()
    except (ValueError, OSError) as error:
        pytest.skip(f"no group of version {version}'s freezer can be made here ({error})")
    told = next(name for name in FILES if (group / name).exists())
    file, frozen, thawed = FILES[told]
    try:
        (group / "cgroup.procs").write_text(str(pid))

        def freeze(seconds):
            (group / file).write_text(frozen)
            time.sleep(seconds)
            (group / file).write_text(thawed)

        yield freeze
    finally:
        (group / file).write_text(thawed)
        for member in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):
                (root / "cgroup.procs").write_text(member)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.02)
