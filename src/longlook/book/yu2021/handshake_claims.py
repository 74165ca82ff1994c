"""What Yu and Benson say that a handshake costs a client of HTTP/3: claim yu-11, and the cause that claim yu-08 names.

Nothing is printed of either but the words.
"""

from __future__ import annotations

from collections.abc import Mapping

from longlook.book.claimed import ClaimPart
from longlook.book.round_trips import trips_text
from longlook.book.times import ms_text
from longlook.book.yu2021.evidence import FAR, QUIET, Condition, Measured
from longlook.book.yu2021.handshakes import GROUP, PAIRS_OF, VERIFY, later_ms, later_trips
from longlook.experiment.metrics import TTLB

CERTIFICATE_MS = (10.0, 30.0)
"""What "about 20 ms" is taken for; the bounds are this book's."""
OF_QUIC = {series: [pair for pair in pairs if pair.protocol == "quic"] for series, pairs in PAIRS_OF.items()}
"""The paper's claims are about clients of HTTP/3."""
HANDSHAKE_TRIPS: Mapping[Condition, float] = {QUIET: 0.25, FAR: 0.05}
"""So far from one round trip a handshake may be longer, by link."""


def refused_group(own: Measured) -> list[ClaimPart]:
    """Of the handshake, on each link: whether it is a round trip longer."""
    found = {pair.condition: later_trips(own, pair) for pair in OF_QUIC[GROUP]}
    return [
        ClaimPart(link.label, trips_text(later), later.within(1 - HANDSHAKE_TRIPS[link], 1 + HANDSHAKE_TRIPS[link]))
        for link, later in found.items()
        if later is not None
    ]


def certificate(own: Measured) -> list[ClaimPart]:
    """Of the last byte: whether it is as much later as the paper has it of Chrome."""
    found = {pair: later_ms(own, pair, TTLB.name) for pair in OF_QUIC[VERIFY]}
    return [
        ClaimPart("a check by curl", ms_text(later), later.within(*CERTIFICATE_MS))
        for pair, later in found.items()
        if later is not None
    ]
