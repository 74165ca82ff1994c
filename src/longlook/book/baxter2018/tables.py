"""Baxter and Simmons's conditions beside the re-measured ones: agreement, every mean, slopes, and what cannot be."""

from __future__ import annotations

import math
from collections.abc import Sequence

from IPython.display import HTML

from longlook.analysis.agreement import meets, printed_summary
from longlook.analysis.ceiling import ceilings
from longlook.analysis.contrast import contrast
from longlook.analysis.floor import floor
from longlook.analysis.twofold import verdict_word
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.baxter2018.claims import POSTER_ADDED, REPORT_ADDED
from longlook.book.baxter2018.evidence import (
    NAMES,
    PLACES,
    POSTER,
    SERIES,
    Evidence,
    Measured,
    Printed,
    interval,
    of_series,
    published,
    slope,
)
from longlook.book.data import COLUMNS, BookData
from longlook.book.value import SPACE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import AGREE, DISAGREE, html_table
from longlook.published.baxter2018 import NEW, QUIC, STUDY, WARM
from longlook.published.cells import PublishedCell

NONE = style.DASH
WORDS = {"QUIC": "QUIC", "TCP": "TCP", "none": "neither", "untested": NONE}
MARKS = {True: f" {AGREE}", False: f" {DISAGREE}", None: ""}


def titled(series: str) -> str:
    """`poster, from Victoria`."""
    name, _, place = series.partition("-")
    return f"{name}, {PLACES[place]}"


def agreement_table(data: BookData | None = None) -> HTML:
    """Per series: means within the 99 % prediction interval of the published, verdicts that agree, and how many would in
    an exact repetition."""
    found = data or book_data.load()
    rows = [
        [titled(series), title, *_agreeing(found, series, key)]
        for series in SERIES
        for key, _, title in COLUMNS
        if len(found.agreeing("means", STUDY, series, key))
    ]
    head = ["series", "numbers", "conditions", "means within", "QUIC's", "TCP's", "verdicts agree", "ceiling"]
    return HTML(html_table(head, rows, numeric=range(2, 8)) if rows else style.NOTHING_YET)


def _agreeing(data: BookData, series: str, key: str) -> list[str]:
    means, verdicts = (data.agreeing(name, STUDY, series, key) for name in ("means", "verdicts"))
    cells = means["cell_id"].nunique()
    told = [_share(means[means["arm"].isin(arms)]["within_prediction"].dropna()) for arms in ([QUIC, WARM], [QUIC], [WARM])]
    most = ceilings(of_series(series)).get((STUDY, series))
    ceiling = NONE if most is None else f"{100 * most.share:.0f}{SPACE}%"
    return [f"{cells} of {len(of_series(series))}", *told, _share(verdicts["agree"].dropna()), ceiling]


def _share(values: Sequence[bool]) -> str:
    """`18 of 20 (90 %)`."""
    equal = sum(map(bool, values))
    return f"{equal} of {len(values)} ({100 * equal / len(values):.0f}{SPACE}%)" if len(values) else NONE


def conditions_table(series: str, data: BookData | None = None) -> HTML:
    """Every condition of a series: their means, and ours; a mark says whether a mean lies within the 99 % prediction
    interval of theirs, and whether QUIC against the warm TCP comes to the same verdict."""
    found = data or book_data.load()
    parts = [_published_part(series)]
    for key, _, title in COLUMNS:
        if len(found.rows("arms", STUDY, series, key)):
            parts.append(f"<p>{title}</p>" + _measured_part(series, Measured(found, key)))
    return HTML("".join(parts[1:]) or parts[0])


def _published_part(series: str) -> str:
    rows = [[_condition(one), *_known(one), _verdict(_theirs(one))] for one in of_series(series)]
    return html_table(["condition", "QUIC, ms", "TCP, ms", "faster"], rows, escape=False, numeric={1, 2})


