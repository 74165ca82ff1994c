"""The campaigns of the years by cell, protocol and milestone, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd

from longlook.analysis.contrast import Contrast, contrast
from longlook.analysis.ratio import Ratio, ratio_of
from longlook.analysis.welch import Summary, significant, summary_of
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years.milestones import Milestone, milestones, number_by_stack
from longlook.experiment.metrics import CLIENT_CPU, PLT
from longlook.figure import style
from longlook.record.parquet import records

STUDY, SERIES, TEN_MB = "years", "years", "years-large"
AXIS, LOSS = (SERIES, TEN_MB), ("years-loss",)
"""Series of the cells without loss, and of those with it. 10 MB on the narrower link take as long as all the others: a
sweep of their own."""
PROTOCOLS = ("quic", "tcp")
SMALLEST, MEGABYTE, LARGEST, MANY = "5kb-x1", "1000kb-x1", "10000kb-x1", "10kb-x100"
"""Pages, as a cell's id names them."""
FAST = 100.0
"""The wider of the links, Mbit/s."""
BASE = 111
"""The thesis's milestone: what the others are held against."""
FIRST_HTTP3 = 92
"""From here on all speak version 1 with the same server."""


@dataclass(frozen=True)
class PageAndBandwidth:
    """A cell of the sweep: page and bandwidth."""

    workload: str
    object_bytes: float
    object_count: int
    bandwidth_mbps: float

    @property
    def page(self) -> str:
        return style.workload_label(self.workload, self.object_bytes, self.object_count, self.object_count > 1)

    @property
    def title(self) -> str:
        return f"{self.page}, {self.bandwidth_mbps:g} Mbit/s"


@dataclass(frozen=True)
class CellByMilestone:
    """One cell: a summary per milestone and protocol (or version of QUIC), of page load times (ms) and of the browser's
    CPU (s)."""

    place: PageAndBandwidth
    times: dict[tuple[int, str], Summary]
    cpu: dict[tuple[int, str], Summary]
    campaign: str

    def lead(self, number: int) -> Contrast | None:
        """QUIC against TCP with one milestone; None where one of the two is missing."""
        quic, tcp = (self.times.get((number, protocol)) for protocol in PROTOCOLS)
        return None if quic is None or tcp is None else contrast(quic, tcp)

    def ratio(self, number: int) -> Ratio | None:
        """QUIC's mean over TCP's, with its 99 % interval."""
        quic, tcp = (self.times.get((number, protocol)) for protocol in PROTOCOLS)
        return None if quic is None or tcp is None else ratio_of(tcp, quic)

    def to_base(self, number: int, protocol: str) -> Ratio | None:
        """A milestone's mean over that of `BASE`, with its 99 % interval."""
        base, own = self.times.get((BASE, protocol)), self.times.get((number, protocol))
        return None if base is None or own is None else ratio_of(base, own)

    def numbers(self, protocol: str) -> list[int]:
        """Milestones that it has, in order."""
        return sorted(number for number, other in self.times if other == protocol)


Names = Mapping[tuple[str, str], tuple[int, str]]
"""Stack and protocol of an arm -> its milestone, and what `CellByMilestone` has it as."""


def cells(
    data: BookData, key: str = REFERENCE, series: Sequence[str] = AXIS, names: Names | None = None
) -> list[CellByMilestone]:
    """Of one or several series in one column, by protocol, or as they have `names`; by bandwidth, number and size of
    objects."""
    arms = data.rows("arms", STUDY, series, key)
    arms = arms.sort_values(["bandwidth_mbps", "object_count", "object_bytes"])
    places = ["workload", "object_bytes", "object_count", "bandwidth_mbps"]
    if names is None:
        names = {(stack, kind): (number, kind) for stack, number in number_by_stack().items() for kind in PROTOCOLS}
    return [_measured(PageAndBandwidth(*place), own, names) for place, own in arms.groupby(places, sort=False)]


def summaries(
    data: BookData, series: str, *columns: str, metrics: Sequence[str] = (PLT.name,), key: str = REFERENCE
) -> dict[tuple, Summary]:
    """Of each arm of a series, by these columns; none before it is measured."""
    arms = data.rows("arms", STUDY, series, key)
    rows = records(arms[arms["metric"].isin(metrics)])
    return {tuple(row[name] for name in columns): summary_of(row) for row in rows}


def mean_text(one: Summary | None, digits: int) -> str:
    """A mean with its standard deviation; a dash where it is not measured."""
    return style.DASH if one is None else " ".join(filter(None, style.mean_sd(one.mean, one.sd, digits)))


def _measured(place: PageAndBandwidth, own: pd.DataFrame, names: Names) -> CellByMilestone:
    found: dict[str, dict[tuple[int, str], Summary]] = {PLT.name: {}, CLIENT_CPU.name: {}}
    for row in records(own[own["metric"].isin(found)]):
        if name := names.get((row["stack"], row["protocol"])):
            found[row["metric"]][name] = summary_of(row)
    return CellByMilestone(place, found[PLT.name], found[CLIENT_CPU.name], str(own["campaign"].iloc[0]))


@dataclass(frozen=True)
class Step:
    """From one milestone to the next, in one cell."""

    place: PageAndBandwidth
    protocol: str
    before: Milestone
    after: Milestone
    ratio: Ratio


@dataclass(frozen=True)
class MilestoneChange:
    """From one milestone to the next, with one protocol, in all cells."""

    protocol: str
    before: Milestone
    after: Milestone
    steps: tuple[Step, ...]
    significant: tuple[Step, ...]
    """By Welch's test with Holm's correction over all steps of the axis."""

    @property
    def largest(self) -> Step | None:
        """Of the significant ones, that which changes most."""
        return max(self.significant, key=lambda one: max(one.ratio.value, 1 / one.ratio.value), default=None)


def steps(found: Sequence[CellByMilestone]) -> Iterator[Step]:
    """Every step of every cell."""
    by_number = {one.number: one for one in milestones()}
    for cell in found:
        for protocol in sorted({kind for _, kind in cell.times}):
            for before, after in pairwise(cell.numbers(protocol)):
                ratio = ratio_of(cell.times[before, protocol], cell.times[after, protocol])
                yield Step(cell.place, protocol, by_number[before], by_number[after], ratio)


def changes(found: Sequence[CellByMilestone]) -> list[MilestoneChange]:
    """Between each two milestones, TCP's after QUIC's; those with the most significant steps first."""
    every = list(steps(found))
    kept = significant([one.ratio.test.p_value for one in every])
    changed = {id(one) for one, is_kept in zip(every, kept, strict=True) if is_kept}
    by: dict[tuple[str, int], list[Step]] = {}
    for one in every:
        by.setdefault((one.protocol, one.after.number), []).append(one)
    joined = [
        MilestoneChange(
            own[0].protocol, own[0].before, own[0].after, tuple(own), tuple(one for one in own if id(one) in changed)
        )
        for own in by.values()
    ]
    return sorted(joined, key=lambda one: (-len(one.significant), one.protocol, one.after.number))


def by_protocol(texts: Iterable[tuple[str, str]]) -> str:
    """`QUIC: ..., TCP: ...`, of pairs of a protocol and what is told of it."""
    return ", ".join(f"{style.PROTOCOL_LABELS[one]}: {text}" for one, text in texts)
