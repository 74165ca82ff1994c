"""What the sweeps of the matrix predicted, and what became of it.

The predictions stand in the heads of sweeps/matrix/*.toml and were written before the campaigns.
"""

from __future__ import annotations

from IPython.display import HTML

from longlook.analysis.welch import Summary
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import loss_rest
from longlook.book.matrix.evidence import CPU, GOODPUT, HANDSHAKE, LAST_BYTE, LOSSY, QUIET, SMALL, column
from longlook.book.matrix.judging import LOSSY_APART, Numbers, alike, bounded, compared, span, which
from longlook.book.matrix.pairs import NAMES, SLOW, Pair
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.times import times
from longlook.book.varied import REFERENCE

RTT_MS = 36.0
LEAST_MBPS, MOST_SLOW_MBPS = 55.0, 50.0
MOST_APART = 1.10
LEAST_TIMES_BBR = 2.0
QUIC_TRIPS, TCP_TRIPS = (0.0, 1.5), (2.0, 2.5)
LAST_TRIPS = {"quic": 3.0, "tcp": 3.5}
TWO = "envoy"
"""Its CUBIC emulates two connections."""
ONE = ("ngtcp2", "lsquic")
CHEAP = ("apache", "nginx")


def predictions(data: BookData | None = None) -> HTML:
    """Those of all four sweeps that are measured."""
    own = column(data or book_data.load(), REFERENCE)
    quiet, lossy = (own.numbers(series, GOODPUT) for series in (QUIET, LOSSY))
    found = [
        *of_quiet(quiet, own.numbers(QUIET, CPU)),
        *of_loss(lossy),
        *loss_rest.judged(lossy),
        *of_handshakes(own.numbers(SMALL, HANDSHAKE), own.numbers(SMALL, LAST_BYTE)),
    ]
    return predictions_table(found)


def of_quiet(goodput: Numbers, cpu: Numbers) -> list[Prediction]:
    """None before it is measured."""
    if not goodput:
        return []
    quick, slow = ({pair: one for pair, one in goodput.items() if pair.is_slow is kind} for kind in (False, True))
    return [
        bounded(f"every pair without {SLOW} has at least {LEAST_MBPS:g} Mbit/s", quick, low=LEAST_MBPS),
        bounded(f"every pair with {SLOW} stays below {MOST_SLOW_MBPS:g} Mbit/s", slow, high=MOST_SLOW_MBPS),
        alike(f"without {SLOW} the clients of a server differ by at most 10 %", quick, MOST_APART),
        _cheapest({pair: one for pair, one in cpu.items() if pair.cca == "cubic"}),
    ]


def of_loss(found: Numbers) -> list[Prediction]:
    """Of the pairs that `matrix-loss` has; none before it is measured."""
    goodput = {pair: one for pair, one in found.items() if pair.cca != "reno" and not pair.is_slow}
    cubic = {pair: one for pair, one in goodput.items() if pair.cca == "cubic"}
    if not cubic or len(cubic) == len(goodput):
        return []
    return [
        _bbr_ahead(goodput),
        _two_ahead(cubic),
        alike("by CUBIC the clients of a server differ by less than a third", cubic, LOSSY_APART),
    ]


def of_handshakes(handshake: Numbers, last: Numbers) -> list[Prediction]:
    """None before they are measured."""
    if not handshake:
        return []
    return [
        _trips("QUIC's handshake takes less than one and a half round trips", handshake, "quic", *QUIC_TRIPS),
        _trips("TCP's takes 2 to 2.5 round trips", handshake, "tcp", *TCP_TRIPS),
        _soon(last),
    ]


def _of(numbers: Numbers, protocol: str) -> Numbers:
    return {pair: one for pair, one in numbers.items() if pair.protocol == protocol}


def _cheapest(cpu: Numbers) -> Prediction:
    said = "by CUBIC, TCP with Apache and with nginx needs less CPU for a megabyte than any pair of QUIC"
    cheap = {pair: one for pair, one in _of(cpu, "tcp").items() if pair.server in CHEAP}
    others = _of(cpu, "quic")
    if not cheap or not others:
        return Prediction(said, "not every pair has a number", None)
    most, least = max(cheap.values(), key=_mean), min(others.values(), key=_mean)
    text = f"TCP at most {most.mean:.0f}, QUIC at least {least.mean:.0f} ms for a megabyte"
    return Prediction(said, text, times(least, most).within(at_most=1.0))


def _mean(one: Summary) -> float:
    return one.mean


def _bbr_ahead(goodput: Numbers) -> Prediction:
    said = "every pair has at least twice the goodput by BBR that it has by CUBIC"
    both = [
        (pair, times(cubic, bbr))
        for pair, bbr in goodput.items()
        if pair.cca == "bbr" and (cubic := goodput.get(Pair(pair.protocol, pair.server, pair.client, "cubic")))
    ]
    return compared(said, both, lambda found: found.within(at_least=LEAST_TIMES_BBR))


def _two_ahead(cubic: Numbers) -> Prediction:
    said = f"by CUBIC {NAMES[TWO]}, with two emulated connections, is ahead of ngtcp2 and LSQUIC with each client"
    both = [
        (pair, times(one, ahead))
        for pair, one in cubic.items()
        if pair.server in ONE and (ahead := cubic.get(Pair(pair.protocol, TWO, pair.client, "cubic")))
    ]
    return compared(said, both, lambda found: found.within(at_least=1.0))


def _trips(said: str, handshake: Numbers, protocol: str, low: float, high: float) -> Prediction:
    own = _of(handshake, protocol)
    outside = [pair for pair, one in own.items() if not low * RTT_MS <= one.mean <= high * RTT_MS]
    return Prediction(said, span(own, "ms") + which(outside), not outside)


def _soon(last: Numbers) -> Prediction:
    outside = [pair for pair, one in last.items() if one.mean > LAST_TRIPS[pair.protocol] * RTT_MS]
    texts = [f"{name} {span(_of(last, protocol), 'ms')}" for protocol, name in (("quic", "QUIC"), ("tcp", "TCP"))]
    return Prediction(
        "the last byte is there within three round trips by QUIC, within three and a half by TCP",
        "; ".join(texts) + which(outside),
        not outside,
    )
