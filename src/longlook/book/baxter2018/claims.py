"""The claims of Baxter and Simmons 2018, each by their own samples and by the re-measured ones.

A claim has parts, each with a criterion; it holds if each of them does. A part holds where the 99 % interval of what it
is about lies within its bounds, and is open where it lies across one. Of their ten the fourth is none of these: that
UDP was six times slower than TCP by iperf is a number of their network.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.baxter2018.evidence import (
    PLACES,
    POSTER,
    REPORT,
    Evidence,
    Printed,
    Where,
    columns,
    combined,
    interval,
    of_series,
    slope,
)
from longlook.book.claimed import Claim, ClaimPart
from longlook.book.data import BookData
from longlook.book.times import Times, part_of, quotient, times
from longlook.book.value import SPACE
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.plan.workload import size_label
from longlook.published.baxter2018 import BASE_RTT_MS, NEW, QUIC

Parts = Callable[[Evidence], list[ClaimPart]]
LOCAL, VLAN = f"{POSTER}-local", f"{POSTER}-vlan"
WAN = ("local", "west")
LARGE = (102_400, 204_800, 512_000, 1_024_000)
REPORT_ADDED = (40, 100, 200, 300, 400)
POSTER_ADDED = (0, 100, 200, 400)


@dataclass(frozen=True)
class Bound:
    """QUIC's mean over the new TCP's under one condition."""

    name: str
    where: Where
    at_least: float = -math.inf
    at_most: float = math.inf

    def part(self, evidence: Evidence) -> ClaimPart | None:
        """None where the column lacks one of the two."""
        own, base = (evidence.summary(self.where, arm) for arm in (QUIC, NEW))
        return (
            None if own is None or base is None else part_of(self.name, times(base, own), self.at_least, self.at_most)
        )


def _all(bounds: Iterable[Bound]) -> Parts:
    every = tuple(bounds)

    def parts(evidence: Evidence) -> list[ClaimPart]:
        found = (one.part(evidence) for one in every)
        return [one for one in found if one is not None]

    return parts


def _poster_conditions() -> list[tuple[str, Where]]:
    """Those of its figures, each once."""
    found = [(f"{count} objects", Where(LOCAL, count=count)) for count in (5, 10, 100, 500)]
    found += [(size_label(size), Where(LOCAL, size_bytes=size)) for size in (102_400, 512_000, 1_024_000)]
    return found + [(f"{loss:g} % loss", Where(LOCAL, loss_pct=loss)) for loss in (0.1, 1, 2)]


def _in_the_network() -> list[Bound]:
    """Every condition of the poster's but 2 and 3 % loss."""
    found = []
    for one in of_series(VLAN):
        link, page = one.cell.link, one.cell.workload
        if link.loss_pct / 2 < 2:
            where = Where(
                VLAN,
                page.object_count,
                page.object_bytes or 0,
                link.bandwidth_mbps,
                added_ms=link.rtt_ms - BASE_RTT_MS["vlan"],
                loss_pct=link.loss_pct / 2,
            )
            found.append(Bound(_short(where), where, at_least=1.0))
    return found


def _short(where: Where) -> str:
    """What of a condition is not the baseline's."""
    usual = Where(where.series)
    told = {
        f"{where.count} x {size_label(where.size_bytes)}": (where.count, where.size_bytes)
        != (usual.count, usual.size_bytes),
        f"{where.bandwidth_mbps:g} Mbit/s": where.bandwidth_mbps != usual.bandwidth_mbps,
        f"{where.rtt_ms - usual.rtt_ms:g} ms added": where.rtt_ms != usual.rtt_ms,
        f"{where.loss_pct:g} % loss": where.loss_pct != usual.loss_pct,
    }
    return ", ".join(words for words, is_told in told.items() if is_told) or "baseline"


def _growth(evidence: Evidence) -> list[ClaimPart]:
    """By how much more TCP's mean grows than QUIC's from no loss to 5 % each way."""
    found = []
    for place, words in PLACES.items():
        series = f"{REPORT}-{place}"
        wheres = (Where(series, loss_pct=5), Where(series))
        means = [evidence.summary(where, arm) for arm in (NEW, QUIC) for where in wheres]
        known = [one for one in means if one is not None]
        if len(known) == len(means):
            more = interval(combined((1, -1, -1, 1), known))
            numbers = (
                f"QUIC {_signed(known[2].mean - known[3].mean)}, TCP {_signed(known[0].mean - known[1].mean)}, "
                f"{_signed(more.value)} ({more.low:+.0f} to {more.high:+.0f}) more"
            )
            found.append(ClaimPart(words, numbers.replace("-", style.MINUS), more.within(at_least=0)))
    return found


def _signed(ms: float) -> str:
    return f"{ms:+,.0f}{SPACE}ms"


def _duplicates(evidence: Evidence) -> list[ClaimPart]:
    found = []
    for place, words in PLACES.items():
        series = f"{REPORT}-{place}"
        for arm, name in ((QUIC, "QUIC"), (NEW, "TCP")):
            few, many = (evidence.summary(Where(series, duplicate_pct=share), arm) for share in (1, 15))
            if few is not None and many is not None:
                found.append(part_of(f"{name} {words}", times(few, many), 0.9, 1.1))
    return found


