"""The claims of Shreedhar et al. 2022 about sessions of a film, 09 to 12: printed, measured, and whether they hold.

Start-up is compared by medians, as it is printed, with bootstrap intervals. Stalls, how long one takes and changes of
the bitrate are compared by means: table III has averages, and of three sessions a median has no interval that says
anything. What is printed has no deviations: there the numbers alone decide, and of a single session here nothing does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Protocol

from IPython.display import HTML

from longlook.analysis.lowest import lowest_ratio
from longlook.analysis.welch import ALPHA, Summary, summarise
from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.claimed import Claim, ClaimPart
from longlook.book.data import BookData
from longlook.book.shreedhar2022.sessions import LONG, NAMES, QUIC, SHORT, TCP, Played
from longlook.book.times import Times, difference, percent_text, times
from longlook.experiment.metrics import STALLS, STARTUP, SWITCHES
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.published import shreedhar2022 as published

MINUTES = {SHORT: "1 minute", LONG: "3 minutes"}
AS_SOON, LONGER = (0.95, 1.05), (1.2, 1.7)
APART = 0.12
"""Stalls: by how much table III's averages differ with 10 %."""
LOSSY = 10.0
PRINTED_COUNTS = {STALLS.name: published.STALLS, SWITCHES.name: published.SWITCHES}
MORE_THAN_0 = math.nextafter(0.0, 1.0)
LESS_THAN_1 = math.nextafter(1.0, 0.0)
Found = tuple[str, Times | None]
"""In words, and against its bounds; None where there is nothing to hold against them."""


@dataclass(frozen=True)
class Counts:
    """Means over sessions, and by how much TCP's is above QUIC's."""

    quic: float
    tcp: float
    more: Times


class Sessions(Protocol):
    """Numbers of one column: None where it has none."""

    def startup(self, loss_pct: float) -> Times | None:
        """How many times TCP's median start-up QUIC's is."""

    def counts(self, series: str, loss_pct: float, metric: str) -> Counts | None:
        """Of stalls or changes of the bitrate."""

    def length(self, series: str) -> Found | None:
        """How many times what a stall takes over QUIC it takes over TCP, with 10 % loss."""


class Printed:
    """What the paper has: all of sessions of three minutes."""

    def startup(self, loss_pct: float) -> Times | None:
        """Two medians; with 5 % the share alone."""
        found = published.streamed()
        earlier = found.get((published.EARLIER_PCT, loss_pct, QUIC))
        if earlier is not None:
            return Times(1 - earlier / 100)
        quic, tcp = (found.get((published.STARTUP_S, loss_pct, arm)) for arm in (QUIC, TCP))
        return None if quic is None or tcp is None else Times(quic / tcp)

    def counts(self, series: str, loss_pct: float, metric: str) -> Counts | None:
        """Table III."""
        found = published.streamed() if series == LONG else {}
        quic, tcp = (found.get((PRINTED_COUNTS[metric], loss_pct, arm)) for arm in (QUIC, TCP))
        return None if quic is None or tcp is None else Counts(quic, tcp, Times(tcp - quic))

    def length(self, series: str) -> Found | None:
        """By medians, "up to"."""
        longer = published.streamed().get((published.STALLED_LONGER_PCT, LOSSY, TCP)) if series == LONG else None
        if longer is None:
            return None
        found = Times(1 + longer / 100)
        return f"up to {percent_text(found)}", found


@dataclass(frozen=True)
class Measured:
    """What the sessions of one column have."""

    played: Played

    def startup(self, loss_pct: float) -> Times | None:
        """Of the sessions of a minute, which are more."""
        quic, tcp = (tuple(self.played.values(SHORT, loss_pct, arm, STARTUP.name)) for arm in (QUIC, TCP))
        return _of_several(lowest_ratio((quic,), (tcp,))) if quic and tcp else None

    def counts(self, series: str, loss_pct: float, metric: str) -> Counts | None:
        """Where neither arm's varies they count as different only where so many sessions could tell it."""
        quic, tcp = (self.played.summary(series, loss_pct, arm, metric) for arm in (QUIC, TCP))
        if quic is None or tcp is None:
            return None
        more = difference(quic, tcp)
        told = more.low < more.high or not more.value or 2 / math.comb(quic.n + tcp.n, tcp.n) <= ALPHA
        return Counts(quic.mean, tcp.mean, _of_several(more if told else Times(more.value)))

    def length(self, series: str) -> Found | None:
        """By means over the sessions that stood still."""
        if not all(self.played.values(series, LOSSY, arm, STALLS.name) for arm in (QUIC, TCP)):
            return None
        took = {arm: summarise(self.played.stall_ms(series, LOSSY, arm)) for arm in (QUIC, TCP)}
        if not any(one.n for one in took.values()):
            return "no stalls of either", None
        still = [NAMES[arm] for arm, one in took.items() if not one.n]
        if still:
            return f"no stalls by {still[0]}", None
        found = _of_several(times(took[QUIC], took[TCP]))
        return f"{_seconds(took[TCP])} against {_seconds(took[QUIC])} s, {times_text(found)}", found


