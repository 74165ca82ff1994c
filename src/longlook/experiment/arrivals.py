"""In which order a web page arrived, load by load, from a cell's records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longlook.client.artefact import observed
from longlook.client.observation import SeenObject
from longlook.errors import LonglookError
from longlook.plan.workload import WebPage
from longlook.record.samples import read_records, sample_of
from longlook.site.webpage import Resource, resources


@dataclass(frozen=True)
class Arrival:
    """One load that counts. Times are from its start, ms."""

    arm: str
    index: int
    """Number of the load within its arm."""
    styles_ms: float
    """When the last style sheet was there whole: nothing is painted before."""
    main_ms: float
    """When the main image was."""
    before_pct: float
    """Of the bytes of scripts and images: those that were there, as whole objects, before the last style sheet."""


def arrivals(folder: Path, page: WebPage) -> list[Arrival]:
    """Of all loads that count, in the order measured; a record without the page's objects is a `LonglookError`."""
    found = []
    for record in read_records(folder):
        sample = sample_of(record)
        if sample.counts:
            try:
                found.append(arrival(sample.arm, sample.index, observed(record["artefact"]).objects, resources(page)))
            except (KeyError, TypeError, ValueError) as error:
                raise LonglookError(f"{folder}: load {sample.index} of {sample.arm} lacks objects: {error!r}") from None
    return found


def arrival(arm: str, index: int, seen: Sequence[SeenObject], of: Sequence[Resource]) -> Arrival:
    """What the objects of one load say."""
    ended: Mapping[str, float] = {one.path: one.ended_ms for one in seen}
    styles_ms = max(ended[one.path] for one in of if one.kind == "style")
    rest = [one for one in of if one.kind in ("script", "image")]
    main = next(one for one in rest if one.kind == "image")
    before = sum(one.size_bytes for one in rest if ended[one.path] < styles_ms)
    whole = sum(one.size_bytes for one in rest)
    return Arrival(arm, index, styles_ms, ended[main.path], 100 * before / whole)