def _corruption(evidence: Evidence) -> list[ClaimPart]:
    series = f"{REPORT}-vlan"
    wheres = (Where(series, corrupt_pct=10), Where(series))
    tcp, quic = ([evidence.summary(where, arm) for where in wheres] for arm in (NEW, QUIC))
    (tcp_bad, tcp_good), (quic_bad, quic_good) = tcp, quic
    if tcp_bad is None or tcp_good is None or quic_bad is None or quic_good is None:
        return []
    return [part_of("TCP's over QUIC's", quotient((tcp_bad, tcp_good), (quic_bad, quic_good)), at_least=1)]


def _slopes(evidence: Evidence) -> list[ClaimPart]:
    found = []
    for place, words in PLACES.items():
        own, base = (slope(evidence, f"{REPORT}-{place}", arm, REPORT_ADDED) for arm in (NEW, QUIC))
        if own is not None and base is not None:
            ratio = times(base, own)
            found.append(ClaimPart(words, _slope_text(own, base, ratio), ratio.within(0.8, 1.25)))
    return found


def _slope_text(tcp: Summary, quic: Summary, ratio: Times) -> str:
    return f"TCP {tcp.mean:.2f}, QUIC {quic.mean:.2f}: {ratio.value:.2f} times ({ratio.low:.2f} to {ratio.high:.2f})"


def _large() -> list[Bound]:
    """With jitter (report) and without (poster)."""
    with_it = [
        Bound(f"{size_label(size)} {PLACES[place]}", Where(f"{REPORT}-{place}", size_bytes=size), at_least=1)
        for place in WAN
        for size in LARGE
    ]
    without = [Bound(f"{size_label(size)} without jitter", Where(LOCAL, size_bytes=size), at_most=1) for size in LARGE]
    return with_it + without


def _rates() -> list[Bound]:
    return [
        Bound(f"{rate} Mbit/s {PLACES[place]}", Where(f"{REPORT}-{place}", bandwidth_mbps=rate), at_most=1)
        for place in WAN
        for rate in (1, 5, 10, 25, 50)
    ]


CLAIMS = (
    Claim(
        "baxter2018-01",
        "For all variables tested, QUIC outperforms TCP (poster)",
        "QUIC's mean is below TCP's in each of the ten conditions of its figures",
        _all(Bound(name, where, at_most=1) for name, where in _poster_conditions()),
        10,
    ),
    Claim(
        "baxter2018-02",
        "From the local client it does, but for very many objects (later poster)",
        "QUIC's mean is below TCP's with 5, 10 and 50 objects of 10 KB, and above it with 500",
        _all(
            [
                *(Bound(f"{count} objects", Where(LOCAL, count=count), at_most=1) for count in (5, 10, 50)),
                Bound("500 objects", Where(LOCAL, count=500), at_least=1),
            ]
        ),
        4,
    ),
    Claim(
        "baxter2018-03",
        "In the server's own network TCP is faster (later poster)",
        "TCP's mean is below QUIC's in each of the poster's conditions but 2 and 3 % loss",
        _all(_in_the_network()),
        19,
    ),
    Claim(
        "baxter2018-05",
        "On the Internet QUIC is faster in every case of the rate limit (report)",
        "QUIC's mean is below TCP's at 1, 5, 10, 25 and 50 Mbit/s",
        _all(_rates()),
        10,
    ),
    Claim(
        "baxter2018-06",
        "QUIC responds better to loss (report)",
        "from no loss to 5 % each way QUIC's mean grows by less than TCP's",
        _growth,
        3,
    ),
    Claim(
        "baxter2018-07",
        "Duplicates have a negligible effect (report)",
        "with 15 % of them each mean is within 10 % of that with 1 %",
        _duplicates,
        6,
    ),
    Claim(
        "baxter2018-08",
        "Corruption hurts TCP most; 10 % is survived in the server's own network alone (report)",
        "with 10 % there TCP's mean grows by a greater factor than QUIC's",
        _corruption,
        1,
    ),
    Claim(
        "baxter2018-09",
        "With a growing round trip both grow linearly, with very similar slopes (report)",
        "TCP's slope is 0.8 to 1.25 times QUIC's",
        _slopes,
        3,
    ),
    Claim(
        "baxter2018-10",
        "QUIC is much slower for objects above about 50 KB (report)",
        "with a jitter of 5 ms QUIC's mean is above TCP's for five objects of 100 KB and more, and without it not",
        _all(_large()),
        12,
    ),
)


def evaluate(data: BookData) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each of CLAIMS; the published column, and those that have numbers: by their
    stopwatch, and of whole loads."""
    found = {PUBLISHED.title: [claim.parts(Printed()) for claim in CLAIMS]}
    for title, evidence in columns(data):
        parts = [claim.parts(evidence) for claim in CLAIMS]
        found |= {title: parts} if any(parts) else {}
    return found


def claims(data: BookData | None = None) -> HTML:
    """Their claims: by their samples, re-measured, and whether they hold."""
    found = evaluate(data or book_data.load())
    return HTML(claimed.claims_table(CLAIMS, found, lambda claim: f'<b id="{claim.name}">{claim.text}</b>'))
