"""The page *What if*: the floor of a condition that its reader chooses, and the measured cells nearest to it.

The page computes both itself (`book/_static/whatif.js`, a port of `experiment/floor.py`); what it needs of the data is
put into it here. Readers without scripts have a table of a few conditions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from IPython.display import HTML

from longlook import paths
from longlook.analysis.compared import ComparedMean
from longlook.analysis.newest import STUDY
from longlook.book.chapters import chapter_series, chapters
from longlook.book.data import BookData, load
from longlook.book.front import ComparedSquare, squares
from longlook.experiment.floor import floor
from longlook.figure import style
from longlook.figure.heatmap import QUIC_TCP
from longlook.figure.runs import finite
from longlook.figure.table import html_table, short_verdicts
from longlook.figure.versus import SIDES, least_told_pct, told_text
from longlook.plan.cell import Cell

STACKS = {"quicv1": "QUIC v1", "gquic37": "gQUIC"}
"""What readers call the stacks of the cells."""
COLUMNS = (
    "figure", "stack", "bandwidth_mbps", "rtt_ms", "loss_pct", "size_bytes", "count",
    "published_quic_ms", "published_tcp_ms", "published_faster",
    "measured_quic_ms", "measured_tcp_ms", "measured_faster",
)  # fmt: skip
"""Of a cell in the page: its conditions, means of page load times in ms, verdicts in words."""
DIGITS = 1


@dataclass(frozen=True)
class Condition:
    """One line of the static table: Mbit/s, ms, KB (`plan/workload.py`) of each of `count` objects."""

    bandwidth_mbps: float
    rtt_ms: float
    size_kb: int
    count: int


EXAMPLES = (
    Condition(10, 36, 100, 1),
    Condition(50, 36, 1000, 1),
    Condition(50, 36, 10, 100),
    Condition(50, 112, 1000, 1),
    Condition(100, 112, 10_000, 1),
)
QUIC = {"stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium"}
TCP = {"stack": "quicv1", "protocol": "tcp", "server": "apache", "client": "chromium"}
ARMS: Mapping[str, Mapping[str, Any]] = {
    "QUIC, 0-RTT": QUIC | {"handshake": "0rtt"},
    "QUIC, 1-RTT": QUIC | {"handshake": "1rtt"},
    "TCP": TCP,
}
HEAD = ("condition", "protocol", "handshake, ms", "requests, ms", "slow start, ms", "serialisation, ms", "floor, ms")


def panel(data: BookData | None = None) -> HTML:
    """Room for the panel, which `whatif.js` makes, and its data."""
    content = {"columns": COLUMNS, "cells": measured_cells(data or load()), "pages": pages()}
    # As in figure/live.py: nothing in the text may end the element.
    inline = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return HTML(
        '<div class="ll-whatif ll-screen" id="what-if-panel">'
        f'<script type="application/json" class="ll-data">{inline}</script>'
        '<noscript><p class="ll-note">Scripts are off: the table below has a few conditions.</p></noscript></div>'
    )


def measured_cells(data: BookData) -> list[list[Any]]:
    """`COLUMNS` of each published cell of the thesis without jitter that a reference campaign has, the newest one's."""
    own = [one for one in squares(data) if one.compared.study == STUDY]
    return [_row(one) for one in own if not one.printed.cell.link.jitter_ms]


def _row(one: ComparedSquare) -> list[Any]:
    cell = one.printed.cell
    known = {mean.arm: mean for mean in one.compared.means}
    quic, tcp = (known[arm] for arm in (QUIC_TCP.left, QUIC_TCP.right))
    (verdict,) = one.compared.verdicts
    found: list[Any] = [one.compared.series, STACKS.get(cell.stacks[0], cell.stacks[0])]
    found += [cell.link.bandwidth_mbps, cell.link.rtt_ms, cell.link.loss_pct]
    found += [cell.workload.object_bytes, cell.workload.object_count]
    for column, said in (("published", verdict.published), ("measured", verdict.measured)):
        means = [finite(getattr(mean, f"{column}_mean"), DIGITS) for mean in (quic, tcp)]
        found += [*means, _faster(said, column, quic, tcp)]
    return found


def _faster(verdict: str | None, column: str, quic: ComparedMean, tcp: ComparedMean) -> str:
    """`QUIC`, `TCP`, or `none (12 %)`: what would have been told."""
    row: dict[Any, Any] = {"verdict": verdict}
    for side, mean in zip(SIDES, (quic, tcp), strict=True):
        row |= {f"{side}_{name}": getattr(mean, f"{column}_{name}") for name in ("mean", "sd", "n")}
    told = told_text(least_told_pct(row, QUIC_TCP))
    return short_verdicts(QUIC_TCP)[verdict] + (f" ({told})" if told else "")


def pages() -> dict[str, str]:
    """Series of the thesis -> address, from book/, of its heatmap: in the chapter that shows the fewest sweeps."""
    found: dict[str, str] = {}
    own = [info for info in chapters().values() if info.path.parent == paths.BOOK / STUDY]
    for info in sorted(own, key=lambda info: len(info.sweeps)):
        page = info.path.relative_to(paths.BOOK).with_suffix(".html").as_posix()
        for series in chapter_series(info.name):
            found.setdefault(series, f"{page}#figure-{series.replace('.', '-')}")
    return found


def examples() -> HTML:
    """The floors of `EXAMPLES` with their parts, ms."""
    rows = []
    for condition in EXAMPLES:
        for name, arm in ARMS.items():
            cell = cell_of(condition, arm)
            least = floor(cell, cell.arms[0])
            parts = (least.handshake_ms, least.requests_ms, least.slow_start_ms, least.serialisation_ms, least.total_ms)
            page = style.workload_label("", cell.workload.object_bytes or 0, cell.workload.object_count, True)
            rows.append([f"{page}, {cell.link.label}", name, *(f"{part:,.1f}" for part in parts)])
    starts = set(range(len(ARMS), len(rows), len(ARMS)))
    return HTML(html_table(HEAD, rows, numeric=set(range(2, len(HEAD))), starts=starts))


def cell_of(condition: Condition, arm: Mapping[str, Any]) -> Cell:
    """A page load of one arm under a condition, as a cell of the plan."""
    return Cell.parse(
        {
            "study": STUDY,
            "series": "what-if",
            "experiment": "plt",
            "arms": [arm],
            "workload": {"size_kb": condition.size_kb, "count": condition.count},
            "link": {"bandwidth_mbps": condition.bandwidth_mbps, "rtt_ms": condition.rtt_ms},
        }
    )
