"""What became of the hypothesis about initial windows, cell by cell: QUIC's leads in ms, each with its 99 % interval.

The hypothesis stands in beyond.md: with equal windows the lead with 5 KB stays as it is, and that with 100 KB falls to
about that of 5 KB.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.combined import Interval, combined
from longlook.analysis.welch import Summary, summary_of
from longlook.book.chapter import Chapter
from longlook.book.data import COLUMNS, BookData
from longlook.book.muthuraj2024.causes import VERSUS, WINDOWS
from longlook.book.value import Measured, NotMeasured, StatedNumber, number
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.figure.versus import SIDES
from longlook.record.parquet import records

SMALL, LARGE = "5kb-x1", "100kb-x1"
USUAL = next(iter(WINDOWS))
Parts = tuple[tuple[float, Summary], ...]


@dataclass(frozen=True)
class WindowLeads:
    """Both pages with one pair of windows at one bandwidth, and the same pages with the usual windows."""

    bandwidth_mbps: float
    series: str
    small: Parts
    large: Parts
    usual_small: Parts
    usual_large: Parts

    @property
    def small_changes(self) -> Interval:
        """By how much the lead with 5 KB changes; as predicted where it may be 0."""
        return combined((*self.small, *_less(self.usual_small)))

    @property
    def large_changes(self) -> Interval:
        """The same with 100 KB; as predicted where it is below 0."""
        return combined((*self.large, *_less(self.usual_large)))

    @property
    def large_above_small(self) -> Interval:
        """By how much the lead with 100 KB is above that with 5 KB; as predicted where it may be 0."""
        return combined((*self.large, *_less(self.small)))


def _less(parts: Parts) -> Parts:
    return tuple((-factor, one) for factor, one in parts)


def window_leads(data: BookData, study: str, key: str) -> list[WindowLeads]:
    """Of one column, by bandwidth and pair of windows, the usual ones first; none where a page is missing."""
    cells = {
        (row["series"], row["bandwidth_mbps"], row["workload"]): _lead(row)
        for series in WINDOWS
        for row in records(data.squares(study, series, key, VERSUS))
    }
    bandwidths = sorted({bandwidth for _, bandwidth, _ in cells})
    places = [(bandwidth, series) for bandwidth in bandwidths for series in WINDOWS]
    found = []
    for bandwidth, series in places:
        wanted = [(one, bandwidth, page) for one in (series, USUAL) for page in (SMALL, LARGE)]
        if all(place in cells for place in wanted):
            found.append(WindowLeads(bandwidth, series, *(cells[place] for place in wanted)))
    return found


def _lead(row: dict) -> Parts:
    """TCP's mean less QUIC's."""
    quic, tcp = (summary_of(row, f"{side}_") for side in SIDES)
    return (1.0, tcp), (-1.0, quic)


def leads_table(paper: Chapter) -> HTML:
    """Leads and what the windows change of them, by bandwidth and pair of windows; a table for each column."""
    head = ["Mbit/s", "windows", "lead, ms", "changed by", "lead, ms", "changed by", "above that of 5 KB"]
    groups = [("", 2), ("5 KB", 2), ("100 KB", 3)]
    parts = []
    for key, _, title in COLUMNS:
        rows = []
        for one in window_leads(paper.data, paper.study, key):
            leads = [_text(combined(parts)) for parts in (one.small, one.large)]
            usual = one.series == USUAL
            changes = ["–" if usual else _text(change, True) for change in (one.small_changes, one.large_changes)]
            above = _text(one.large_above_small, True)
            rows.append([f"{one.bandwidth_mbps:g}", WINDOWS[one.series],
                         leads[0], changes[0], leads[1], changes[1], above])  # fmt: skip
        if rows:
            parts.append(f"<p>{title}</p>" + html_table(head, rows, numeric=set(range(2, 7)), groups=groups))
    return HTML("".join(parts) or style.NOTHING_YET)


def _text(one: Interval, sign: bool = False) -> str:
    """`72 (69 to 75)`; with signs and tenths where they are changes."""
    if math.isnan(one.low):
        return "–"
    form = "{:+.1f}" if sign else "{:.0f}"
    texts = [form.format(number).replace("-", style.MINUS) for number in (one.value, one.low, one.high)]
    return f"{texts[0]} ({texts[1]} to {texts[2]})"


@number
def counted(m: Measured, true: Callable[[WindowLeads], bool], bandwidth_mbps: float | None = None) -> StatedNumber:
    """In how many of the cells with equal windows something is true: `4 of 4`."""
    known = [one for one in window_leads(m.data, m.study, m.key) if one.series != USUAL]
    own = [one for one in known if bandwidth_mbps in (None, one.bandwidth_mbps)]
    if not own:
        raise NotMeasured("the sweep beyond-window is not measured")
    rows = m.data.rows("cells", m.study, tuple(WINDOWS), m.key)
    files = ", ".join(f"data/raw/{campaign}" for campaign in pd.unique(rows["campaign"]))
    return StatedNumber(f"{sum(map(true, own))} of {len(own)}", f"beyond-window, 99 % intervals; from {files}")
