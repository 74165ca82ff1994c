"""How often programs call the kernel, by the kernel's own trace points. `perf stat` counts them: nothing is stopped."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from longlook.errors import LonglookError
from longlook.probe.attached import AttachedTool, attached

KINDS: Mapping[str, Sequence[str]] = {
    "sends": ("sendmsg", "sendmmsg", "sendto"),
    "receives": ("recvmsg", "recvmmsg", "recvfrom"),
    "writes": ("write", "writev", "sendfile64"),
    "reads": ("read", "readv"),
    "waits": ("epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"),
}
"""Datagrams are sent and received; what TCP carries may be written and read too, as files are."""
ALL = "raw_syscalls:sys_enter"
EVENT = "syscalls:sys_enter_"
EVENTS = (ALL, *(f"{EVENT}{name}" for own in KINDS.values() for name in own))


class Calls:
    """What is counted of some programs while a context is open; `counts` holds it afterwards."""

    counts: Mapping[str, int]
    """Of each of KINDS, and `all`."""


@contextlib.contextmanager
def counted(pids: Sequence[int]) -> Iterator[Calls]:
    """Count the calls of programs and of all that they have started so far, while inside. Needs perf, and root."""
    found = Calls()
    with attached(PERF, pids) as seen:
        yield found
    found.counts = counts(seen.text)


def _has_counters(perf: int, _: Sequence[int]) -> bool:
    """It holds one file for each, of each thread."""
    links = [link.readlink() for link in Path(f"/proc/{perf}/fd").iterdir()]
    return sum("perf_event" in str(link) for link in links) >= len(EVENTS)


PERF = AttachedTool(
    ("perf", "stat", "-x", ";", "-e", ",".join(EVENTS)),
    "linux-perf",
    _has_counters,
    "perf counts nothing here",
    "it opened no counters",
)


def counts(text: str) -> dict[str, int]:
    """What `perf stat -x ;` wrote: calls of each kind, and `all`. One that was not counted is a `LonglookError`."""
    lines = re.findall(r"^(\d+);[^;]*;([a-z_]+:[a-z_0-9]+);", text, re.MULTILINE)
    numbers = {event: int(count) for count, event in lines}
    if ALL not in numbers:
        raise LonglookError(f"perf did not count system calls: {text.strip()[-300:] or 'it wrote nothing'}")
    kinds = {kind: sum(numbers.get(f"{EVENT}{name}", 0) for name in names) for kind, names in KINDS.items()}
    return {"all": numbers[ALL]} | kinds
