"""Baxter and Simmons's conditions beside the re-measured ones: agreement, slopes, and what cannot be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.ceiling import ceilings
from longlook.analysis.estimate import interval, times
from longlook.analysis.evidence import Column
from longlook.analysis.first_attempts import first_attempts, verdict
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, FILES, BookData
from longlook.book.evidence import columns_of
from longlook.book.times import percent_text
from longlook.book.value import SPACE
from longlook.experiment.floor import floor
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.live import Attachment, offered
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table, shown_table
from longlook.plan.workload import size_label
from longlook.published import baxter2018
from longlook.published.baxter2018 import BASE_RTT_MS, METRIC, NEW, QUIC, STUDY, WARM
from longlook.published.cells import PublishedCell
from longlook.record.parquet import records

NAMES = {QUIC: "QUIC", NEW: "TCP, new", WARM: "TCP, warm"}
PLACES = {"local": "from Victoria", "vlan": "same network", "west": "from us-west-1"}
SERIES = ("poster-local", "poster-vlan", *(f"report-{place}" for place in PLACES))
ADDED_MS = {"poster": (0, 100, 200, 400), "report": (40, 100, 200, 300, 400)}
"""By which the router prolongs every round trip; the first where a condition says nothing else."""
NETEM = "jitter_sd_ms=5"
"""Of every condition of the report."""
NONE = style.DASH


@cache
def published() -> tuple[PublishedCell, ...]:
    """Every condition of the poster and of the report, in their order."""
    return (*baxter2018.poster(paths.PUBLISHED), *baxter2018.report(paths.PUBLISHED))


def of_series(series: str) -> list[PublishedCell]:
    return [one for one in published() if one.table == series]


def titled(series: str) -> str:
    """`poster, from Victoria`."""
    name, _, place = series.partition("-")
    return f"{name}, {PLACES[place]}"


def agreement_table(data: BookData | None = None) -> HTML:
    """Per series: means within the 99 % prediction interval of the published, verdicts that agree, the share that would
    in an exact repetition, and published means that no whole load can have."""
    found = data or book_data.load()
    rows = [
        [titled(series), title, *_agreeing(found, series, key)]
        for series in SERIES
        for key, _, title in COLUMNS
        if len(found.agreeing("means", STUDY, series, key))
    ]
    head = [
        "series",
        "numbers",
        "conditions",
        "means within",
        "QUIC's",
        "TCP's",
        "verdicts agree",
        "by first attempts",
        "ceiling",
        "below a load's floor",
    ]
    if not rows:
        return HTML(style.NOTHING_YET)
    own = {file: found.where(name, study=STUDY) for name, file in FILES.items()}
    own["whole_loads"] = found.where("arms", study=STUDY, metric=PLT.name)
    files = [Attachment(f"{STUDY}-{file}.csv", one.to_csv(index=False)) for file, one in own.items()]
    return HTML(html_table(head, rows, numeric=range(2, 10)) + offered(*files))


def _agreeing(data: BookData, series: str, key: str) -> list[str]:
    means, verdicts = (data.agreeing(name, STUDY, series, key) for name in ("means", "verdicts"))
    cells = means["cell_id"].nunique()
    told = [
        _share(means[means["arm"].isin(arms)]["within_prediction"].dropna()) for arms in ([QUIC, NEW], [QUIC], [NEW])
    ]
    most = ceilings(of_series(series)).get((STUDY, series))
    ceiling = NONE if most is None else f"{100 * most.share:.0f}{SPACE}%"
    below = sum(one.series == series for one in impossible())
    tested = verdicts[verdicts["agree"].notna()]
    agreeing = [_share(tested["agree"]), _share(_at_first(data, series, tested))]
    return [f"{cells} of {len(of_series(series))}", *told, *agreeing, ceiling, str(below)]


def _at_first(data: BookData, series: str, tested: pd.DataFrame) -> list[bool]:
    """Of published verdicts (rows of `agreement_verdicts`) whether those of the first attempts agree."""
    loads = data.where("samples", study=STUDY, series=series, metric=METRIC)
    arms = first_attempts(loads)
    said = (
        (row, verdict(arms.get((row["campaign"], row["cell_id"]), {}), row["left"], row["right"]))
        for row in records(tested)
    )
    return [row["published"] == own for row, own in said if own is not None]


def _share(values: Sequence[bool]) -> str:
    """`18 of 20 (90 %)`."""
    equal = sum(map(bool, values))
    return f"{equal} of {len(values)} ({100 * equal / len(values):.0f}{SPACE}%)" if len(values) else NONE


def slopes_table(data: BookData | None = None) -> HTML:
    """By how many ms a page takes longer for each ms that the round trip is longer: round trips per page."""
    found = data or book_data.load()
    sources = [(PUBLISHED.title, columns_of(found, STUDY)[PUBLISHED.key], METRIC)]
    for key, _, title in COLUMNS:
        column = columns_of(found, STUDY)[key]
        sources += [(title, column, METRIC), (f"{title}, whole load", column, PLT.name)]
    rows = []
    for series in SERIES:
        for title, column, metric in sources:
            own = [_slope(column, series, arm, metric) for arm in NAMES]
            if any(own):
                rows.append([titled(series), title, *map(_slope_text, own)])
    return shown_table(["series", "numbers", *NAMES.values()], rows, numeric=range(2, 5))


def _slope(column: Column, series: str, arm: str, metric: str) -> Summary | None:
    """Of the series' usual page over all its round trips."""
    name, _, place = series.partition("-")
    netem = NETEM if name == "report" else None
    rtts = [BASE_RTT_MS[place] + added for added in ADDED_MS[name]]
    usual = {"workload": "10kb-x5", "bandwidth_mbps": 50, "loss_pct": 0, "netem": netem}
    return column.slope(series, arm, metric, "rtt_ms", rtts, **usual)


