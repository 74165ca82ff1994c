"""Page load times of one arm by the steps of one condition, beside the published mean: what a request costs the QUIC
server, what a send costs the client, and the slow start threshold that TCP remembers.

What was foretold stands in the sweeps of these names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
from IPython.display import HTML

from longlook.analysis.welch import Summary, summarise
from longlook.book.chapter import Chapter
from longlook.book.data import COLUMNS
from longlook.book.evidence import columns_of
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.figure.steps import LOADS, NONE, TITLE_BREAK, Axis, step_row, steps_chart, told
from longlook.plan.conditions import Row

QUICV1, GQUIC37, REMEMBERED = "request-cost", "request-cost-gquic37", "remembered-threshold"
SENDS, SENDS_TCP = "send-cost", "send-cost-tcp"
PLACE = ("workload", "bandwidth_mbps", "rtt_ms", "loss_pct")


@dataclass(frozen=True)
class SteppedSeries:
    """A series whose arms differ in one condition."""

    condition: str
    without: float
    """As which the arm counts that does not have it: the first step, or the last."""
    published_in: tuple[str, ...]
    """Series, of which the first that has a page counts."""
    axis: Axis
    link: Callable[[Row], str]
    """What a panel's title says of it beside the rate."""
    order: Callable[[Row], tuple[Any, ...]]
    """Of panels."""
    alt_text: str
    with_loads: bool = True
    """Whether every load is drawn."""
    series: str = ""
    """Default: as it is called in `STEPPED`."""
    protocol: str = "quic"
    """Of the arms, where the series has both with the condition."""


_COST = partial(
    SteppedSeries,
    "request_cost_us",
    0,
    axis=Axis("cost per request, µs", "PLT of QUIC, ms", "left"),
    link=lambda row: f"RTT {row['rtt_ms']:g} ms",
    order=lambda row: (row["rtt_ms"], row["object_count"], row["bandwidth_mbps"]),
    alt_text="Page load times of QUIC against what each request costs the server, a panel per page and link",
)
_SENDS = partial(
    SteppedSeries,
    "send_cost_us",
    0,
    ("4.6d", "4.6f"),
    link=lambda row: f"RTT {row['rtt_ms']:g} ms",
    order=lambda row: (row["rtt_ms"], row["object_count"]),
    alt_text="Page load times against what each send costs the client, a panel per page and link",
)
STEPPED = {
    QUICV1: _COST(("4.6d", "4.6f")),
    GQUIC37: _COST(("4.5d", "4.5f")),
    SENDS: _SENDS(axis=Axis("cost per send, µs", "PLT of QUIC, ms", "left")),
    SENDS_TCP: _SENDS(axis=Axis("cost per send, µs", "PLT of TCP, ms", "right"), series=SENDS, protocol="tcp"),
    REMEMBERED: SteppedSeries(
        "remembered_ssthresh",
        math.inf,
        ("4.5b", "4.5e", "4.5a", "4.5d"),
        Axis("threshold, packets", "PLT of TCP, ms", "right"),
        lambda row: f"{row['loss_each_way_pct']:g} % loss each way" if row["loss_pct"] else "no loss",
        lambda row: (-row["loss_pct"], row["bandwidth_mbps"], row["object_count"], row["object_bytes"]),
        "Page load time of TCP against the slow start threshold that it begins with, a panel per page",
        with_loads=False,
        protocol="tcp",
    ),
}


@dataclass(frozen=True)
class SteppedPage:
    """One page over one link, with every step."""

    title: str
    published: Summary | None
    loads: Mapping[str, Sequence[float]]
    """Step, in order -> PLT of each load, ms."""


def pages(paper: Chapter, series: str, key: str = REFERENCE) -> list[SteppedPage]:
    """Those that have every step more than once."""
    spec, columns = STEPPED[series], columns_of(paper.data, paper.study)
    printed = columns[PUBLISHED.key].rows(spec.published_in, PLT.name)
    by_place: dict[tuple[Any, ...], list[Row]] = {}
    rows = columns[key].rows([spec.series or series], PLT.name)
    for row in sorted((row for row in rows if row["protocol"] == spec.protocol), key=spec.order):
        by_place.setdefault(tuple(row[name] for name in PLACE), []).append(row)
    found = []
    for place, own in by_place.items():
        steps = sorted(own, key=lambda row: row[spec.condition] or spec.without)
        loads = {_step(row[spec.condition]): columns[key].loads(row) for row in steps}
        same = [row for row in printed if tuple(row[name] for name in PLACE) == place]
        known = [Summary(row["mean"], row["sd"], row["n"]) for row in same if row["protocol"] == spec.protocol]
        title = f"{page(pd.Series(own[0]))}, {own[0]['bandwidth_mbps']:g} Mbit/s{TITLE_BREAK}{spec.link(own[0])}"
        if NONE in loads and all(len(one) > 1 for one in loads.values()):
            found.append(SteppedPage(title, known[0] if known else None, loads))
    return found


def _step(value: float | None) -> str:
    return NONE if value is None else f"{value:g}"


def figure(paper: Chapter, series: str) -> LiveChart | HTML:
    """The reader's own loads, else the reference ones, by step, a panel per page and link."""
    found = next(filter(None, (pages(paper, series, key) for key, _, _ in reversed(COLUMNS))), None)
    if found is None:
        return HTML(style.NOTHING_YET)
    spec = STEPPED[series]
    frame = pd.DataFrame(
        [step_row(one.title, step, summarise(own), one.published) for one in found for step, own in one.loads.items()]
    )
    every = [(one.title, step, value) for one in found for step, own in one.loads.items() for value in own]
    loads = pd.DataFrame(every, columns=LOADS) if spec.with_loads else None
    return LiveChart(
        name=series,
        chart=steps_chart(frame, spec.axis, loads),
        narrow=steps_chart(frame, spec.axis, loads, in_a_row=1),
        alt_text=f"{spec.alt_text}; dashed the published mean with its 99 % prediction interval. {told(frame)}",
        hint="Point at a mean for its numbers.",
    )
