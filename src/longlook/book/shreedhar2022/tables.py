"""Percentiles, throughput, processor time, flows at once and over their time, each beside what is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from IPython.display import HTML

from longlook.analysis.fairness import jain
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.evidence import StudyColumn
from longlook.book.flows import Contest, contests
from longlook.book.shreedhar2022.names import (
    CLOUD,
    CPU,
    ENVOY,
    ENVOY_LSQUIC,
    FILES,
    FLOWS,
    HUGE,
    LARGE,
    LARGE_SIZES,
    LONG,
    LSQUIC,
    MACHINE,
    NAMES,
    NEW,
    NGTCP2,
    OLD,
    PLACES,
    PRINTED_AS,
    PRINTED_STAGES,
    SIZES,
    SLOW,
    THROUGHPUT,
    TITLES,
    USED,
    WEB,
    file_of,
    newest,
    size_title,
)
from longlook.experiment.metrics import CONNECT, SERVER_CPU, TTFB, TTLB
from longlook.figure import style
from longlook.figure.live import csv_file, offered
from longlook.figure.table import html_table, shown_table
from longlook.published.shreedhar2022 import STORE_QUIC, STORE_TLS, STUDY, flows, of_all_sites, throughput

NONE = style.DASH
SHOWN = (25, 50, 75, 90)
"""Percentiles that 30 downloads tell."""
WRAPPED = "wrapped"
"""In place of a printed number that is no time."""
ROWS = (ENVOY, LSQUIC, OLD, NEW)
STAGES = {"connection": CONNECT.name, "first byte": TTFB.name, "download": TTLB.name}
FAST = (ENVOY, ENVOY_LSQUIC, NGTCP2, OLD, NEW)
SLOWED = (SLOW + ENVOY, SLOW + ENVOY_LSQUIC, SLOW + OLD)
HEADS = {
    ENVOY: "QUIC<br>curl",
    ENVOY_LSQUIC: "QUIC<br>LSQUIC",
    NGTCP2: "QUIC<br>ngtcp2",
    OLD: "TLS<br>1.2",
    NEW: "TLS<br>1.3",
}
SLOWER_AT = (*PLACES.values(), LONG)
LEAST_FOR_CPU = 5_000_000
"""Bytes: a smaller file takes a few of the clock's ticks, of 10 ms each."""


def percentiles(data: BookData | None = None) -> HTML:
    """Of the connection, and in a file of all STAGES: by place and arm, measured (all of SHOWN of a fast client, the
    median of a slow one) and printed."""
    own = newest(data, WEB, MACHINE)
    every = {
        stage: [_percentiles(own, place, arm, metric) for place in PLACES for arm in ROWS]
        for stage, metric in STAGES.items()
    }
    starts = [place * len(ROWS) for place in range(len(PLACES))]
    head = ["from", "arm", *(f"{at}th" for at in SHOWN), "50th, slow", *(f"{at}th" for at in SHOWN)]
    groups = [("", 2), ("measured, ms", len(SHOWN) + 1), ("printed, ms", len(SHOWN))]
    numeric = set(range(2, len(head)))
    shown = html_table(head, every["connection"], numeric=numeric, groups=groups, starts=starts[1:])
    measured, printed = head[2 : 2 + len(SHOWN) + 1], head[2 + len(SHOWN) + 1 :]
    named = ["stage", *head[:2], *(f"measured, {one}" for one in measured), *(f"printed, {one}" for one in printed)]
    rows = [[stage, *row] for stage, own in every.items() for row in own]
    return HTML(shown + offered(csv_file("percentiles.csv", named, rows)))


def _percentiles(own: StudyColumn, place: str, arm: str, metric: str) -> list[str]:
    asked = [(arm, at) for at in SHOWN] + [(SLOW + arm, 50)]
    loads = [(own.loads(one, metric, **PLACES[place]), at) for one, at in asked]
    told = [_ms(float(np.percentile(each, at)) if each else None) for each, at in loads]
    return [TITLES[place].partition(",")[0], NAMES[arm], *told, *_printed(place, arm, metric)]


def _printed(place: str, arm: str, metric: str) -> list[str]:
    if arm not in PRINTED_AS:
        return [NONE] * len(SHOWN)
    known = of_all_sites()[place, PRINTED_AS[arm], PRINTED_STAGES[metric]]
    return [WRAPPED if known.wrapped else _ms(known.time_ms(at)) for at in SHOWN]


def _ms(value: float | None) -> str:
    if value is None:
        return NONE
    return f"{value:.1f}" if value < 100 else f"{value:.0f}"


