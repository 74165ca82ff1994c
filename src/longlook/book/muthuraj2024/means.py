"""Means by page and link of a browser that is stopped; and sweeps of what serves TCP's pages, and of one cost per
request on every link. What was foretold of each stands in its sweep."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from IPython.display import HTML

from longlook.analysis.evidence import Column
from longlook.analysis.welch import Summary
from longlook.book.chapter import Chapter
from longlook.book.evidence import columns_of
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import shown_table

STOPPED = "smooth-client"
FREE = "no limit"
HELD = {FREE: "full", "2.5 ms": "45pct-period2500us", "10 ms": "45pct-period10000us"}
"""How the browser is held, by its period -> the end of its arms' names."""
QUICV1, GQUIC37 = "one-cost", "one-cost-gquic37"
USUAL = {QUICV1: ("4.6d", "4.6f"), GQUIC37: ("4.5d", "4.5f")}
"""Series of the same pages without a cost."""
PLACE = ("workload", "bandwidth_mbps", "rtt_ms", "loss_pct")


def stopped(paper: Chapter) -> HTML:
    """Means of both protocols by how the browser is held, and QUIC's lead; a row for each page and link that has every
    mean."""
    column = columns_of(paper.data, paper.study)[REFERENCE]
    order = ("object_count", "bandwidth_mbps")
    places = {tuple(row[name] for name in PLACE): row for row in column.rows([STOPPED], PLT.name)}
    rows = []
    for place, row in sorted(places.items(), key=lambda one: [one[1][name] for name in order]):
        where = dict(zip(PLACE, place, strict=True))
        told = [_told(column, held, where) for held in HELD.values()]
        if all(told):
            rows.append(
                [f"{page(pd.Series(row))}, {row['bandwidth_mbps']:g} Mbit/s", *(one for own in told for one in own)]
            )
    groups = [("", 1), *((f"period {held}" if held != FREE else held, 3) for held in HELD)]
    head = ["page", *["QUIC, ms", "TCP, ms", "lead, %"] * 3]
    return shown_table(head, rows, numeric=set(range(1, 10)), groups=groups)


def _told(column: Column, held: str, where: Mapping[str, object]) -> list[str]:
    quic, tcp = (
        column.summary(STOPPED, f"{protocol}-client-{held}", PLT.name, **where) for protocol in ("quic", "tcp")
    )
    if quic is None or tcp is None:
        return []
    return [_times(quic), _times(tcp), style.signed_pct((tcp.mean - quic.mean) / tcp.mean * 100)]


def _times(one: Summary) -> str:
    return f"{one.mean:.0f} ± {one.sd:.0f}"
