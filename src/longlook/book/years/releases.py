"""Releases of one server, Envoy, with the browser held still: what each is, how it was measured, what follows."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd

from longlook import paths
from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.ratio import Ratio, ratio_of
from longlook.analysis.welch import Summary, summary_of
from longlook.book.data import BookData
from longlook.book.flows import Contest, contests
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import STUDY, PageAndBandwidth
from longlook.experiment.built_in import ENVOY, BuiltIn, read
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.record.parquet import records
from longlook.stack.arms import open_sweep
from longlook.stack.spec import load_stack

SWEEP = "years-servers"
SERIES, THRESHOLD, SHARE = "years-servers", "years-servers-threshold", "years-servers-share"
BASE = "1.40"
"""The release that all other chapters have: what the others are held against."""
PACKAGED = "packaged.csv"
"""Beside the chapter: version and the day on which PyPI got it."""
STATIC = "ILD0"


@dataclass(frozen=True)
class Release:
    """One Envoy."""

    name: str
    """`1.36`."""
    version: str
    packaged: str
    """ISO 8601."""
    stack: str
    built: BuiltIn | None
    """What its program has built in; None before it was read."""


@dataclass(frozen=True)
class Conditions(PageAndBandwidth):
    """A cell of the sweep: page and link."""

    loss_pct: float
    rtt_ms: float
    jitter_ms: float

    @property
    def title(self) -> str:
        loss = f", {self.loss_pct:g} % loss" if self.loss_pct else ""
        return super().title + loss + (", jitter" if self.jitter_ms else "")


@dataclass(frozen=True)
class ReleaseSquare:
    """One cell: summaries of page load times (ms) by release; TCP's, where it was measured."""

    place: Conditions
    quic: dict[str, Summary]
    static: dict[str, Summary]
    """With the static reordering threshold."""
    tcp: Summary | None
    campaign: str

    def to_base(self, name: str) -> Ratio | None:
        """A release's mean over that of `BASE`, with its 99 % interval."""
        base, own = self.quic.get(BASE), self.quic.get(name)
        return None if base is None or own is None else ratio_of(base, own)

    def lead(self, name: str) -> Contrast | None:
        """QUIC against TCP; None where one of the two is missing."""
        own = self.quic.get(name)
        return None if own is None or self.tcp is None else contrast(own, self.tcp)

    def cost(self, name: str) -> Ratio | None:
        """The mean with the static threshold over that with the release's own."""
        own, static = self.quic.get(name), self.static.get(name)
        return None if own is None or static is None else ratio_of(own, static)


@cache
def releases() -> tuple[Release, ...]:
    """Of the sweep, the oldest first."""
    with (paths.BOOK / "years" / PACKAGED).open(newline="", encoding="utf-8") as file:
        packaged = {row["version"]: row["packaged"] for row in csv.DictReader(file)}
    built = {one.part: one for one in read(paths.BUILT_IN)}
    found = []
    for name in open_sweep(SWEEP).stacks():
        stack = load_stack(name)
        part = next(part for part in stack.parts if ENVOY in part.spec.components)
        version = part.spec.components[ENVOY].version
        found.append(Release(minor(version), version, packaged[version], name, built.get(part.name)))
    return tuple(sorted(found, key=lambda one: one.packaged))


def minor(version: str) -> str:
    """`1.36.4` -> `1.36`."""
    return ".".join(version.split(".")[:2])


def cells(data: BookData, series: str = SERIES, key: str = REFERENCE) -> list[ReleaseSquare]:
    """Of one column; by loss, bandwidth, number and size of objects."""
    arms = data.rows("arms", STUDY, series, key)
    arms = arms[arms["metric"] == PLT.name]
    places = ["workload", "object_bytes", "object_count", "bandwidth_mbps", "loss_pct", "rtt_ms", "jitter_ms"]
    arms = arms.sort_values(["loss_pct", "bandwidth_mbps", "object_count", "object_bytes"])
    return [_served(Conditions(*place), own) for place, own in arms.groupby(places, sort=False)]


def _served(place: Conditions, own: pd.DataFrame) -> ReleaseSquare:
    names = {one.stack: one.name for one in releases()}
    quic: dict[str, Summary] = {}
    static: dict[str, Summary] = {}
    tcp = None
    for row in records(own[own["stack"].isin(names)]):
        name = names[row["stack"]]
        if row["protocol"] == "tcp":
            tcp = summary_of(row)
        elif style.value_text(row["quic_options"]) == STATIC:
            static[name] = summary_of(row)
        else:
            quic[name] = summary_of(row)
    return ReleaseSquare(place, quic, static, tcp, str(own["campaign"].iloc[0]))


def shares(data: BookData, key: str = REFERENCE) -> dict[str, Contest]:
    """Release -> what it came to beside one TCP flow."""
    return {contest.label.split()[1]: contest for contest in contests(data, STUDY, SHARE, key)}


def compared(found: Sequence[ReleaseSquare]) -> list[tuple[ReleaseSquare, str, Ratio]]:
    """Every release against `BASE` in every cell without jitter."""
    return [
        (cell, name, ratio)
        for cell in found
        for name in cell.quic
        if name != BASE and not cell.place.jitter_ms and (ratio := cell.to_base(name))
    ]