def rates(data: BookData | None = None) -> HTML:
    """Throughput by size, MB/s: printed means, and those of fast and slow clients."""
    own = newest(data, CLOUD, LARGE, HUGE)
    known = throughput()
    arms = (*FAST, *SLOWED)
    rows = []
    for size in sorted({*FILES, *known}):
        printed = [known.get(size, {}).get(one) for one in (STORE_QUIC, STORE_TLS)]
        said = [NONE if one is None else f"{one:.2f}" for one in printed]
        each, counts = (
            [own.text(told, value=arm, **THROUGHPUT, **file_of(size)) for arm in arms]
            for told in ("{value:.2f}", "{n}")
        )
        rows.append([size_title(size), *said, next((n for n in counts if n != NONE), NONE), *each])
    head = ["file", "QUIC", "TLS<br>1.2", "n", *(HEADS[arm.removeprefix(SLOW)] for arm in arms)]
    groups = [("", 1), ("printed", 2), ("", 1), ("fast client", len(FAST)), ("slow client", len(SLOWED))]
    return shown_table(head, rows, numbers_from=1, groups=groups, tight=True)


def processor(data: BookData | None = None) -> HTML:
    """Seconds of a processor for a gigabyte, of client and server; and how much of its quarter a slow client used."""
    own = newest(data, CLOUD, LARGE)
    if not own.has(CLOUD, LARGE):
        return HTML(style.NOTHING_YET)
    servers = (ENVOY, NGTCP2, OLD)
    asked = [("{value:.1f}", {"value": arm, **CPU}) for arm in FAST]
    asked += [("{value:.1f}", {"value": arm, **CPU, "metric": SERVER_CPU.name}) for arm in servers]
    asked += [("{value:.0f}", {"value": arm, **USED}) for arm in SLOWED]
    rows = [
        [size_title(size), *(own.text(told, **said, **file_of(size)) for told, said in asked)]
        for size in (*SIZES, *LARGE_SIZES)
        if size >= LEAST_FOR_CPU
    ]
    slow = [HEADS[arm.removeprefix(SLOW)] for arm in SLOWED]
    head = ["file", *(HEADS[arm] for arm in FAST), "Envoy", "ngtcp2", "Apache", *slow]
    groups = [
        ("", 1),
        ("client, s per GB", len(FAST)),
        ("server, s per GB", len(servers)),
        ("slow client, % of its share", len(SLOWED)),
    ]
    return shown_table(head, rows, numbers_from=1, groups=groups, tight=True)


def at_once(data: BookData | None = None) -> HTML:
    """Flows at once: printed rates of one run each, and those of three runs, with Jain's index."""
    found = data or book_data.load()
    measured = {title: {one.label: one for one in contests(found, STUDY, FLOWS, key)} for key, _, title in COLUMNS}
    measured = {title: own for title, own in measured.items() if own}
    rows = [[label, *_flows(known), *_contests(label, measured.values())] for label, known in flows().items()]
    head = ["flows", "MB/s", "Jain", *("MB/s", "Jain", "ratio (99 %)", "verdict") * len(measured)]
    groups = [("", 1), ("printed", 2), *((title, 4) for title in measured)]
    return shown_table(head, rows, escape=False, groups=groups)


def _flows(known: Sequence[tuple[str, float]]) -> list[str]:
    shown = [f"{style.PROTOCOL_LABELS[protocol]} {rate:.1f}" for protocol, rate in known]
    return ["<br>".join(shown), f"{jain([rate for _, rate in known]):.2f}"]


def _contests(label: str, measured: Iterable[dict[str, Contest]]) -> Iterator[str]:
    for own in measured:
        contest = own.get(label)
        if contest is None:
            yield from (NONE, "", "", "")
            continue
        shown = [f"{style.PROTOCOL_LABELS[one.protocol]} {one.rate.mean / 8:.1f}" for one in contest.shares]
        yield from ("<br>".join(shown), f"{contest.jain:.2f}", contest.ratio_text, contest.verdict_text)


def slower(data: BookData | None = None) -> HTML:
    """What the slow client costs a connection, ms, by arm and round trip: both means, and by how much it is later."""
    own = newest(data, WEB, MACHINE)
    if not own.has(WEB, MACHINE):
        return HTML(style.NOTHING_YET)
    told = "{right:.1f}, {left:.1f} ({value:+.1f})"
    rows = [
        [NAMES[arm], *(own.text(told, difference=[SLOW + arm, arm], metric=CONNECT.name, **one) for one in SLOWER_AT)]
        for arm in NAMES
    ]
    head = ["arm", *(f"RTT {one['where']['rtt_ms']:g} ms" for one in SLOWER_AT)]
    return shown_table(head, rows, numbers_from=1)


PAIR = "1 QUIC + 1 TCP"
SPAN_S = 2.0
LAST_S = 10.0


def parts_over_time(data: BookData, key: str) -> tuple[float, float] | None:
    """QUIC's part of all that arrived in the first and in the last `SPAN_S` of the pair, 0 to 1, over all its runs.

    None where they are not measured.
    """
    rows = data.rows("throughput", STUDY, FLOWS, key)
    rows = rows[rows["label"] == PAIR]
    if rows.empty:
        return None
    spans = (rows["time_s"] < SPAN_S, (rows["time_s"] >= LAST_S - SPAN_S) & (rows["time_s"] < LAST_S))
    first, last = (
        float(own.loc[own["arm"] == "quic1", "bytes"].sum() / own["bytes"].sum())
        for own in (rows[span] for span in spans)
    )
    return first, last
