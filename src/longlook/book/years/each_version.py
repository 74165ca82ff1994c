"""Each milestone over every version of QUIC that a server here speaks too: one version, many browsers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

import pandas as pd
from IPython.display import HTML

from longlook.analysis.ratio import Ratio, ratio_of
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.varied import REFERENCE
from longlook.book.years import chart, evidence
from longlook.book.years.evidence import BASE, FAST, MEGABYTE, STUDY, CellByMilestone, Names
from longlook.book.years.milestones import SERVERS, milestones, number_of
from longlook.figure import style
from longlook.figure.live import Attachment, LiveChart
from longlook.stack.arms import open_sweep
from longlook.stack.spec import Stack, load_stack

SERIES = "years-each-version"
GOOGLE, DRAFT, FINAL = "Q043", "h3-29", "v1"
LABELS = {"Q037": "Google's 37", "Q039": "Google's 39", GOOGLE: "Google's 43", DRAFT: "draft 29", FINAL: "version 1"}
ONE_SERVER = (("Q037", "Q039"), ("Q039", GOOGLE), (DRAFT, FINAL))
"""Versions that one server speaks, the older first."""


@cache
def _stacks() -> dict[tuple[int, str], Stack]:
    """By milestone and version."""
    return {(number_of(one), one.spec.quic.version): one for one in map(load_stack, open_sweep(SERIES).stacks())}


def cells(data: BookData, key: str = REFERENCE) -> list[CellByMilestone]:
    """By version in place of the protocol, which is QUIC."""
    names: Names = {(stack.name, "quic"): name for name, stack in _stacks().items()}
    return evidence.cells(data, key, (SERIES,), names)


def by_version(data: BookData | None = None) -> LiveChart | HTML:
    """Page load times over those of the thesis's browser, by the day of the browser's release; a line per version."""
    data = data or book_data.load()
    key, title = data.own_or_reference(STUDY, SERIES)
    found = cells(data, key)
    if not found:
        return HTML(style.NOTHING_YET)
    frame = pd.DataFrame(_rows(data, found))
    marks = dict(zip(LABELS.values(), zip(chart.PAGE_COLOURS, chart.SHAPES, strict=True), strict=True))
    return LiveChart(
        name=SERIES,
        chart=chart.bases(frame, 310, 2, "version", marks),
        narrow=chart.bases(frame, 235, 1, "version", marks),
        alt_text=chart.base_words(frame, "version"),
        downloads=(Attachment(f"{SERIES}.csv", frame.to_csv(index=False)),),
        note=f"{title}. Means over the mean of Chromium {BASE} with version 1 and the same page, with 99 % intervals. "
        f"Google's versions are served by gquicd, the others by Envoy. {chart.ONE_SCALE}" + chart.few(frame),
        hint="Point at a mark for its numbers.",
    )


def _rows(data: BookData, found: Iterable[CellByMilestone]) -> Iterator[dict[str, object]]:
    by_number = {one.number: one for one in milestones()}
    for cell in found:
        if (base := cell.times.get((BASE, FINAL))) is None:
            continue
        for (number, version), own in sorted(cell.times.items()):
            stack = _stacks()[number, version]
            said = {
                "version": LABELS[version],
                "panel": cell.place.title,
                "wire": f"{version}, {SERVERS[stack.spec.quic.server]}",
                "server": stack.spec.quic.server,
                "line": version,
            }
            mark = chart.known(data, by_number[number], cell, stack.name) | said
            yield mark | chart.interval(ratio_of(base, own), [own.n])


def pairs(cell: CellByMilestone) -> list[tuple[Summary, Summary]]:
    """Of each browser that speaks two versions with one server: its loads over the older and over the newer."""
    return [
        (cell.times[number, older], cell.times[number, newer])
        for older, newer in ONE_SERVER
        for number in cell.numbers(older)
        if (number, newer) in cell.times
    ]


def ends(cell: CellByMilestone) -> dict[str, Ratio]:
    """By version: the last browser's mean over the first one's."""
    numbers = {version: cell.numbers(version) for version in LABELS}
    return {
        version: ratio_of(cell.times[own[0], version], cell.times[own[-1], version])
        for version, own in numbers.items()
        if len(own) > 1
    }


def over_google(found: Iterable[CellByMilestone]) -> list[float]:
    """Of each browser that speaks both: 1 MB on the fast link over HTTP/3, as a multiple of that over Google's."""
    return [
        own.mean / cell.times[number, GOOGLE].mean
        for cell in found
        if (cell.place.workload, cell.place.bandwidth_mbps) == (MEGABYTE, FAST)
        for (number, version), own in cell.times.items()
        if version in (DRAFT, FINAL) and (number, GOOGLE) in cell.times
    ]
