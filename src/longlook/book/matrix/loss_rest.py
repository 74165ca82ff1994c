"""What sweeps/matrix/matrix-loss-rest.toml predicted of Reno and of aioquic under loss, and what became of it."""

from __future__ import annotations

from longlook.book.matrix.judging import LOSSY_APART, Numbers, alike, bounded, compared
from longlook.book.matrix.pairs import SLOW, Pair
from longlook.book.predicted import Prediction
from longlook.book.times import times

SLOW_MBPS = (15.0, 50.0)
LEAST_OF_CUBIC = 0.5
BOTH = ("ngtcp2", "lsquic")
"""The servers of QUIC without Python that offer CUBIC and Reno."""


def judged(goodput: Numbers) -> list[Prediction]:
    """Of all pairs with loss; none before the sweep is measured."""
    reno = {pair: one for pair, one in goodput.items() if pair.cca == "reno"}
    if not reno:
        return []
    slow = {pair: one for pair, one in goodput.items() if pair.cca == "bbr" and pair.client == SLOW}
    low, high = SLOW_MBPS
    return [
        alike(
            "by CUBIC and by Reno the clients of a server, aioquic among them, differ by less than a third",
            {pair: one for pair, one in goodput.items() if pair.cca != "bbr"},
            LOSSY_APART,
        ),
        bounded(f"by BBR {SLOW} as a client has {low:g} to {high:g} Mbit/s from each server", slow, low, high),
        _reno_of_cubic(goodput, reno),
        _tcp_behind(reno),
    ]


def _reno_of_cubic(goodput: Numbers, reno: Numbers) -> Prediction:
    both = [
        (pair, times(cubic, one))
        for pair, one in reno.items()
        if pair.server in BOTH
        and pair.client != SLOW
        and (cubic := goodput.get(Pair(pair.protocol, pair.server, pair.client, "cubic")))
    ]
    return compared(
        "by Reno ngtcp2 and LSQUIC have, with each client, half to all of the goodput that they have by CUBIC",
        both,
        lambda found: found.within(LEAST_OF_CUBIC, 1.0),
    )


def _tcp_behind(reno: Numbers) -> Prediction:
    said = f"by Reno every pair of QUIC without {SLOW} is ahead of TCP with each of its servers"
    tcp = [one for pair, one in reno.items() if pair.protocol == "tcp"]
    both = [
        (pair, times(max(tcp, key=lambda own: own.mean), one))
        for pair, one in reno.items()
        if tcp and pair.protocol == "quic" and not pair.is_slow
    ]
    return compared(said, both, lambda found: found.within(at_least=1.0))
