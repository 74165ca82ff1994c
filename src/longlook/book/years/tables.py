"""Tables of the chapter on the years: where a browser changed, what its processor is used for, 10 MB by each."""

from __future__ import annotations

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.years.evidence import (
    AXIS,
    BASE,
    FAST,
    LARGEST,
    LOSS,
    MANY,
    PROTOCOLS,
    CellByMilestone,
    MilestoneChange,
    cells,
    changes,
    mean_text,
    summaries,
)
from longlook.book.years.milestones import milestones
from longlook.figure import style
from longlook.figure.table import shown_table

VERSIONS = {
    "gquic37": "64: Q037", "c64q039": "64: Q039",
    "c92q043": "92: Q043", "c92d29": "92: draft 29", "c92": "92: version 1",
}  # fmt: skip
"""Stack -> milestone and version of QUIC."""


def change_table(data: BookData | None = None) -> HTML:
    """Steps from one milestone to the next that change page load times in at least one cell; the most telling first."""
    found = [one for one in changes(cells(data or book_data.load())) if one.significant]
    head = ["over", "from", "to", "cells that change", "slower", "faster", "the largest change", "in"]
    return shown_table(head, [_row(one) for one in found], numeric={3, 4, 5, 6})


def _row(one: MilestoneChange) -> list[str]:
    largest = one.largest
    slower = sum(step.ratio.value > 1 for step in one.significant)
    return [
        style.PROTOCOL_LABELS[one.protocol],
        str(one.before.number),
        str(one.after.number),
        f"{len(one.significant)} of {len(one.steps)}",
        str(slower),
        str(len(one.significant) - slower),
        "" if largest is None else f"{style.signed_pct((largest.ratio.value - 1) * 100)} %",
        "" if largest is None else largest.place.title,
    ]


def verdict_table(data: BookData | None = None) -> HTML:
    """By how much QUIC is faster than TCP in each cell, %, with the oldest browser, the thesis's and the newest."""
    data = data or book_data.load()
    measured = [one for one in milestones() if one.stack]
    shown = [measured[0], *(one for one in measured if one.number == BASE), measured[-1]]
    rows = [
        [one.place.title, loss, *(_lead(one, milestone.number) for milestone in shown)]
        for series, loss in ((AXIS, "none"), (LOSS, "1 %"))
        for one in cells(data, series=series)
    ]
    head = ["page", "loss", *(f"{one.name}, {one.released[:4]}" for one in shown)]
    return shown_table(head, rows, numeric={2, 3, 4})


def _lead(cell: CellByMilestone, number: int) -> str:
    lead = cell.lead(number)
    if lead is None:
        return style.DASH
    text = f"{style.signed_pct(lead.pct)} %"
    return text if lead.verdict != "none" else f"({text})"


def cpu_table(data: BookData | None = None) -> HTML:
    """Seconds of the browser's processor for one load of a hundred objects at 100 Mbit/s, by milestone."""
    found = [one for one in cells(data or book_data.load()) if is_busiest(one)]
    if not found:
        return HTML(style.NOTHING_YET)
    (cell,) = found
    rows = [
        [one.name, one.released[:4], *(mean_text(cell.cpu.get((one.number, protocol)), 3) for protocol in PROTOCOLS)]
        for one in milestones()
        if one.stack
    ]
    return shown_table(["browser", "released", "QUIC, s", "TCP, s"], rows, numeric={2, 3})


def is_busiest(one: CellByMilestone) -> bool:
    """The cell in which a browser has most to do."""
    return one.place.workload == MANY and one.place.bandwidth_mbps == FAST


def versions_table(data: BookData | None = None) -> HTML:
    """QUIC's page load times of one browser by version, ms."""
    places = ("bandwidth_mbps", "object_count", "object_bytes", "workload")
    found = summaries(data or book_data.load(), "years-versions", *places, "stack")
    rows = [
        [_page(workload), f"{mbps:g}", *(mean_text(found.get((mbps, *page, workload, one)), 1) for one in VERSIONS)]
        for mbps, *page, workload in sorted({place[:-1] for place in found})
    ]
    return shown_table(["page", "Mbit/s", *VERSIONS.values()], rows)


def _page(workload: str) -> str:
    size, count = workload.split("-x")
    return f"{size.removesuffix('kb')} KB" + (f" {style.TIMES} {count}" if count != "1" else "")


LARGE_LOSS = ("years-large-loss",)


def large_table(data: BookData | None = None) -> HTML:
    """A row per browser: mean and standard deviation of both protocols in each cell, s."""
    data = data or book_data.load()
    found = [(one, "") for one in cells(data) if one.place.workload == LARGEST]
    found += [(one, ", 1 % loss") for one in cells(data, series=LARGE_LOSS)]
    rows = [
        [one.name, *(_mean_s(cell, one.number, protocol) for cell, _ in found for protocol in PROTOCOLS)]
        for one in milestones()
        if any((one.number, protocol) in cell.times for cell, _ in found for protocol in PROTOCOLS)
    ]
    head = ["browser", *(style.PROTOCOL_LABELS[protocol] for _ in found for protocol in PROTOCOLS)]
    groups = [("", 1), *((f"{cell.place.bandwidth_mbps:g} Mbit/s{loss}, s", len(PROTOCOLS)) for cell, loss in found)]
    return shown_table(head, rows, numbers_from=1, groups=groups)


def _mean_s(cell: CellByMilestone, number: int, protocol: str) -> str:
    own = cell.times.get((number, protocol))
    return style.DASH if own is None else f"{own.mean / 1000:.2f} ± {own.sd / 1000:.2f}"
