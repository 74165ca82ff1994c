"""Page load times of Baxter and Simmons 2018 by condition and arm, as published and as re-measured, ms.

Times are by their stopwatch, which begins late (published/baxter2018.py), or of the whole load.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from longlook import paths
from longlook.analysis.agreement import printed_summary
from longlook.analysis.welch import Summary, summary_of
from longlook.book.data import COLUMNS, BookData
from longlook.book.times import CONFIDENT, Times
from longlook.experiment.metrics import BY_STAMPS, PLT
from longlook.published import baxter2018
from longlook.published.baxter2018 import BASE_RTT_MS, NEW, QUIC, STUDY, WARM
from longlook.published.cells import PublishedCell

NAMES = {QUIC: "QUIC", NEW: "TCP, new", WARM: "TCP, warm"}
POSTER, REPORT = "poster", "report"
ADDED_MS = {POSTER: 0, REPORT: 40}
"""By which the router prolongs every round trip, unless a condition says otherwise."""
JITTER_MS = {POSTER: None, REPORT: 5.0}
PLACES = {"local": "from Victoria", "vlan": "same network", "west": "from us-west-1"}
SERIES = tuple(f"{name}-{place}" for name, place in [(POSTER, "local"), (POSTER, "vlan")]) + tuple(
    f"{REPORT}-{place}" for place in PLACES
)


@dataclass(frozen=True)
class Where:
    """A condition: the baseline of a series, but for what is said. Loss, corruption and duplicates are each way's."""

    series: str
    count: int = 5
    size_bytes: int = 10_240
    bandwidth_mbps: float = 50.0
    added_ms: float | None = None
    loss_pct: float = 0.0
    corrupt_pct: float | None = None
    duplicate_pct: float | None = None

    @property
    def rtt_ms(self) -> float:
        name, _, place = self.series.partition("-")
        return BASE_RTT_MS[place] + (ADDED_MS[name] if self.added_ms is None else self.added_ms)

    def is_of(self, one: PublishedCell) -> bool:
        """Whether a published cell has this condition."""
        link, page = one.cell.link, one.cell.workload
        loss = link.loss_pct / 2 if link.gemodel_p_pct is None else link.gemodel_p_pct
        stated = (link.bandwidth_mbps, link.rtt_ms, loss, link.corrupt_pct, link.duplicate_pct, link.jitter_sd_ms)
        name = self.series.partition("-")[0]
        asked = (self.bandwidth_mbps, self.rtt_ms, self.loss_pct, self.corrupt_pct, self.duplicate_pct, JITTER_MS[name])
        return (one.table, page.object_count, page.object_bytes, *stated) == (
            self.series,
            self.count,
            self.size_bytes,
            *asked,
        )


class Evidence(Protocol):
    """Numbers of one column: None where it has none."""

    def summary(self, where: Where, arm: str) -> Summary | None:
        """Of one arm under one condition."""


@cache
def published() -> tuple[PublishedCell, ...]:
    """Every condition of the poster and of the report, in their order."""
    return (*baxter2018.poster(paths.PUBLISHED), *baxter2018.report(paths.PUBLISHED))


def of_series(series: str) -> list[PublishedCell]:
    return [one for one in published() if one.table == series]


@cache
def cell_of(where: Where) -> PublishedCell:
    """The one that has a condition; a `StopIteration` where they measured no such."""
    return next(one for one in published() if where.is_of(one))


class Printed:
    """Computed from their public samples."""

    def summary(self, where: Where, arm: str) -> Summary | None:
        known = cell_of(where).arms.get(arm)
        return None if known is None else printed_summary(known)


@dataclass(frozen=True)
class Measured:
    """The newest campaigns of one column."""

    data: BookData
    key: str
    """`reference` or `yours`."""
    metric: str = BY_STAMPS.name

    def summary(self, where: Where, arm: str) -> Summary | None:
        return self.of_cell(cell_of(where), arm)

    def of_cell(self, one: PublishedCell, arm: str) -> Summary | None:
        """Of the cell with that key."""
        return self._row(one.table, arm, {"key": one.cell.key})

    def beside(self, series: str, arm: str, **where: object) -> Summary | None:
        """Of a series that they have nothing of, by columns of `arms`; None stands for an empty one."""
        return self._row(series, arm, where)

    def _row(self, series: str, arm: str, where: Mapping[str, object]) -> Summary | None:
        own = self.data.rows("arms", STUDY, series, self.key)
        own = own[(own["arm"] == arm) & (own["metric"] == self.metric)]
        for name, value in where.items():
            own = own[own[name].isna() if value is None else own[name] == value]
        return summary_of(own.iloc[0]) if len(own) and own["n"].iloc[0] else None


def columns(data: BookData) -> list[tuple[str, Measured]]:
    """Headings and numbers of what was measured: by their stopwatch, and of whole loads."""
    return [
        (f"{title}{words}", Measured(data, key, metric))
        for key, _, title in COLUMNS
        for metric, words in ((BY_STAMPS.name, ""), (PLT.name, ", whole load"))
    ]


def combined(weights: Sequence[float], parts: Sequence[Summary]) -> Summary:
    """A weighted sum of means, with the error that it has."""
    mean = sum(weight * one.mean for weight, one in zip(weights, parts, strict=True))
    variance = sum(weight**2 * one.sd**2 / one.n for weight, one in zip(weights, parts, strict=True))
    loads = sum(one.n for one in parts)
    return Summary(mean, math.sqrt(variance * loads), loads)


def slope(evidence: Evidence, series: str, arm: str, added_ms: Sequence[float]) -> Summary | None:
    """ms of page load time for each ms of round trip: least squares over the means."""
    found = [evidence.summary(Where(series, added_ms=one), arm) for one in added_ms]
    known = [one for one in found if one is not None]
    if len(known) < len(found):
        return None
    middle = sum(added_ms) / len(added_ms)
    square = sum((one - middle) ** 2 for one in added_ms)
    return combined([(one - middle) / square for one in added_ms], known)


def interval(found: Summary) -> Times:
    """A number of its own, with its 99 % interval."""
    reach = CONFIDENT * found.sd / math.sqrt(found.n)
    return Times(found.mean, found.mean - reach, found.mean + reach)
