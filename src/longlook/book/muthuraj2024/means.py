"""Means by page and link, published and re-measured side by side: of a browser that is stopped, of what serves TCP's
pages, of one cost per request on every link. What was foretold of each stands in its sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pandas as pd
from IPython.display import HTML

from longlook.analysis.agreement import meets
from longlook.analysis.welch import Summary
from longlook.book.chapter import Chapter
from longlook.book.evidence import columns_of
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

STOPPED = "smooth-client"
FREE = "no limit"
HELD = {FREE: "full", "2.5 ms": "45pct-period2500us", "10 ms": "45pct-period10000us"}
"""How the browser is held, by its period -> the end of its arms' names."""
FLASK, FLASK_GQUIC = "apache-wsgi", "apache-wsgi-gquic37"
SERVED_IN = {FLASK: ("4.6d", "4.6a"), FLASK_GQUIC: ("4.5d", "4.5a")}
"""Series with the published means, of which the first that has a page counts."""
QUICV1, GQUIC37 = "one-cost", "one-cost-gquic37"
USUAL = {QUICV1: ("4.6d", "4.6f"), GQUIC37: ("4.5d", "4.5f")}
"""Series of the same pages without a cost, published and re-measured."""
COSTS = {QUICV1: {900: "quic-cost900us", 250: "quic-cost250us"}, GQUIC37: {500: "quic"}}
"""us, that of pages of 10 KB first -> the arm."""
PLACE = ("workload", "bandwidth_mbps", "rtt_ms", "loss_pct")
Source = tuple[str, Sequence[str], str]
"""Column, series and arm of a mean."""


def mean_rows(
    paper: Chapter,
    series: str,
    order: Sequence[str],
    sources: Mapping[str, Source],
    cells: Callable[[Mapping[str, Summary]], list[str]],
) -> list[list[str]]:
    """A row for each page and link of a series that has every mean, in this order; its title has the round trip where
    that is of the order."""
    columns = columns_of(paper.data, paper.study)

    def mean(source: Source, place: Mapping[str, object]) -> Summary | None:
        key, names, arm = source
        each = (columns[key].summary(one, arm, PLT.name, **place) for one in names)
        return next((one for one in each if one is not None), None)

    rows = {tuple(row[name] for name in PLACE): row for row in columns[REFERENCE].rows([series], PLT.name)}
    found = []
    for place, row in sorted(rows.items(), key=lambda one: [one[1][name] for name in order]):
        own = {name: mean(source, dict(zip(PLACE, place, strict=True))) for name, source in sources.items()}
        known = {name: one for name, one in own.items() if one is not None}
        if len(known) == len(own):
            rtt = f", {row['rtt_ms']:g} ms" if "rtt_ms" in order else ""
            found.append([f"{page(pd.Series(row))}, {row['bandwidth_mbps']:g} Mbit/s{rtt}", *cells(known)])
    return found


def _times(one: Summary) -> str:
    return f"{one.mean:.0f} ± {one.sd:.0f}"


def stopped(paper: Chapter) -> HTML:
    """Means of both protocols by how the browser is held, and QUIC's lead."""
    arms = [f"{protocol}-client-{held}" for held in HELD.values() for protocol in ("quic", "tcp")]

    def cells(found: Mapping[str, Summary]) -> list[str]:
        told = []
        for held in HELD.values():
            quic, tcp = (found[f"{protocol}-client-{held}"] for protocol in ("quic", "tcp"))
            told += [_times(quic), _times(tcp), style.signed_pct((tcp.mean - quic.mean) / tcp.mean * 100)]
        return told

    sources = {arm: (REFERENCE, (STOPPED,), arm) for arm in arms}
    rows = mean_rows(paper, STOPPED, ("object_count", "bandwidth_mbps"), sources, cells)
    groups = [("", 1), *((f"period {held}" if held != FREE else held, 3) for held in HELD)]
    head = ["page", *["QUIC, ms", "TCP, ms", "lead, %"] * 3]
    return HTML(html_table(head, rows, numeric=set(range(1, 10)), groups=groups) if rows else style.NOTHING_YET)


def served(paper: Chapter, series: str) -> HTML:
    """TCP's means published, straight from Apache and through Flask; of pages that have all three."""
    sources = {
        "published": (PUBLISHED.key, SERVED_IN[series], "tcp"),
        "straight": (REFERENCE, (series,), "apache"),
        "through": (REFERENCE, (series,), "apache-wsgi"),
    }

    def cells(found: Mapping[str, Summary]) -> list[str]:
        longer = f"{found['through'].mean - found['straight'].mean:+.0f}".replace("-", style.MINUS)
        return [*map(_times, found.values()), longer]

    rows = mean_rows(paper, series, ("object_count", "object_bytes", "bandwidth_mbps"), sources, cells)
    head = ["page", "publ., ms", "Apache, ms", "Flask, ms", "Flask − Apache, ms"]
    return HTML(html_table(head, rows, numeric={1, 2, 3, 4}) if rows else style.NOTHING_YET)


def one_cost(paper: Chapter, series: str) -> HTML:
    """Means of QUIC published, without a cost and with each, and TCP's; marked what meets the published one."""
    sources = {
        "published": (PUBLISHED.key, USUAL[series], "quic"),
        "without": (REFERENCE, USUAL[series], "quic"),
        **{f"{cost} µs": (REFERENCE, (series,), arm) for cost, arm in COSTS[series].items()},
        "TCP published": (PUBLISHED.key, USUAL[series], "tcp"),
        "TCP": (REFERENCE, (series,), "tcp*"),
    }

    def cells(found: Mapping[str, Summary]) -> list[str]:
        known, *quic, printed, tcp = found.values()
        marked = [_times(one) + (" ✓" if meets(known, one) else "") for one in quic]
        return [_times(known), *marked, _times(printed), _times(tcp)]

    rows = mean_rows(paper, series, ("rtt_ms", "bandwidth_mbps", "object_count"), sources, cells)
    names = ["publ.", *list(sources)[1:-2], "publ.", "re-measured"]
    groups = [("", 1), ("QUIC, ms", len(names) - 2), ("TCP, ms", 2)]
    head = ["page and link", *names]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups) if rows else style.NOTHING_YET)
