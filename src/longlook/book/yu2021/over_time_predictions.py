"""What yu-over-time.toml predicted, and what became of it.

The median load of each kind decides whether a prediction fails. It holds where it would hold with any other choice of
loads too; else it is open, since three loads of a kind tell no more.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.varied import REFERENCE
from longlook.book.yu2021.over_time import FIGURES, KB, KINDS, LOADS, Found, Load, measured, median_of
from longlook.figure import style

QUIC_SERVERS, TCP_SERVER = ("Envoy", "ngtcp2"), "Apache"
SERVERS = (*QUIC_SERVERS, TCP_SERVER)
LOSSY, SMALL_FAR, CLIENTS = FIGURES.values()
CCAS = ("BBR", "CUBIC")
FROM_TENTH, LATER, WITHIN = 5, 1.05, 0.05
FIRST_TRIPS, LAST_TRIPS = 0.8, 0.5
LEAST_SHARE, APART = 0.8, 1.1
MOST_LIMITED = 0.05
Loads = tuple[Load, ...]


def predictions(data: BookData | None = None) -> HTML:
    """By the reference campaign."""
    return predictions_table(judged(measured(data or book_data.load(), REFERENCE)))


def judged(found: Found) -> list[Prediction]:
    """None before every kind is measured as often as it is to be."""
    if [kind for kind in KINDS if len(found.get(kind, ())) < LOADS]:
        return []
    every = (_behind, _alike, _by_controller, _in_flight, _ahead, _clients, _limits)
    return [one(found) for one in every]


def decided(kinds: Sequence[Loads], holds: Callable[..., bool]) -> bool | None:
    """Of a load of each kind: not where it is untrue of their medians, open where another choice makes it untrue."""
    if not holds(*map(median_of, kinds)):
        return False
    return True if all(holds(*one) for one in itertools.product(*kinds)) else None


def _lossy(found: Found, server: str, cca: str) -> Loads:
    return found[LOSSY.number, f"{server}, {cca}"]


def _not_behind(quic: Load, tcp: Load) -> list[int]:
    return [tenth for tenth in range(FROM_TENTH, 11) if quic.reached_s(tenth / 10) <= tcp.reached_s(tenth / 10)]


def _behind(found: Found) -> Prediction:
    kinds = _lossy(found, "Envoy", "CUBIC"), _lossy(found, TCP_SERVER, "BBR")
    quic, tcp = map(median_of, kinds)
    ahead, times = _not_behind(quic, tcp), quic.whole_s / tcp.whole_s
    text = f"{quic.whole_s:.3f} s, {times:.2f} times TCP's {tcp.whole_s:.3f} s"
    text += f"; not behind at tenths {', '.join(map(str, ahead))}" if ahead else "; behind at each of these tenths"
    return Prediction(
        f"1 % loss: Envoy by CUBIC is behind TCP by BBR from the fifth tenth on, at last by {_pct(LATER - 1)} or more",
        text,
        decided(kinds, lambda one, other: not _not_behind(one, other) and one.whole_s / other.whole_s >= LATER),
    )


def _apart(quic: Load, tcp: Load) -> list[float]:
    """At each tenth, as shares of TCP's whole time."""
    shares = [tenth / 10 for tenth in range(1, 11)]
    return [(quic.reached_s(share) - tcp.reached_s(share)) / tcp.whole_s for share in shares]


def _alike(found: Found) -> Prediction:
    kinds = _lossy(found, "Envoy", "BBR"), _lossy(found, TCP_SERVER, "BBR")
    apart = _apart(*map(median_of, kinds))
    low, high = (f"{share * 100:+.1f}".replace("-", style.MINUS) for share in (min(apart), max(apart)))
    return Prediction(
        f"1 % loss: Envoy by BBR is within {_pct(WITHIN)} of the whole time of TCP by BBR at every tenth",
        f"{low} to {high} % of it",
        decided(kinds, lambda one, other: max(map(abs, _apart(one, other))) <= WITHIN),
    )


def _more_by_cubic(found: Found, of: Callable[[Load], float]) -> bool | None:
    pairs = [[_lossy(found, server, cca) for cca in CCAS] for server in SERVERS]
    return all_of(*(decided(pair, lambda bbr, cubic: of(cubic) > of(bbr)) for pair in pairs))


