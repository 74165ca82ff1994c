"""The claims of the thesis's section 4.8 with the software of 2017, of 2024 and of 2026, side by side.

By one criterion. All three columns are of the squares that the sweeps of 2026 have: those of the others are as measured
here for the thesis's figures. Figures are called as in the thesis, whichever column they are measured for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd
from IPython.display import HTML

from longlook.analysis.fairness import ShareVerdict
from longlook.analysis.newest import STUDY as THESIS
from longlook.book import data as book_data
from longlook.book.chapter import QUIC_TCP
from longlook.book.claimed import ClaimPart, largest, most_squares, one_program, same_verdicts, share_parts, verdict
from longlook.book.data import BookData
from longlook.book.flows import contests, transfers
from longlook.book.value import NOT_YET
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import STUDY
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.figure.versus import Versus
from longlook.stack.arms import open_sweep

PANELS = "abcdef"
USUAL = Versus(*QUIC_TCP, PLT)
CUBIC, BBR = Versus("quic-cubic", "tcp-cubic", PLT), Versus("quic-bbr", "tcp-bbr", PLT)
UNASKED = Versus("quic-bbr", "tcp-cubic", PLT)
"""Envoy as it is, beside the controller that Linux has where nobody has chosen another one."""
SWEEPS = ("today-near", "today-far", "today-loss", "today-jitter")
TODAY: dict[str, tuple[str, Versus]] = {
    **{f"4.6{panel}": (f"today-{panel}", CUBIC) for panel in PANELS},
    **{f"4.14{panel}": (f"today-{panel}", BBR) for panel in PANELS},
    "4.11b": ("today-jitter-large", USUAL),
    "4.15b": ("today-jitter", BBR),
    "4.15d": ("today-jitter-many", USUAL),
}
"""Figure of the thesis -> what it is with the software of 2026."""
OLD = {**{f"4.6{panel}": f"4.5{panel}" for panel in PANELS}, "4.11b": "4.11a"}
"""Figure of the thesis -> the same one of gQUIC."""
SHARES = {"2017": (THESIS, "table-4.1-gquic37"), "2024": (THESIS, "table-4.1"), "2026": (STUDY, "today-share")}
THRESHOLD, KINDS = "today-threshold", Versus("plain", "ild0", PLT)
YEARS = tuple(SHARES)
Squares = Callable[[str], pd.DataFrame]
Parts = Sequence[ClaimPart] | str
"""What a column says of a claim; or why it has nothing to say."""


@dataclass(frozen=True)
class Row:
    """A claim; `parts`: by year, `of`: so many there are where everything is measured."""

    text: str
    criterion: str
    parts: Mapping[str, Parts]
    of: int

    def said(self, year: str) -> str:
        """The verdict of a year in words."""
        own = self.parts[year]
        if isinstance(own, str):
            return own
        return verdict(list(own), self.of) if own else NOT_YET


@cache
def planned() -> dict[str, frozenset[tuple[str, float]]]:
    """Series of 2026 -> its squares, page and bandwidth."""
    found: dict[str, set[tuple[str, float]]] = {}
    for name in SWEEPS:
        for cell in open_sweep(name).cells():
            found.setdefault(cell.series, set()).add((cell.workload.id_part, cell.link.bandwidth_mbps))
    return {series: frozenset(squares) for series, squares in found.items()}


def squares_of(data: BookData, year: str) -> Squares:
    """Figure of the thesis -> its tested squares with the software of a year, of those that all years have."""

    def squares(figure: str) -> pd.DataFrame:
        series, versus = TODAY[figure]
        if year == "2026":
            frame = data.squares(STUDY, series, REFERENCE, versus)
        else:
            frame = data.squares(THESIS, OLD[figure] if year == "2017" else figure, REFERENCE, USUAL)
        places = zip(frame["workload"], frame["bandwidth_mbps"], strict=True)
        kept = pd.Series([place in planned()[series] for place in places], index=frame.index, dtype=bool)
        return frame[kept & frame["p_value"].notna()]

    return squares


def rows(data: BookData) -> list[Row]:
    """Every claim, with what each year says."""
    by_year = {year: squares_of(data, year) for year in YEARS}
    most = "QUIC is significantly faster in more than half of the squares, TCP in none, in each of figures"
    return [
        Row(
            "With added latency or loss QUIC is faster than TCP",
            f"{most} 4.6 b, c, e and f (2017: 4.5)",
            {year: _each(squares, [f"4.6{panel}" for panel in "bcef"]) for year, squares in by_year.items()},
            4,
        ),
        Row(
            "What QUIC gains over TCP is the same as with QUIC v1 in 2024",
            "most squares have the same verdict as in 2024, none opposite ones, in each panel of figure 4.6",
            {year: _as_in_2024(by_year, year) for year in YEARS},
            len(PANELS),
        ),
        Row(
            "QUIC CUBIC with N = 2 takes more than its share beside one TCP flow",
            "the 99 % interval of the ratio of the rates lies above 1.1 (table 4.1)",
            {year: _share(data, year, "QUIC vs TCP", "left") for year in YEARS},
            1,
        ),
        Row(
            "With N = 1 it does not",
            "that interval lies within a tenth of 1; open where it reaches beyond and does not lie there",
            {year: _share(data, year, "QUIC (N=1) vs TCP", "none") for year in YEARS},
            1,
        ),
        Row(
            "Under jitter it does better than gQUIC v37",
            "of 10 MB at 100 Mbit/s its difference from TCP is above gQUIC's (figures 4.11a, b)",
            {year: _above_2017(by_year, year) for year in YEARS},
            1,
        ),
        Row(
            "That is the threshold's doing",
            "the same program takes significantly less time with the adaptive threshold than with the static one: of "
            "10 MB in 2024, of 1 MB in 2026, at 100 Mbit/s",
            {"2017": "its server has a static one only", "2024": _one_program(data), "2026": _threshold(data)},
            1,
        ),
        Row(
            "With BBR, QUIC is faster than TCP",
            f"{most} 4.14a to f",
            _with_bbr(by_year, [f"4.14{panel}" for panel in PANELS]),
            len(PANELS),
        ),
        Row(
            "With BBR, QUIC is faster than TCP under jitter too",
            f"{most} 4.15b and d",
            _with_bbr(by_year, ["4.15b", "4.15d"]),
            2,
        ),
    ]


def _each(squares: Squares, figures: Sequence[str]) -> list[ClaimPart]:
    return [part for figure in figures for part in most_squares(figure, squares(figure))]


def _as_in_2024(by_year: Mapping[str, Squares], year: str) -> Parts:
    if year == "2024":
        return "what the others are held against"
    figures = [f"4.6{panel}" for panel in PANELS]
    return [
        part for figure in figures for part in same_verdicts(figure, by_year[year](figure), by_year["2024"](figure))
    ]


def _share(data: BookData, year: str, scenario: str, wanted: ShareVerdict) -> list[ClaimPart]:
    study, series = SHARES[year]
    return share_parts("table 4.1", contests(data, study, series, REFERENCE), scenario, wanted)


def _above_2017(by_year: Mapping[str, Squares], year: str) -> Parts:
    if year == "2017":
        return "what the others are held against"
    own, old = (largest(by_year[one]("4.11b")) for one in (year, "2017"))
    return [
        ClaimPart(
            f"{bandwidth:g} Mbit/s",
            f"{style.signed_pct(own[bandwidth])} %, gQUIC {style.signed_pct(old[bandwidth])} %",
            bool(own[bandwidth] > old[bandwidth]),
        )
        for bandwidth in sorted(set(own.index) & set(old.index))
    ]


def _one_program(data: BookData) -> list[ClaimPart]:
    return one_program(transfers(data, THESIS, "beyond-threshold", REFERENCE))


def _threshold(data: BookData) -> list[ClaimPart]:
    frame = data.squares(STUDY, THRESHOLD, REFERENCE, KINDS)
    return [
        ClaimPart(
            "1 MB at 100 Mbit/s",
            f"in {row['left_mean'] / 1e3:.2f} s instead of {row['right_mean'] / 1e3:.2f} s (means)",
            bool(row["verdict"] == "left"),
        )
        for row in frame.to_dict("records")
        if row["verdict"] is not None
    ]


def _with_bbr(by_year: Mapping[str, Squares], figures: Sequence[str]) -> dict[str, Parts]:
    found: dict[str, Parts] = {"2017": "its server has no BBR"}
    return found | {year: _each(by_year[year], figures) for year in ("2024", "2026")}


def table(data: BookData | None = None) -> HTML:
    """Claims and their criteria down, years across, each with its verdict and the parts' numbers."""
    shown = []
    for row in rows(data or book_data.load()):
        cells = [f"<b>{row.text}</b><br>Criterion: {row.criterion}"]
        for year in YEARS:
            own = row.parts[year]
            lines = [] if isinstance(own, str) else [part.text for part in own]
            cells.append("<br>".join([f"<b>{row.said(year)}</b>" if lines else row.said(year), *lines]))
        shown.append(cells)
    return HTML(html_table(["claim", *YEARS], shown, escape=False))