def _of_several(found: Times) -> Times:
    """Without an interval, as of a single session, one without end: the number alone decides nothing here."""
    return Times(found.value, -math.inf, math.inf) if math.isnan(found.low) else found


def _seconds(took: Summary) -> str:
    return f"{took.mean / 1e3:.1f}"


def times_text(found: Times) -> str:
    """As `percent_text`; of an interval without end that there is none."""
    if math.isinf(found.low):
        return f"{percent_text(Times(found.value))} (no interval)"
    return percent_text(found)


def _counted(found: Counts, what: str) -> str:
    if not found.quic and not found.tcp:
        return f"no {what} of either"
    text = f"{style.rounded(found.tcp)} by {NAMES[TCP]}, {style.rounded(found.quic)} by {NAMES[QUIC]}"
    low, high = found.more.low, found.more.high
    if math.isnan(low):
        return text
    ends = "no interval" if math.isinf(low) else f"{low:+.2f} to {high:+.2f}".replace("-", style.MINUS)
    return f"{text} (difference {ends})"


def _startup(own: Sessions) -> list[ClaimPart]:
    bounds = {0.0: AS_SOON, 5.0: (-math.inf, LESS_THAN_1), 10.0: (-math.inf, LESS_THAN_1)}
    found = {loss: own.startup(loss) for loss in bounds}
    return [
        ClaimPart(f"{loss:g} %", times_text(one), one.within(*bounds[loss]))
        for loss, one in found.items()
        if one is not None
    ]


def _longer(own: Sessions) -> list[ClaimPart]:
    found = {series: own.length(series) for series in MINUTES}
    return [
        ClaimPart(MINUTES[series], one[0], None if one[1] is None else one[1].within(*LONGER))
        for series, one in found.items()
        if one is not None
    ]


def _counts(own: Sessions, metric: str, what: str, bounds: dict[float, tuple[float, float]]) -> list[ClaimPart]:
    """`bounds`: by loss, of what TCP's mean is above QUIC's."""
    found = {place: own.counts(*place, metric) for place in product(MINUTES, bounds)}
    return [
        ClaimPart(f"{MINUTES[series]}, {loss:g} %", _counted(one, what), one.more.within(*bounds[loss]))
        for (series, loss), one in found.items()
        if one is not None
    ]


def _fewer_stalls(own: Sessions) -> list[ClaimPart]:
    as_many = (-APART, APART)
    return _counts(own, STALLS.name, "stalls", {0.0: as_many, 1.0: as_many, LOSSY: (MORE_THAN_0, math.inf)})


def _more_changes(own: Sessions) -> list[ClaimPart]:
    no_more = (0.0, math.inf)
    return _counts(own, SWITCHES.name, "changes", {1.0: no_more, 5.0: no_more, LOSSY: (-math.inf, -MORE_THAN_0)})


CLAIMS = (
    Claim(
        "shreedhar2022-09",
        "The start-up delay is equal without loss, and with loss QUIC's is shorter",
        "by medians HTTP/3 takes within 5 % of what HTTP/2 takes to begin without loss, and less with 5 and with 10 %",
        _startup,
        3,
    ),
    Claim(
        "shreedhar2022-10",
        "Stalls are up to 50 % longer over TCP at 10 % loss",
        "with 10 % a stall takes 20 to 70 % longer by HTTP/2, by means over the sessions that stood still",
        _longer,
        2,
    ),
    Claim(
        "shreedhar2022-11",
        "QUIC has fewer stalls",
        f"on the mean fewer by HTTP/3 with 10 %; without loss and with 1 % as many, to within {APART:g}, which is what "
        "they print for 10 %",
        _fewer_stalls,
        6,
    ),
    Claim(
        "shreedhar2022-12",
        "QUIC has more changes of quality than TCP at high loss",
        "on the mean more by HTTP/3 with 10 %, and no more with 1 and 5 %",
        _more_changes,
        6,
    ),
)


def evaluate(data: BookData) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each of CLAIMS; the published column, and those that have sessions."""
    return claimed.evaluated(CLAIMS, lambda key: Printed() if key == PUBLISHED.key else Measured(Played(data, key)))


def claims(data: BookData | None = None) -> HTML:
    """The claims that sessions decide: printed, measured, and whether they hold."""
    found = evaluate(data or book_data.load())
    return HTML(claimed.claims_table(CLAIMS, found, lambda claim: f'<b id="{claim.name}">{claim.text}</b>'))
