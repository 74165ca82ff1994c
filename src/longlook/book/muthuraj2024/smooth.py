"""A client that is slow evenly, and one that is stopped again and again: what became of the predictions.

They stand in sweeps/muthuraj2024/smooth-client.toml and were written before the campaign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.contrast import contrast
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.predicted import Prediction
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.plan.arm import USUAL_PERIOD_US

SERIES = "smooth-client"
FREE, EVEN, STOPPED = "no limit", "2.5 ms", "10 ms"
"""How the browser is held: by its period."""
PLACE = ["object_count", "bandwidth_mbps"]
SLOWER, TCP_AT_MOST = 3, 1


@dataclass(frozen=True)
class Square:
    """One page over one link: its loads by how the browser is held and by protocol."""

    title: str
    loads: Mapping[tuple[str, str], Summary]

    def verdict(self, left: tuple[str, str], right: tuple[str, str]) -> str | None:
        """Welch's: which is faster."""
        return contrast(self.loads[left], self.loads[right]).verdict

    def lead(self, held: str) -> float:
        """Of QUIC over TCP, as a share of TCP's mean."""
        quic, tcp = self.loads[held, "quic"].mean, self.loads[held, "tcp"].mean
        return (tcp - quic) / tcp


def squares(paper: Chapter) -> list[Square]:
    """Of the reference campaign, by number of objects and bandwidth; those that have every arm."""
    arms = primary(paper.data.rows("arms", paper.study, SERIES, REFERENCE)).sort_values(PLACE)
    found = []
    for _, own in arms.groupby(PLACE, sort=False):
        first = own.iloc[0]
        loads = {(_held(row), row["protocol"]): summary_of(row) for _, row in own.iterrows()}
        if len(loads) == 6:
            found.append(Square(f"{page(first)}, {first['bandwidth_mbps']:g} Mbit/s", loads))
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


def _numbers(square: Square, held: str) -> list[str]:
    means = [square.loads[held, protocol] for protocol in ("quic", "tcp")]
    return [*(f"{one.mean:.0f} ± {one.sd:.0f}" for one in means), style.signed_pct(square.lead(held) * 100)]


def predictions(paper: Chapter) -> tuple[Prediction, ...]:
    """None before it is measured."""
    found = squares(paper)
    return (slower(found), no_blue(found), smaller_lead(found)) if found else ()


def slower(found: Sequence[Square]) -> Prediction:
    """The first: QUIC suffers from stops, TCP does not."""
    higher = sum(one.loads[STOPPED, "quic"].mean > one.loads[EVEN, "quic"].mean for one in found)
    apart = {
        protocol: sum(one.verdict((EVEN, protocol), (STOPPED, protocol)) != "none" for one in found)
        for protocol in ("quic", "tcp")
    }
    return Prediction(
        f"QUIC is slower where the browser is stopped for longer, significantly at {SLOWER} of 4 at least; TCP differs "
        f"at {TCP_AT_MOST} at most",
        f"QUIC slower at {higher} of {len(found)}, significantly different at {apart['quic']}; TCP at {apart['tcp']}",
        higher == len(found) and apart["quic"] >= SLOWER and apart["tcp"] <= TCP_AT_MOST,
    )


def no_blue(found: Sequence[Square]) -> Prediction:
    """The second: an evenly slow client makes no square blue."""
    blue = sum(one.verdict((EVEN, "quic"), (EVEN, "tcp")) == "right" for one in found)
    return Prediction(
        "on a client that is slow evenly TCP is significantly faster at no square",
        f"at {blue} of {len(found)}",
        blue == 0,
    )


def smaller_lead(found: Sequence[Square]) -> Prediction:
    """The third: the stops take from QUIC's lead."""
    less = sum(one.lead(STOPPED) < one.lead(EVEN) for one in found)
    return Prediction(
        "the stops make QUIC's lead smaller at every square", f"at {less} of {len(found)}", less == len(found)
    )
