"""Two rules for when a cost per request ends slow start early, held against every page with a stated cost.

No record has a load's window or its RTT samples: that a load left slow start early is told by its page load time, which
then lies in a group of its own. Where the link limits a page, at 10 Mbit/s, it does not, and such cells are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from IPython.display import HTML

from longlook.analysis.early_exit import RULES, Rule, early_loads, excess_ms
from longlook.book.chapter import Chapter
from longlook.book.evidence import columns_of
from longlook.book.flows import page
from longlook.book.muthuraj2024 import means, steps
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.dots import DOTS, live_dots
from longlook.figure.live import LiveChart
from longlook.figure.table import shown_table
from longlook.plan.conditions import Row

SEEN = (steps.QUICV1, steps.GQUIC37)
"""Sweeps that the rules were thought out with."""
UNSEEN = (means.QUICV1, means.GQUIC37)
STACKS = {"quicv1": "QUIC v1", "gquic37": "gQUIC"}
NARROW_MBPS = 10.0
HALF = 0.5


@dataclass(frozen=True)
class EarlyExitPage:
    """One page over one link with one cost of a request."""

    stack: str
    title: str
    requests: int
    cost_us: float
    rtt_ms: float
    early: int
    """Loads, of `loads`, in the group of those that left slow start early."""
    loads: int
    seen: bool
    """Whether the rules were thought out with it."""

    @property
    def share(self) -> float:
        return self.early / self.loads

    def excess_ms(self, rule: Rule) -> float:
        """By how much the RTT samples rise above what slow start bears, by a rule."""
        return excess_ms(rule, self.requests, self.cost_us, self.rtt_ms)

    def is_right(self, rule: Rule) -> bool:
        """Whether the rule tells what more than half of the loads did."""
        return (self.excess_ms(rule) > 0) == (self.share > HALF)


def pages(paper: Chapter) -> list[EarlyExitPage]:
    """Of the reference campaigns; those whose loads without a cost are known too."""
    return [one for series in (*SEEN, *UNSEEN) for one in _of(paper, series)]


def _of(paper: Chapter, series: str) -> list[EarlyExitPage]:
    loads = _loads(paper, [series])
    usual = loads if series in SEEN else _loads(paper, means.USUAL[series])
    plain = {_place(row): own for row, own in usual if row["request_cost_us"] is None}
    found = []
    costly = [one for one in loads if one[0]["request_cost_us"] is not None]
    for row, own in sorted(costly, key=lambda one: (_place(one[0]), one[0]["request_cost_us"])):
        if not own or not plain.get(_place(row)):
            continue
        objects, cost_us = int(row["object_count"]), float(row["request_cost_us"])
        early = early_loads(own, plain[_place(row)], objects * cost_us / 1e3)
        title = f"{page(pd.Series(row))}, {row['bandwidth_mbps']:g} Mbit/s"
        about = (STACKS[row["stack"]], title, objects, cost_us, float(row["rtt_ms"]))
        found.append(EarlyExitPage(*about, early, len(own), series in SEEN))
    return found


def _loads(paper: Chapter, series: Sequence[str]) -> list[tuple[Row, Sequence[float]]]:
    """QUIC's loads of the reference campaigns, by arm, where the link does not limit them."""
    column = columns_of(paper.data, paper.study)[REFERENCE]
    rows = column.rows(series, PLT.name)
    wide = [row for row in rows if row["protocol"] == "quic" and row["bandwidth_mbps"] > NARROW_MBPS]
    return [(row, column.loads(row)) for row in wide]


def _place(row: Row) -> tuple[Any, ...]:
    return row["workload"], row["bandwidth_mbps"], row["rtt_ms"]


def right(found: Sequence[EarlyExitPage], rule: Rule) -> str:
    """`20 of 24`: pages of which the rule tells what most loads did."""
    return f"{sum(one.is_right(rule) for one in found)} of {len(found)}"


def never(found: Sequence[EarlyExitPage]) -> str:
    """The same of who always says that no page leaves early: what a rule has to be better than."""
    return f"{sum(one.share <= HALF for one in found)} of {len(found)}"


def counts(paper: Chapter) -> HTML:
    """How many pages each rule is right about, of those that it was thought out with and of the others."""
    found = pages(paper)
    groups = [
        (stack, [one for one in found if one.stack == stack and one.seen == seen], seen)
        for seen in (True, False)
        for stack in STACKS.values()
    ]
    rows = [
        ["request-cost" if seen else "one-cost", stack, *(right(own, rule) for rule in RULES), never(own)]
        for stack, own, seen in groups
        if own
    ]
    head = ["sweep", "stack", *(f"right by {rule}" for rule in RULES), "right by “never”"]
    return shown_table(head, rows, numeric={2, 3, 4})


def figure(paper: Chapter) -> LiveChart | HTML:
    """Share of early loads against what each rule says, a panel per rule."""
    found = pages(paper)
    if not found:
        return HTML(style.NOTHING_YET)
    rows = [
        (
            rule,
            one.excess_ms(rule),
            100 * one.share,
            f"{one.stack}, {'request-cost' if one.seen else 'one-cost'}",
            f"{one.title}, {one.rtt_ms:g} ms, {one.cost_us:g} µs",
        )
        for rule in RULES
        for one in found
    ]
    frame = pd.DataFrame(rows, columns=list(DOTS))
    titles = ("rise of RTT samples above what is borne, ms", "early loads, %")
    words = "; ".join(f"by {rule} {right(found, rule)} pages are as predicted" for rule in RULES)
    return live_dots(
        frame,
        titles,
        name="early-exit",
        alt_text="Share of loads that left slow start early against the rise of RTT samples that a rule predicts, a "
        "panel per rule; a dot per page, link and cost; right of zero the rule has slow start end early: "
        f"{words}.",
        hint="Point at a dot for its page.",
    )