def _each(found: Found, text: Callable[[Load], str]) -> str:
    """`Envoy 0.943 and 0.940 s`: by CUBIC and by BBR, of every server."""
    medians = {server: [text(median_of(_lossy(found, server, cca))) for cca in CCAS] for server in SERVERS}
    return ", ".join(f"{server} {cubic} and {bbr}" for server, (bbr, cubic) in medians.items())


def _by_controller(found: Found) -> Prediction:
    return Prediction(
        "1 % loss: each server is later at the end by CUBIC than by BBR",
        _each(found, lambda one: f"{one.whole_s:.3f} s"),
        _more_by_cubic(found, lambda one: one.whole_s),
    )


def _in_flight(found: Found) -> Prediction:
    return Prediction(
        f"1 % loss: each has less than {LOSSY.held_bytes / KB:g} KB in flight for a larger share of the time by CUBIC "
        "than by BBR",
        _each(found, lambda one: f"{one.thin_share * 100:.1f} %"),
        _more_by_cubic(found, lambda one: one.thin_share),
    )


def _leads(quic: Load, tcp: Load) -> tuple[float, float]:
    """With its first and its last byte, in round trips."""
    trip_s = SMALL_FAR.condition.rtt_ms / 1e3
    return (tcp.first_s - quic.first_s) / trip_s, (tcp.whole_s - quic.whole_s) / trip_s


def _is_ahead(quic: Load, tcp: Load) -> bool:
    first, last = _leads(quic, tcp)
    return first >= FIRST_TRIPS and last >= LAST_TRIPS


def _ahead(found: Found) -> Prediction:
    tcp = found[SMALL_FAR.number, f"{TCP_SERVER}, BBR"]
    pairs = {server: (found[SMALL_FAR.number, f"{server}, BBR"], tcp) for server in QUIC_SERVERS}
    leads = {server: _leads(*map(median_of, pair)) for server, pair in pairs.items()}
    return Prediction(
        f"100 KB, 115 ms: either QUIC server leads TCP by {FIRST_TRIPS} round trips or more at first, by "
        f"{LAST_TRIPS} or more at last",
        ", ".join(f"{server} {_trips(first)} and {_trips(last)}" for server, (first, last) in leads.items()),
        all_of(*(decided(pair, _is_ahead) for pair in pairs.values())),
    )


def _trips(number: float) -> str:
    return f"{number:.2f}".replace("-", style.MINUS)


def _pct(share: float) -> str:
    return f"{share * 100:.0f} %"


def _none_slows(*loads: Load) -> bool:
    halves = [one.reached_s(0.5) for one in loads]
    return min(one.best_share for one in loads) >= LEAST_SHARE and max(halves) <= APART * min(halves)


def _clients(found: Found) -> Prediction:
    kinds = [found[CLIENTS.number, label] for label in CLIENTS.labels]
    names = [label.partition(" ")[0] for label in CLIENTS.labels]
    medians = zip(names, map(median_of, kinds), strict=True)
    return Prediction(
        f"1 MB, 115 ms: with each client some round trip has {_pct(LEAST_SHARE)} of the link's rate, and half is "
        f"acknowledged within {_pct(APART - 1)} of the quickest's time",
        ", ".join(f"{name} {one.best_share * 100:.0f} %, {one.reached_s(0.5):.3f} s" for name, one in medians),
        decided(kinds, _none_slows),
    )


def _limits(found: Found) -> Prediction:
    """Open where the share of one is not known, and none of the others decides it."""
    shares = {kind: median_of(loads).limited_share for kind, loads in found.items()}
    known = {kind: share for kind, share in shares.items() if share is not None}
    beyond = [kind for kind, share in known.items() if share > MOST_LIMITED]
    text = f"at most {max(known.values()) * 100:.1f} %, of {len(known)} downloads" if known else "not known"
    if beyond:
        text += "; not " + "; ".join(f"{label} (figure {number})" for number, label in beyond)
    every = [one.limited_share for loads in found.values() for one in loads]
    return Prediction(
        f"flow control takes no full packet more for at most {_pct(MOST_LIMITED)} of the time in all {len(KINDS)}",
        text,
        False if beyond else True if all(one is not None and one <= MOST_LIMITED for one in every) else None,
    )
