"""A client that is slow evenly, and one that is stopped again and again (sweeps/muthuraj2024/smooth-client.toml)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.plan.arm import USUAL_PERIOD_US

SERIES = "smooth-client"
FREE, EVEN, STOPPED = "no limit", "2.5 ms", "10 ms"
"""How the browser is held: by its period."""
PLACE = ["object_count", "bandwidth_mbps"]


@dataclass(frozen=True)
class StopsSquare:
    """One page over one link: its loads by how the browser is held and by protocol."""

    title: str
    loads: Mapping[tuple[str, str], Summary]

    def lead(self, held: str) -> float:
        """Of QUIC over TCP, as a share of TCP's mean."""
        quic, tcp = self.loads[held, "quic"].mean, self.loads[held, "tcp"].mean
        return (tcp - quic) / tcp


def squares(paper: Chapter) -> list[StopsSquare]:
    """Of the reference campaign, by number of objects and bandwidth; those that have every arm."""
    arms = primary(paper.data.rows("arms", paper.study, SERIES, REFERENCE)).sort_values(PLACE)
    found = []
    for _, own in arms.groupby(PLACE, sort=False):
        first = own.iloc[0]
        loads = {(_held(row), row["protocol"]): summary_of(row) for _, row in own.iterrows()}
        if len(loads) == 6:
            found.append(StopsSquare(f"{page(first)}, {first['bandwidth_mbps']:g} Mbit/s", loads))
    return found


def _held(row: pd.Series) -> str:
    if pd.isna(row["client_cpu_pct"]):
        return FREE
    period = USUAL_PERIOD_US if pd.isna(row["cpu_period_us"]) else row["cpu_period_us"]
    return f"{period / 1000:g} ms"


def table(paper: Chapter) -> HTML:
    """Means of both protocols by how the browser is held, and QUIC's lead."""
    found = squares(paper)
    if not found:
        return HTML(style.NOTHING_YET)
    rows = [[one.title, *(text for held in (FREE, EVEN, STOPPED) for text in _numbers(one, held))] for one in found]
    groups = [("", 1), *((f"period {held}" if held != FREE else held, 3) for held in (FREE, EVEN, STOPPED))]
    head = ["page", *["QUIC, ms", "TCP, ms", "lead, %"] * 3]
    return HTML(html_table(head, rows, numeric=set(range(1, 10)), groups=groups))


def _numbers(square: StopsSquare, held: str) -> list[str]:
    means = [square.loads[held, protocol] for protocol in ("quic", "tcp")]
    return [*(f"{one.mean:.0f} ± {one.sd:.0f}" for one in means), style.signed_pct(square.lead(held) * 100)]
