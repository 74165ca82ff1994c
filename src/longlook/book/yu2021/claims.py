"""The claims of Yu and Benson 2021 that single files decide, published and re-measured, and why others are not judged.

A claim has parts, each with a criterion; it holds if each of them does. A part holds where the 99 % interval of what it
is about lies within its bounds, and is open where it lies across one. The published numbers have no intervals, and 0
stands for every difference that was not significant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from IPython.display import HTML

from longlook.analysis.lowest import growth_ratio
from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.claimed import Claim, ClaimPart
from longlook.book.data import COLUMNS, BookData
from longlook.book.times import Times, ms_text, part_of
from longlook.book.yu2021 import first_loss
from longlook.book.yu2021.evidence import (
    BBR,
    CONDITIONS,
    CUBIC,
    LARGE,
    LIKE,
    LOSSY,
    MAIN,
    MIDDLE,
    MIXED,
    NATIVE,
    PAIRS,
    QUIET,
    SIZE_NAMES,
    SMALL,
    TITLES,
    Controllers,
    Measured,
    Place,
    Printed,
    place,
)
from longlook.book.yu2021.handshake_claims import CERTIFICATE_MS, certificate, refused_group
from longlook.experiment.metrics import BYTES_DOWN
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

QUICKER, SLOWER = 0.95, 1.05
"""5 % below and above."""
LARGER = (MIDDLE, LARGE)
ADDED = tuple(one for one in CONDITIONS if one.rtt_ms != QUIET.rtt_ms)
ABOUT_A_TRIP = (0.5, 1.5)
"""What "about one round trip" is taken for; the bound is this book's."""
MORE_LOST = 10.0
"""An order of magnitude."""


@dataclass(frozen=True)
class Evidence:
    """One column's numbers by what a reader calls them: a provider, or two controllers."""

    measured: Measured | None
    """None: the published ones."""

    def names(self, pairs: Iterable[Controllers] = PAIRS) -> dict[str, Callable[[Place], Times | None]]:
        """The rule of each, for those that have these controllers."""
        wanted = tuple(pairs)
        if self.measured is None:
            return {TITLES[one]: _printed(one) for one, pair in LIKE.items() if pair in wanted}
        return {pair.title: _rule(self.measured, pair) for pair in wanted}


def _printed(provider: str) -> Callable[[Place], Times | None]:
    return lambda where: Printed().rule(provider, where)


def _rule(measured: Measured, pair: Controllers) -> Callable[[Place], Times | None]:
    return lambda where: measured.rule(where, pair)


def _parts(
    evidence: Evidence,
    pairs: Iterable[Controllers],
    places: Iterable[Place],
    low: float = -math.inf,
    high: float = math.inf,
) -> list[ClaimPart]:
    """A part for each name and place that there is a number for."""
    wanted = tuple(places)
    return [
        part_of(f"{name}, {where.label}", found, low, high)
        for name, rule in evidence.names(pairs).items()
        for where in wanted
        if (found := rule(where)) is not None
    ]


def _small_is_quicker(evidence: Evidence) -> list[ClaimPart]:
    return [
        *_parts(evidence, PAIRS, [place(SMALL)], high=QUICKER),
        *_parts(evidence, PAIRS, map(place, LARGER), QUICKER, SLOWER),
    ]


def _a_trip(evidence: Evidence) -> list[ClaimPart]:
    """Of two pairs with one controller each."""
    found = []
    if evidence.measured is not None:
        for pair in (BBR, CUBIC):
            for size in MAIN:
                lead = evidence.measured.lead_ms(place(size), pair)
                if lead is not None:
                    holds = lead.within(*(trips * QUIET.rtt_ms for trips in ABOUT_A_TRIP))
                    found.append(ClaimPart(f"{pair.title}, {SIZE_NAMES[size]}", ms_text(lead), holds))
    return found + _parts(evidence, (BBR, CUBIC), map(place, LARGER), low=QUICKER)


def _controller_under_loss(evidence: Evidence) -> list[ClaimPart]:
    lossy = [place(size, LOSSY) for size in LARGER]
    found = _parts(evidence, [MIXED], lossy, low=SLOWER)
    for where in lossy:
        known = {name: times for name, rule in evidence.names([BBR]).items() if (times := rule(where)) is not None}
        if known:
            worst = max(known.values(), key=lambda times: times.value)
            found.append(part_of(f"{' and '.join(known)}, {where.label}", worst, at_most=SLOWER))
    return found


