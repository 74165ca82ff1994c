"""System calls for a megabyte, as `longlook syscalls` counted them."""

from __future__ import annotations

from IPython.display import HTML

from longlook import paths
from longlook.book.shreedhar2022.names import NAMES
from longlook.experiment.syscalls import USUAL, Syscalls, read
from longlook.figure import style
from longlook.figure.table import shown_table

KINDS = ("sends", "receives", "writes", "reads", "waits", "all")
HEADS = ("send", "receive", "write", "read", "wait", "all")


def table() -> HTML:
    """A row per pair and offload: calls of the client and of the server, by kind."""
    found = {(one.arm, one.offload, one.end): one for one in read(paths.SYSCALLS)}
    pairs = list(dict.fromkeys((arm, offload) for arm, offload, _ in found))
    rows = [
        [
            NAMES[arm],
            offload,
            *_kinds(found.get((arm, offload, "client"))),
            *_kinds(found.get((arm, offload, "server"))),
        ]
        for arm, offload in pairs
    ]
    head = ["pair", "put together", *HEADS, *HEADS]
    groups = [("", 2), ("client, calls for a MB", len(HEADS)), ("server, calls for a MB", len(HEADS))]
    return shown_table(head, rows, numbers_from=2, groups=groups, tight=True)


def times() -> HTML:
    """A row per pair: the calls that took most of the system's time of its client and of its server."""
    found = {(one.arm, one.end): one.longest for one in read(paths.SYSCALLS) if one.offload == USUAL}
    pairs = dict.fromkeys(arm for arm, _ in found)
    rows = [[NAMES[arm], *(found.get((arm, end), style.DASH) for end in ("client", "server"))] for arm in pairs]
    return shown_table(["pair", "client, % of its calls' time", "server, %"], rows)


def _kinds(one: Syscalls | None) -> list[str]:
    return [style.DASH if one is None else f"{getattr(one, kind):.0f}" for kind in KINDS]


def calls_of(arm: str, offload: str, end: str, kind: str = "all") -> float | None:
    """Of one end, for a megabyte; None before it is counted."""
    found = (one for one in read(paths.SYSCALLS) if (one.arm, one.offload, one.end) == (arm, offload, end))
    return next((getattr(one, kind) for one in found), None)
