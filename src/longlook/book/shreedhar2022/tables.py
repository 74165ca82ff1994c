"""Percentiles, throughput, processor time and flows at once, each beside what is printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from IPython.display import HTML

from longlook.analysis.fairness import jain
from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.flows import Contest, contests
from longlook.book.shreedhar2022.evidence import (
    CLOUD,
    CPU_METRICS,
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
    PACES,
    PLACES,
    PRINTED_AS,
    PRINTED_STAGES,
    SIZES,
    SLOW,
    TITLES,
    WEB,
    Downloads,
    file_of,
    newest,
    size_title,
)
from longlook.book.shreedhar2022.evidence import used as used_of
from longlook.experiment.metrics import CLIENT_CPU, CONNECT, TTFB, TTLB
from longlook.figure import style
from longlook.figure.table import html_table
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
SLOW_SHARE = 0.25
"""Of a processor, what a slow client is held to."""
LEAST_FOR_CPU = 5_000_000
"""Bytes: a smaller file takes a few of the clock's ticks, of 10 ms each."""


def percentiles(stage: str, data: BookData | None = None) -> HTML:
    """Of one of STAGES: by place and arm, measured (all of SHOWN of a fast client, the median of a slow one) and
    printed."""
    found = newest(data or book_data.load(), WEB, MACHINE)
    rows: list[list[str]] = []
    starts: list[int] = []
    for place in PLACES:
        starts.append(len(rows))
        rows += [_percentiles(None if found is None else found[1], place, arm, STAGES[stage]) for arm in ROWS]
    head = ["from", "arm", *(f"{at}th" for at in SHOWN), "50th, slow", *(f"{at}th" for at in SHOWN)]
    groups = [("", 2), ("measured, ms", len(SHOWN) + 1), ("printed, ms", len(SHOWN))]
    return HTML(html_table(head, rows, numeric=set(range(2, len(head))), groups=groups, starts=starts[1:]))


def _percentiles(evidence: Downloads | None, place: str, arm: str, metric: str) -> list[str]:
    asked = [(arm, at) for at in SHOWN] + [(SLOW + arm, 50)]
    where = PLACES[place]
    own = [None if evidence is None else evidence.percentile(where, one, metric, at) for one, at in asked]
    return [TITLES[place].partition(",")[0], NAMES[arm], *(_ms(one) for one in own), *_printed(place, arm, metric)]


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
    found = newest(data or book_data.load(), CLOUD, LARGE, HUGE)
    known = throughput()
    rows = []
    for size in sorted({*FILES, *known}):
        own = [None if found is None else found[1].rate(size, arm) for arm in (*FAST, *SLOWED)]
        printed = [known.get(size, {}).get(one) for one in (STORE_QUIC, STORE_TLS)]
        number = next((str(one.n) for one in own if one is not None), NONE)
        said = [NONE if one is None else f"{one:.2f}" for one in printed]
        rows.append([size_title(size), *said, number, *_rates(own)])
    arms = [HEADS[arm.removeprefix(SLOW)] for arm in (*FAST, *SLOWED)]
    head = ["file", "QUIC", "TLS<br>1.2", "n", *arms]
    groups = [("", 1), ("printed", 2), ("", 1), ("fast client", len(FAST)), ("slow client", len(SLOWED))]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, tight=True))


def _rates(own: Sequence[Summary | None]) -> list[str]:
    return [NONE if one is None else f"{one.mean:.2f}" for one in own]


def processor(data: BookData | None = None) -> HTML:
    """Seconds of a processor for a gigabyte, of client and server; and how much of its quarter a slow client used."""
    found = newest(data or book_data.load(), CLOUD, LARGE)
    if found is None:
        return HTML(style.NOTHING_YET)
    _, evidence = found
    servers = (ENVOY, NGTCP2, OLD)
    rows = []
    for size in (*SIZES, *LARGE_SIZES):
        if size >= LEAST_FOR_CPU:
            client, server = CPU_METRICS
            own = [evidence.cpu(size, arm, client) for arm in FAST]
            own += [evidence.cpu(size, arm, server) for arm in servers]
            shares = [used(evidence, size, arm) for arm in SLOWED]
            seconds = [NONE if one is None else f"{one.mean:.1f}" for one in own]
            rows.append([size_title(size), *seconds, *map(whole_percent, shares)])
    slow = [HEADS[arm.removeprefix(SLOW)] for arm in SLOWED]
    head = ["file", *(HEADS[arm] for arm in FAST), "Envoy", "ngtcp2", "Apache", *slow]
    groups = [
        ("", 1),
        ("client, s per GB", len(FAST)),
        ("server, s per GB", len(servers)),
        ("slow client, % of its share", len(SLOWED)),
    ]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, tight=True))


def whole_percent(share: float | None) -> str:
    """`93`."""
    return NONE if share is None else f"{100 * share:.0f}"


def used(evidence: Downloads, size: int, arm: str) -> float | None:
    """How much of what it is held to a slow client used while it fetched a file, 0 to 1: near 1 its processor was the
    limit."""
    return used_of(evidence, file_of(size), arm, CLIENT_CPU.name, SLOW_SHARE)


def at_once(data: BookData | None = None) -> HTML:
    """Flows at once: printed rates of one run each, and those of three runs, with Jain's index."""
    found = data or book_data.load()
    measured = {title: {one.label: one for one in contests(found, STUDY, FLOWS, key)} for key, _, title in COLUMNS}
    measured = {title: own for title, own in measured.items() if own}
    rows = [[label, *_flows(known), *_contests(label, measured.values())] for label, known in flows().items()]
    head = ["flows", "MB/s", "Jain", *("MB/s", "Jain", "ratio (99 %)", "verdict") * len(measured)]
    groups = [("", 1), ("printed", 2), *((title, 4) for title in measured)]
    return HTML(html_table(head, rows, escape=False, groups=groups))


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
    found = newest(data or book_data.load(), WEB, MACHINE)
    if found is None:
        return HTML(style.NOTHING_YET)
    _, evidence = found
    rows = [[NAMES[arm], *_slower(evidence, arm)] for arm in NAMES]
    head = ["arm", *(f"RTT {where.rtt_ms:g} ms" for where in SLOWER_AT)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head)))))


def _slower(evidence: Downloads, arm: str) -> Iterator[str]:
    for where in SLOWER_AT:
        fast, slow = (evidence.summary(where, prefix + arm, CONNECT.name) for prefix in PACES)
        if fast is None or slow is None:
            yield NONE
        else:
            yield f"{fast.mean:.1f}, {slow.mean:.1f} ({slow.mean - fast.mean:+.1f})".replace("-", style.MINUS)
