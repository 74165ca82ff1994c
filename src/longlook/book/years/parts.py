"""Where the time of a small page goes, by milestone: before its first byte, under way, and in the browser.

Of one load for each browser and protocol, the one nearest to its arm's median: the table `objects` has no others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.loads import LOAD
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import PROTOCOLS, SERIES, SMALLEST, STUDY
from longlook.book.years.milestones import milestones, number_by_stack
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import shown_table

PAGE, MBPS = SMALLEST, 10.0
TIMES = ["started_ms", "answered_ms", "ended_ms"]
Times = tuple[float, float, float]
"""Of an object: when it is asked for, when its first byte is there and when its last, ms after the load began."""


@dataclass(frozen=True)
class Parts:
    """Of one load, ms."""

    set_up: float
    """Until the page's first byte, but for the one round trip that a request takes: connection, TLS and server."""
    browser: float
    """In which nothing is asked for or under way."""
    whole: float
    """The page load time."""


def parts_of(objects: Iterable[Times], whole: float, rtt: float) -> Parts:
    """Of the objects in the order of asking, the page first, and the page load time; all in ms."""
    times = list(objects)
    asked, first_byte, _ = times[0]
    return Parts(first_byte - asked - rtt, whole - _covered(times), whole)


def _covered(times: Iterable[Times]) -> float:
    """Time in which at least one object is under way."""
    total, until = 0.0, -math.inf
    for start, _, end in sorted(times):
        total += max(end - max(start, until), 0.0)
        until = max(until, end)
    return total


Found = Mapping[tuple[int, str], Parts]
"""By milestone and protocol."""


def found(data: BookData, key: str = REFERENCE) -> Found:
    """Of `PAGE` at `MBPS`; what has no load that counts is left out."""
    arms = data.rows("arms", STUDY, SERIES, key)
    arms = arms[(arms["metric"] == PLT.name) & (arms["workload"] == PAGE) & (arms["bandwidth_mbps"] == MBPS)]
    samples = data.rows("samples", STUDY, SERIES, key)
    whole = samples[samples["metric"] == PLT.name].set_index(LOAD)["value"]
    objects = data.rows("objects", STUDY, SERIES, key).sort_values("object")
    loads = dict(list(objects.groupby(LOAD[:3], sort=False)))
    numbers = number_by_stack()
    of = {}
    for row in arms[arms["stack"].isin(numbers)].itertuples():
        load = loads.get((row.campaign, row.cell_id, row.arm))
        if load is not None:
            times = load[TIMES].itertuples(index=False, name=None)
            own = parts_of(times, float(whole[tuple(load[LOAD].iloc[0])]), float(row.rtt_ms))
            of[numbers[row.stack], row.protocol] = own
    return of


def table(data: BookData | None = None) -> HTML:
    """A row for each browser that was measured, of either protocol the parts, ms."""
    of = found(data or book_data.load())
    if not of:
        return HTML(style.NOTHING_YET)
    rows = [
        [one.name, one.released[:4], *chain(*(_texts(of.get((one.number, protocol))) for protocol in PROTOCOLS))]
        for one in milestones()
        if one.stack
    ]
    groups = [("", 2), *((f"{style.PROTOCOL_LABELS[protocol]}, ms", 3) for protocol in PROTOCOLS)]
    head = ["browser", "released", *["set-up", "browser", "whole"] * len(PROTOCOLS)]
    return shown_table(head, rows, numbers_from=2, groups=groups)


def _texts(own: Parts | None) -> list[str]:
    return [style.DASH] * 3 if own is None else [f"{ms:.1f}" for ms in (own.set_up, own.browser, own.whole)]