def _slope_text(found: Summary | None) -> str:
    if found is None:
        return NONE
    own = interval(found)
    return f"{own.value:.2f}" if math.isnan(own.low) else f"{own.value:.2f} ({own.low:.2f} to {own.high:.2f})"


@dataclass(frozen=True)
class Impossible:
    """A published mean below what its condition allows a whole load, ms."""

    series: str
    arm: str
    mean: float
    whole: float
    where: str
    images: float
    """The least from the page's answer on: the images' own round trip, window and time on the line."""

    @property
    def anyhow(self) -> bool:
        """Whether it is impossible by their stopwatch too."""
        return self.mean < self.images


def impossible() -> list[Impossible]:
    """Every one of the poster's and the report's."""
    found = []
    for one in published():
        for arm in one.known_arms:
            mean, least = one.arms[arm.name].mean, floor(one.cell, arm)
            images = least.requests_ms / 2 + least.slow_start_ms + least.serialisation_ms
            if mean < least.total_ms:
                found.append(Impossible(one.table, NAMES[arm.name], mean, least.total_ms, one.where, images))
    return found


def reordering_table(data: BookData | None = None) -> HTML:
    """Means with and without jitter, of pages that have all three arms in both."""
    column = columns_of(data or book_data.load(), STUDY)["reference"]
    arms, jitters = (QUIC, "quic 1000", NEW), {5.0: "5 ms", None: "none"}
    rows = []
    for page in ((10_240, 5), (102_400, 5), (204_800, 5), (10_240, 50)):
        for rtt in (40.0, 127.0):
            where = {"object_bytes": page[0], "object_count": page[1], "rtt_ms": rtt}
            own = {
                sd: [column.summary("reordering", arm, METRIC, jitter_sd_ms=sd, **where) for arm in arms]
                for sd in jitters
            }
            title = f"{size_label(page[0])} x {page[1]}, {rtt:g}{SPACE}ms"
            if all(one is not None for means in own.values() for one in means):
                rows += [_reordering_row(title, words, own[sd]) for sd, words in jitters.items()]
    head = ["page, round trip", "jitter", "QUIC, ms", "QUIC, threshold 1,000, ms", "TCP, ms", "QUIC against TCP"]
    return shown_table(head, rows, numeric=range(2, 6))


def _reordering_row(title: str, jitter: str, means: Sequence[Summary | None]) -> list[str]:
    known = [one for one in means if one is not None]
    return [title, jitter, *(f"{one.mean:,.0f}" for one in known), percent_text(times(known[-1], known[0]))]
