"""The browser of the sweep today-priorities asked in which order it wants a page's objects; a table that is kept.

It loads a page over a link inside a testbed, over HTTP/2 and over HTTP/3, as itself and as the copy that says nothing.
What it sends is captured beside the server and decrypted by its keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.experiment.asked import read_rows, write_rows
from longlook.experiment.asking import asking, captured
from longlook.experiment.context import PORTS, Context
from longlook.plan.arm import Arm
from longlook.plan.workload import WebPage
from longlook.probe import priorities
from longlook.probe.priorities import UNSAID, Http2Request
from longlook.site.webpage import resources
from longlook.stack import open_stack
from longlook.stack.arms import open_sweep
from longlook.testbed.base import Testbed

SWEEP = "today-priorities"
AS_IT_IS, MUTE, TCP = "quic", "turns", "tcp"
"""Arms of the sweep."""
PAGE = WebPage(size_bytes=450_888, resources=18)
TIMEOUT_S = 30


@dataclass(frozen=True)
class Said:
    """What the browser says of some requests alike."""

    said: str
    """As RFC 9218 has it; empty where it says nothing, which means u=3."""
    kinds: str
    """Kinds of resources, joined by commas; an image that is above the fold is one `above`."""
    requests: int
    """Over HTTP/2, with that in their field."""
    weight: int
    """Of theirs over HTTP/2, by RFC 7540."""
    moved: int
    """Of them, those whose weight a later frame changed."""
    frames: int
    """Requests over HTTP/3 of which a PRIORITY_UPDATE frame says so first."""
    unsaid: int
    """Those with a frame of a reserved type in its place, by the copy that says nothing."""


def ask(bed: Testbed) -> list[Said]:
    """One load of each arm but one; what contradicts itself is a `LonglookError`."""
    cell = open_sweep(SWEEP).cells()[0].model_copy(update={"workload": PAGE})
    arms = {arm.name: arm for arm in cell.arms}
    with asking(bed, cell, open_stack) as context:
        frames = {name: _frames(context, arms[name]) for name in (AS_IT_IS, MUTE)}
        requests = _requests(context, arms[TCP])
    return summarised(requests, frames[AS_IT_IS], frames[MUTE])


def _frames(context: Context, arm: Arm) -> list[tuple[int, bytes]]:
    pcap, keys, _ = captured(context, arm, TIMEOUT_S)
    return priorities.control_frames(pcap, keys, PORTS[0])


def _requests(context: Context, arm: Arm) -> list[Http2Request]:
    pcap, keys, _ = captured(context, arm, TIMEOUT_S)
    return priorities.http2_requests(pcap, keys, PORTS[0])


def summarised(
    requests: Sequence[Http2Request], as_it_is: Iterable[tuple[int, bytes]], mute: Iterable[tuple[int, bytes]]
) -> list[Said]:
    """A row for each thing that is said, the most urgent first."""
    frames = Counter(priorities.first_said(as_it_is))
    told = list(mute)
    if heard := len(priorities.first_said(told)):
        raise LonglookError(f"the browser that is to say no priorities said {heard}")
    unsaid = Counter(priorities.first_said(told, UNSAID))
    kinds = {one.path: "above" if one.above else one.kind for one in resources(PAGE)}
    found = []
    for said in sorted({one.said for one in requests} | set(frames), key=_urgency):
        own = [one for one in requests if one.said == said]
        weights = {one.weight for one in own}
        if len(weights) > 1:
            raise LonglookError(f"requests that say {said!r} have several weights: {sorted(weights)}")
        names = ",".join(dict.fromkeys(kinds.get(one.path, "other") for one in own))
        moved = sum(any(weight != one.weight for weight in one.moved) for one in own)
        weight = weights.pop() if weights else 0
        found.append(Said(said, names, len(own), weight, moved, frames[said], unsaid[said]))
    return found


def _urgency(said: str) -> tuple[str, str]:
    """By `u`, which is 3 where it is not stated."""
    urgency = next((part.strip() for part in said.split(",") if part.strip().startswith("u=")), "u=3")
    return urgency, said


def write(path: Path, found: Iterable[Said]) -> None:
    """The table."""
    write_rows(path, Said, found)


def read(path: Path) -> list[Said]:
    """What `write` wrote; none before that."""
    return read_rows(path, _said, "priorities")


def _said(row: dict[str, str]) -> Said:
    numbers = [int(row[name]) for name in ("requests", "weight", "moved", "frames", "unsaid")]
    return Said(row["said"], row["kinds"], *numbers)