def _first_loss_costs(evidence: Evidence) -> list[ClaimPart]:
    found = {} if evidence.measured is None else evidence.measured.first_losses()
    less = first_loss.difference(found, first_loss.QUIC_CUBIC, first_loss.TCP_BBR)
    if less is None:
        return []
    both = [first_loss.correlation(found, arm) for arm in (first_loss.QUIC_CUBIC, first_loss.TCP_BBR)]
    texts = " against ".join(f"{one.value:.2f}".replace("-", style.MINUS) for one in both if one is not None)
    numbers = f"{texts}, difference {first_loss.text(less)}"
    return [ClaimPart("CUBIC over QUIC against BBR over TCP", numbers, less.within(at_most=0.0))]


def _more_lost(evidence: Evidence) -> list[ClaimPart]:
    """What the server sends beyond what it sends without loss, quic-go's download against curl's."""
    if evidence.measured is None:
        return []
    quic, tcp = "quic cubic quicgo", "tcp bbr curl"
    quiet, lossy = place(MIDDLE), place(MIDDLE, LOSSY)
    sent = {
        arm: tuple(evidence.measured.loads(where, arm, BYTES_DOWN.name) for where in (quiet, lossy))
        for arm in (tcp, quic)
    }
    times = evidence.measured.over(lossy, tcp, quic)
    if times is None or not all(map(all, sent.values())):
        return []
    more = growth_ratio(*sent.values())
    text = f"{more.value:.1f} times ({more.low:.1f} to {more.high:.1f})"
    if math.isinf(more.value):
        text = f"QUIC no more than without loss (TCP at least {more.low:.1f} times as much by the interval)"
    return [
        ClaimPart("sent again, TCP over QUIC", text, more.within(at_least=MORE_LOST)),
        part_of("time, TCP over QUIC", times, at_most=1.0),
    ]


def _delay(evidence: Evidence) -> list[ClaimPart]:
    """Of the published ones Google's: Facebook's endpoint had the bug."""
    found = _parts(evidence, [BBR], [place(SMALL, one) for one in ADDED], high=QUICKER)
    return [one for one in found if not one.name.startswith(TITLES["facebook"])]


def _browser(evidence: Evidence) -> list[ClaimPart]:
    if evidence.measured is None:
        return []
    natives = [f"quic bbr {name}" for name in NATIVE]
    behind = evidence.measured.behind_ms(place(SMALL), "quic bbr chromium", natives)
    found = [] if behind is None else [ClaimPart("100 KB", ms_text(behind), behind.within(*CERTIFICATE_MS))]
    found += certificate(evidence.measured)
    for size in LARGER:
        both = evidence.measured.spread(place(size), "bbr")
        found += [] if both is None else [part_of(f"{SIZE_NAMES[size]}, slowest over quickest", both, at_most=SLOWER)]
    return found


def _alike(evidence: Evidence) -> list[ClaimPart]:
    if evidence.measured is None:
        return []
    return [
        part_of(f"{cca.upper()}, {SIZE_NAMES[size]}", found, at_most=SLOWER)
        for cca in ("bbr", "cubic")
        for size in LARGER
        if (found := evidence.measured.spread(place(size), cca)) is not None
    ]


def _refused_group(evidence: Evidence) -> list[ClaimPart]:
    return [] if evidence.measured is None else refused_group(evidence.measured)


def _controller_decides(evidence: Evidence) -> list[ClaimPart]:
    """With one controller each square is a part; with two there has to be a square outside."""
    places = [place(size, condition) for condition in CONDITIONS for size in LARGER]
    found = _parts(evidence, (BBR, CUBIC), places, QUICKER, SLOWER)
    other = _parts(evidence, [MIXED], places, QUICKER, SLOWER)
    if other:
        found.append(_somewhere_outside(next(iter(evidence.names([MIXED]))), other))
    return found


def _somewhere_outside(name: str, parts: list[ClaimPart]) -> ClaimPart:
    """Of squares that are to lie within bounds: whether one does not."""
    outside = [part.name.partition(", ")[2] for part in parts if part.holds is False]
    undecided = any(part.holds is None for part in parts)
    text = f"{len(outside)} of {len(parts)} squares outside" + (f" ({'; '.join(outside)})" if outside else "")
    return ClaimPart(f"two controllers ({name})", text, bool(outside) or (None if undecided else False))


