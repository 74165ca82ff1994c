"""In which calls of the kernel programs spend their system time, by `strace -c`, which slows what it looks at."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from longlook.errors import LonglookError
from longlook.probe.attached import AttachedTool, attached


class CallTimes:
    """What programs did while a context is open; `pct` holds it afterwards."""

    pct: Mapping[str, float]
    """By call, its share of all calls' system time, the largest first."""


@contextlib.contextmanager
def timed(pids: Sequence[int]) -> Iterator[CallTimes]:
    """Time the calls of programs and of all that they start, while inside. Needs strace, and root."""
    found = CallTimes()
    with attached(STRACE, pids) as seen:
        yield found
    found.pct = shares(seen.text)


def _are_traced(_: int, pids: Sequence[int]) -> bool:
    return all(map(_is_traced, pids))


def _is_traced(pid: int) -> bool:
    """Or has ended."""
    with contextlib.suppress(OSError):
        states = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
        return not any(re.search(r"^TracerPid:\s*0$", state, re.MULTILINE) for state in states)
    return True


STRACE = AttachedTool(
    ("strace", "-f", "-c"),
    "strace",
    _are_traced,
    "strace times nothing here",
    "it could not attach to the programs",
)


def shares(text: str) -> dict[str, float]:
    """What `strace -c` wrote. Nothing timed is a `LonglookError`."""
    rows = re.findall(r"^\s*([\d.]+)\s+[\d.]+\s+\d+\s+\d+\s+(?:\d+\s+)?([a-z_0-9]+)$", text, re.MULTILINE)
    found = {name: float(pct) for pct, name in rows if name != "total"}
    if not found:
        raise LonglookError(f"strace timed no call: {text.strip()[-300:] or 'it wrote nothing'}")
    return dict(sorted(found.items(), key=lambda one: -one[1]))