def _measured_part(series: str, evidence: Measured) -> str:
    rows = []
    for one in of_series(series):
        own = {arm: evidence.of_cell(one, arm) for arm in NAMES}
        quic, warm = own[QUIC], own[WARM]
        if quic is None or warm is None:
            continue
        known = _theirs(one)
        means = [f"{_text(own[arm])}{MARKS[meets(known[arm], mean)]}" for arm, mean in ((QUIC, quic), (WARM, warm))]
        said, theirs = _verdict({QUIC: quic, WARM: warm}), _verdict(known)
        agrees = None if NONE in (said, theirs) else said == theirs
        rows.append([_condition(one), *_known(one), theirs, *means, _text(own[NEW]), said + MARKS[agrees]])
    head = ["condition", "QUIC, ms", "TCP, ms", "faster", "QUIC, ms", "warm TCP, ms", "new TCP, ms", "faster"]
    groups = [("", 1), ("their samples", 3), ("here", 4)]
    return html_table(head, rows, escape=False, numeric={1, 2, 4, 5, 6}, groups=groups)


def _theirs(one: PublishedCell) -> dict[str, Summary]:
    return {arm: printed_summary(mean) for arm, mean in one.arms.items()}


def _known(one: PublishedCell) -> list[str]:
    return [f"{one.arms[arm].mean:,.0f} ± {one.arms[arm].sd:,.0f}" for arm in (QUIC, WARM)]


def _text(found: Summary | None) -> str:
    if found is None:
        return NONE
    return f"{found.mean:,.0f}" + ("" if math.isnan(found.sd) else f" ± {found.sd:,.0f}")


def _verdict(own: dict[str, Summary]) -> str:
    """Which of the two is significantly faster."""
    return WORDS[verdict_word(contrast(own[QUIC], own[WARM], PLT.better or "low").verdict, "QUIC", "TCP")]


def _condition(one: PublishedCell) -> str:
    """Without the queue, which nothing ever fills."""
    link = one.cell.link.label.replace(f", queue {one.cell.link.queue_packets} packets", "")
    return f"{one.cell.workload.label}, {link}"


def slopes_table(data: BookData | None = None) -> HTML:
    """By how many ms a page takes longer for each ms that the round trip is longer: round trips per page."""
    found = data or book_data.load()
    columns: list[tuple[str, Evidence]] = [(PUBLISHED.title, Printed())]
    columns += [(title, Measured(found, key)) for key, _, title in COLUMNS]
    rows = []
    for series in SERIES:
        added = POSTER_ADDED if series.startswith(POSTER) else REPORT_ADDED
        for title, evidence in columns:
            own = [slope(evidence, series, arm, added) for arm in NAMES]
            if any(own):
                rows.append([titled(series), title, *map(_slope_text, own)])
    return HTML(html_table(["series", "numbers", *NAMES.values()], rows, numeric=range(2, 5)))


def _slope_text(found: Summary | None) -> str:
    if found is None:
        return NONE
    own = interval(found)
    return f"{own.value:.2f}" if math.isnan(own.low) else f"{own.value:.2f} ({own.low:.2f} to {own.high:.2f})"


def below_floor() -> list[tuple[str, str, float, float]]:
    """(condition, arm, published mean, floor), ms, of every published mean that is below what its condition allows."""
    found = []
    for one in published():
        for arm in one.known_arms:
            mean, least = one.arms[arm.name].mean, floor(one.cell, arm).total_ms
            if mean < least:
                found.append((f"{titled(one.table)}: {_condition(one)}", NAMES[arm.name], mean, least))
    return found


def floor_table() -> HTML:
    """What their conditions, as stated, do not allow."""
    rows = [[what, arm, f"{mean:,.0f}", f"{least:,.0f}"] for what, arm, mean, least in below_floor()]
    return HTML(html_table(["condition", "arm", "their mean, ms", "at least, ms"], rows, numeric={2, 3}))