CLAIMS = (
    Claim(
        "yu-01",
        "Without added loss or delay HTTP/3 is quicker for 100 KB, and equal for 1 MB and 5 MB",
        "at least 5 % quicker at 100 KB, within 5 % at 1 MB and 5 MB, for each",
        _small_is_quicker,
        9,
    ),
    Claim(
        "yu-02",
        "The round trip that QUIC saves matters below 1 MB only",
        "without added loss or delay, and with one controller, HTTP/3 leads by 0.5 to 1.5 round trips at each size, "
        "and by less than 5 % from 1 MB on",
        _a_trip,
        10,
    ),
    Claim(
        "yu-03",
        "With 1 % loss QUIC's CUBIC is much slower than TCP's BBR for the larger files, and BBR is not",
        "CUBIC against BBR at least 5 % slower at 1 MB and 5 MB, BBR against BBR at most 5 %",
        _controller_under_loss,
        4,
    ),
    Claim(
        "yu-04",
        "By CUBIC the time depends much more on where the first loss falls than by BBR",
        "1 MB, 1 % loss: the correlation of time with the number of the first lost packet is more negative by CUBIC "
        "over QUIC than by BBR over TCP",
        _first_loss_costs,
        1,
    ),
    Claim(
        "yu-05",
        "TCP by BBR sends ten times as much again as QUIC by CUBIC, and is still quicker",
        "1 MB, 1 % loss: bytes beyond those without loss at least 10 times QUIC's, median time below QUIC's",
        _more_lost,
        2,
    ),
    Claim(
        "yu-06",
        "With added delay HTTP/3 is much quicker by a sound BBR",
        "at least 5 % quicker at 100 KB with 50 and with 100 ms more",
        _delay,
        2,
    ),
    Claim(
        "yu-08",
        "The browser is slower than the other clients at 100 KB, by some 20 ms of verifying certificates",
        "its median 10 to 30 ms above the best native client's at 100 KB, and as much from a check by another client; "
        "at 1 MB and 5 MB all within 5 %",
        _browser,
        4,
    ),
    Claim(
        "yu-09",
        "Clients of HTTP/3 are equivalent without loss",
        "at 1 MB and 5 MB the slowest median at most 5 % above the quickest",
        _alike,
        4,
    ),
    Claim(
        "yu-11",
        "A client whose TLS group the server refuses needs a round trip more",
        "with P-256 first to a server that takes X25519 alone the median handshake is a round trip longer than with "
        "X25519 first, within 0.25 at 15 ms and 0.05 at 115 ms",
        _refused_group,
        2,
    ),
    Claim(
        "yu-16",
        "Congestion control and configuration make the differences, not the protocol",
        "with one controller on both sides within 5 % at 1 MB and 5 MB under each condition; with two somewhere not",
        _controller_decides,
        21,
    ),
)
NOT_JUDGED = {
    "yu-07": (
        "After its patch Facebook's server is much better with 100 ms more",
        "needs mvfst from before and after commit 8a98805d of 2020",
    ),
    "yu-10": (
        "A server that takes a round trip from an implicit acknowledgement leaves BBR's start-up early",
        "needs the same mvfst: the bug is in no server here",
    ),
    "yu-12 to yu-15": (
        "Speed Index and page load time: head-of-line blocking, small pages, priorities",
        "about pages, which have a chapter of their own; here are single files",
    ),
}
"""Claims of the paper that no number of this chapter decides: what they say, and why."""


def evaluate(data: BookData) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each of CLAIMS; the published column, and those that have numbers."""
    found = {PUBLISHED.title: [claim.parts(Evidence(None)) for claim in CLAIMS]}
    for key, _, title in COLUMNS:
        parts = [claim.parts(Evidence(Measured(data, key))) for claim in CLAIMS]
        found |= {title: parts} if any(parts) else {}
    return found


def claims(data: BookData | None = None) -> HTML:
    """The claims: published, re-measured, and whether they hold."""
    found = evaluate(data or book_data.load())
    return HTML(claimed.claims_table(CLAIMS, found, lambda claim: f'<b id="{claim.name}">{claim.text}</b>'))


def not_judged() -> HTML:
    """Those that no number here decides."""
    rows = [[name, text, why] for name, (text, why) in NOT_JUDGED.items()]
    return HTML(html_table(["claim", "what it says", "why it is not judged here"], rows, numeric=set()))
