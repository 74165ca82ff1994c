"""The claims of the thesis's section 4.8 with the software of 2017, of 2024 and of 2026, side by side.

By one criterion (`data/published/years/section-4.8.toml`). All three columns are of the squares that the sweeps of 2026
have: those of the others are as measured here for the thesis's figures. Figures are called as in the thesis, whichever
column they are measured for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any

from IPython.display import HTML

from longlook.analysis.evidence import Column
from longlook.analysis.newest import STUDY as THESIS
from longlook.book import data as book_data
from longlook.book.chapter import QUIC_TCP
from longlook.book.claimed import ClaimPart, claims_table
from longlook.book.data import BookData
from longlook.book.evidence import columns_of
from longlook.book.judged import judged_claims
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import STUDY
from longlook.experiment.metrics import PLT
from longlook.figure.versus import Versus
from longlook.plan.conditions import Row
from longlook.plan.statements import Claims
from longlook.published.claims import claims_of
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
Sources = Mapping[str, tuple[str, Versus | None]]
"""Figure, table or transfers of the thesis -> the series that has them, and its arms where others are beside them."""
SOURCES: Mapping[str, Sources] = {
    "2017": {**{name: (old, USUAL) for name, old in OLD.items()}, "table-4.1": ("table-4.1-gquic37", None)},
    "2024": {
        **{name: (name, USUAL) for name in TODAY},
        **{name: (name, None) for name in ("table-4.1", "beyond-threshold")},
    },
    "2026": {**TODAY, "table-4.1": ("today-share", None), "today-threshold": ("today-threshold", None)},
}
YEARS = tuple(SOURCES)


@cache
def planned() -> dict[str, frozenset[tuple[str, float]]]:
    """Series of 2026 -> its squares, page and bandwidth."""
    found: dict[str, set[tuple[str, float]]] = {}
    for name in SWEEPS:
        for cell in open_sweep(name).cells():
            found.setdefault(cell.series, set()).add((cell.workload.id_part, cell.link.bandwidth_mbps))
    return {series: frozenset(squares) for series, squares in found.items()}


def columns(data: BookData) -> dict[str, Column]:
    """Year -> its evidence, by figures of the thesis."""
    found: dict[str, Column] = {}
    for year, sources in SOURCES.items():
        base = columns_of(data, STUDY if year == "2026" else THESIS)[REFERENCE]
        found[year] = Column(partial(_rows, base, sources), numbered=_numbered, of_study=lambda year: found[year])
    return found


def _numbered(row: Row, metric: str) -> Mapping[Any, float]:
    """The loads of an arm as its own study calls it; of two years each has its own."""
    return row["numbered"](metric)


def _rows(base: Column, sources: Sources, name: str) -> list[Row]:
    """Of a figure those of the squares that 2026 has, with its arms as the thesis calls them."""
    series, versus = sources.get(name, ("", None))
    arms = {} if versus is None else dict(zip((versus.left, versus.right), QUIC_TCP, strict=True))
    places = planned()[TODAY[name][0]] if name in TODAY else None
    return [
        {**row, "series": name, "arm": arms.get(row["arm"], row["arm"]), "numbered": partial(base.numbered, row)}
        for row in (base.of_series(series) if series else ())
        if row["arm"] in (arms or [row["arm"]])
        and (places is None or (row["workload"], row["bandwidth_mbps"]) in places)
    ]


def claims() -> Claims:
    """Those of the section, and why a year has nothing to say of one."""
    return claims_of(STUDY, name="section-4.8.toml")


@lru_cache(maxsize=2)
def parts(data: BookData) -> dict[str, list[Sequence[ClaimPart] | str]]:
    """Year -> of each claim what its numbers say, or why it has none."""
    own = claims()
    reasons = {(one.about, one.says): one.why for one in own.undecided}
    return {
        year: [
            reasons.get((year, claim.says)) or one.parts
            for claim, one in zip(own.claims, judged_claims(own, columns, data, year), strict=True)
        ]
        for year in YEARS
    }


def table(data: BookData | None = None) -> HTML:
    """Claims and their criteria down, years across, each with its verdict and the parts' numbers."""
    return HTML(claims_table(claims().claims, parts(data or book_data.load()), "today"))
