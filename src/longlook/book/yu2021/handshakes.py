"""What a handshake costs: a TLS group that the server refuses, a certificate that is checked.

Arms are named as in `sweeps/yu2021/yu-group.toml`, `yu-group-pace.toml` and `yu-verify.toml`: protocol, and what is
done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longlook.book.yu2021.names import FAR, MEDIAN, QUIET, SMALL, FileSquare, Impairment
from longlook.experiment.metrics import CONNECT, TTLB

GROUP, PACE, VERIFY = "yu-group", "yu-group-pace", "yu-verify"
PROTOCOLS = {"quic": "HTTP/3", "tcp": "HTTP/2"}
METRICS = (CONNECT.name, TTLB.name)
LINKS = {GROUP: (QUIET, FAR), VERIFY: (QUIET,)}
ASSUMED = {"": "333 ms assumed", " told": "15 ms assumed"}
"""What the arms of `PACE` add to their names -> the round trip that the server assumes before it has measured one."""


@dataclass(frozen=True)
class HandshakePair:
    """Two arms of one protocol in one cell that differ in one thing."""

    series: str
    protocol: str
    condition: Impairment = QUIET
    told: str = ""
    """One of ASSUMED."""

    @property
    def label(self) -> str:
        """`HTTP/3, 115 ms`; without the link where a series has one only."""
        protocol = PROTOCOLS[self.protocol]
        if self.series == PACE:
            return ASSUMED[self.told]
        return protocol if self.series == VERIFY else f"{protocol}, {self.condition.label}"

    @property
    def arms(self) -> tuple[str, str]:
        """The one that has more to do, and the other."""
        more, less = DONE[self.series]
        return f"{self.protocol} {more}{self.told}", f"{self.protocol} {less}{self.told}"

    @property
    def place(self) -> FileSquare:
        return FileSquare(self.series, SMALL, self.condition)


DONE = {GROUP: ("p256", "x25519"), PACE: ("p256", "x25519"), VERIFY: ("verified", "unverified")}
PAIRS_OF = {
    series: tuple(HandshakePair(series, protocol, one) for protocol in PROTOCOLS for one in links)
    for series, links in LINKS.items()
} | {PACE: tuple(HandshakePair(PACE, "quic", told=told) for told in ASSUMED)}


def later(pair: HandshakePair, metric: str = CONNECT.name) -> dict[str, Any]:
    """By how many ms the median of the one that has more to do is above the other's, as criteria say it."""
    return {"difference": list(pair.arms), **MEDIAN, "metric": metric, **pair.place.said}
