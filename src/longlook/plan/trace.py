"""Traces in mahimahi's format, files of links/: when a link may pass bytes, instead of a rate (no I/O beyond reading
them)."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from longlook import paths
from longlook.host.files import read_regular
from longlook.plan.value import MOST_DIGITS, Name, PlanError, Value, checked_name, nearest, worded

OPPORTUNITY_BYTES = 1514
"""Of a full Ethernet frame, which takes a whole opportunity: mahimahi's 1504 bytes (tools/linkpipe/trace.go)."""
MOST_BYTES, MOST_MS = 10_000_000, 3_600_000
"""Of a file, and of what it lasts."""
RATES = {"trace": "bandwidth_mbps", "upload_trace": "upload_mbps"}
"""Field of a link -> the rate in whose place it stands, and whose value is its mean."""
DIGEST_DIGITS = 8


class LinkTrace(Value):
    """One file: a whole number of milliseconds on each line, an opportunity to pass 1504 bytes (a full packet). After
    its last line it begins again."""

    called = "a trace"

    name: Name
    sha256: Annotated[str, worded(r"^[0-9a-f]{64}$", "64 hexadecimal digits")]
    opportunities: int = Field(ge=1, le=MOST_BYTES)
    period_ms: int = Field(ge=1, le=MOST_MS)
    longest_pause_ms: int = Field(ge=1, le=MOST_MS, description="from one opportunity to the next one that is later")

    @property
    def mean_mbps(self) -> float:
        """Mbit/s of full frames, of the digits that a rate may have."""
        mbps = self.opportunities * OPPORTUNITY_BYTES * 8e-3 / self.period_ms
        return round(float(f"{mbps:.{MOST_DIGITS}g}"), MOST_DIGITS)

    @property
    def id_part(self) -> str:
        """`trace-markov-1a2b3c4d`."""
        return f"trace-{self.name.removesuffix('.trace')}-{self.sha256[:DIGEST_DIGITS]}"

    def __str__(self) -> str:
        """As it stands in tables: name and digest, without a space."""
        return f"{self.name}@{self.sha256[:DIGEST_DIGITS]}"


def known_traces() -> list[str]:
    """Names of the files beside the profiles."""
    return sorted(one.name for one in paths.LINKS.glob("*") if one.suffix != ".toml" and one.is_file())


def open_trace(name: str) -> LinkTrace:
    """The trace of that name. Raises `PlanError` with what is wrong with the name or the file."""
    text = _read(name)
    found = opportunities(text, name)
    digest = hashlib.sha256(text).hexdigest()
    from_last = [0, *found]  # the first one follows the last one, a period on
    pause = max(after - before for before, after in pairwise(from_last))
    return LinkTrace(name=name, sha256=digest, opportunities=len(found), period_ms=found[-1], longest_pause_ms=pause)


def opportunities_of(trace: LinkTrace) -> list[int]:
    """Its opportunities, ms; a file that is another one by now is a `PlanError`."""
    text = _read(trace.name)
    if (found := hashlib.sha256(text).hexdigest()) != trace.sha256:
        raise PlanError(f"trace {trace.name} is not what it was: its sha256 is {found}, {trace.sha256} is stated")
    return opportunities(text, trace.name)


def _read(name: str) -> bytes:
    path = paths.LINKS / checked_name(name, "trace")
    if path.is_symlink():
        raise PlanError(f"trace {name} is a symbolic link, which may lead out of {paths.LINKS}: put the file there")
    if not path.is_file():
        known = known_traces()
        raise PlanError(
            f"there is no trace {name!r}{nearest(name, known)} in {paths.LINKS} (known: {', '.join(known)})"
        )
    try:
        return read_regular(path, MOST_BYTES)
    except OSError as error:
        raise PlanError(f"trace {name} cannot be read: {error.strerror}") from None


def opportunities(text: bytes, name: str) -> list[int]:
    """What a trace's file has, ms; `PlanError` with the line that no trace has."""
    lines = text.removesuffix(b"\n").split(b"\n") if text else []
    for number, line in enumerate(lines, 1):
        if not line.isdigit() or len(line) > len(str(MOST_MS)) or int(line) > MOST_MS:
            said = ascii(line.decode("utf-8", "replace"))[:40]
            raise PlanError(f"trace {name}, line {number}: {said} is no whole number of milliseconds up to {MOST_MS}")
    found = [int(line) for line in lines]
    for number, (before, after) in enumerate(pairwise(found), 2):
        if after < before:
            raise PlanError(f"trace {name}, line {number}: {after} comes before {before}: sort the file")
    if not found:
        raise PlanError(f"trace {name} is empty: it has a whole number of milliseconds on each line")
    if not found[-1]:
        raise PlanError(f"trace {name} has nothing but 0, and so lasts no time")
    return found


def window(found: Sequence[int], offset_ms: int, span_ms: int) -> list[int]:
    """The opportunities of a trace whose clock stands at `offset_ms`, ms from then, for so long."""
    period, offset = found[-1], offset_ms % found[-1]
    rounds = range(0, offset + span_ms + period, period)
    whole = [round_ms + at - offset for round_ms in rounds for at in found]
    return whole[bisect_left(whole, 1) : bisect_left(whole, span_ms)]


def with_traces(data: Mapping[str, Any]) -> dict[str, Any]:
    """A link's data, or a block's, in which traces are named, with those traces and their mean rates."""
    filled = dict(data)
    for key, rate in RATES.items():
        if isinstance(name := data.get(key), str):
            if rate in data:
                raise PlanError(f"{rate} beside {key} = {name!r}: the rate is the trace's, leave {rate} out")
            trace = open_trace(name)
            filled |= {key: trace.model_dump(), rate: trace.mean_mbps}
    return filled
