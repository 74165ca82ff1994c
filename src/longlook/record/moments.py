"""The order of a campaign's moments, by the monotonic clock where its records tell it, and when the wall clock was set.

A moment is a text by the wall clock and its `ahead_s` (host/clock.py), by which that was ahead of the monotonic one of
one start of the machine (`boot`). Records of before that go by the wall clock alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import combinations, pairwise
from typing import Any

from longlook.host.clock import STEP_S

RESOLUTION_S = 1.0
"""Of when a campaign was begun and sealed."""
Record = Mapping[str, Any]
WALL: Record = {"boot": None, "ahead_s": 0.0}


def unix_s(text: str) -> float:
    """In UTC, unless it says otherwise."""
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def in_order(info: Record, cell: Record) -> bool:
    """Whether a cell began and ended while its campaign was open. Of two starts of a machine, or two machines, nobody
    knows which was first."""
    began, ended = unix_s(cell["started_at"]), unix_s(cell["ended_at"])
    own = cell.get("clock") or WALL
    opened, sealed = _of_campaign(info if own is not WALL else {**info, "clock": None})
    return _rising(opened, [(moment - own["ahead_s"], own["boot"]) for moment in (began, ended)], sealed)


def sealed_after(info: Record) -> bool:
    """Whether a campaign was sealed after it was begun."""
    opened, sealed = _of_campaign(info)
    return _rising(opened, [], sealed)


Moment = tuple[float, str | None]
"""s, and of which start of a machine; None: by the wall clock."""


def _of_campaign(info: Record) -> list[Moment | None]:
    clock = info.get("clock") or {}
    found: list[Moment | None] = []
    for name in ("created", "sealed"):
        own = clock.get(name) or WALL
        found.append(None if info[name] is None else (unix_s(info[name]) - own["ahead_s"], own["boot"]))
    return found


def _rising(opened: Moment | None, within: list[Moment], sealed: Moment | None) -> bool:
    late = None if sealed is None else (sealed[0] + RESOLUTION_S, sealed[1])
    moments = [one for one in (opened, *within, late) if one is not None]
    return all(one[0] <= other[0] for one, other in combinations(moments, 2) if one[1] == other[1])


def steps(info: Record, cells: Iterable[Record]) -> list[dict[str, Any]]:
    """When the wall clock was found to have been set while a campaign was measured, and by how much, s."""
    seen = sorted({*_readings(info, cells)})
    return [
        {"at": datetime.fromtimestamp(now + ahead_s, UTC).isoformat(timespec="seconds"), "step_s": round(step_s, 3)}
        for (boot, _, before_s), (same, now, ahead_s) in pairwise(seen)
        if boot == same and abs(step_s := ahead_s - before_s) >= STEP_S
    ]


def _readings(info: Record, cells: Iterable[Record]) -> Iterator[tuple[str, float, float]]:
    """Start of a machine, monotonic time, s, and by how much the wall clock was ahead then, s."""
    for name, own in (info.get("clock") or {}).items():
        if name in ("created", "sealed"):
            yield own["boot"], unix_s(info[name]) - own["ahead_s"], own["ahead_s"]
    for cell in cells:
        if (own := cell.get("clock")) is None:
            continue
        ahead_s = own["ahead_s"]
        yield own["boot"], unix_s(cell["started_at"]) - own["ahead_s"], ahead_s
        for step in own["steps"]:
            ahead_s += step["step_s"]
            yield own["boot"], unix_s(step["at"]) - own["ahead_s"], ahead_s
