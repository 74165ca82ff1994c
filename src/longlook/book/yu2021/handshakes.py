"""What a handshake costs: a TLS group that the server refuses, a certificate that is checked.

Arms are named as in `sweeps/yu2021/yu-group.toml`, `yu-group-pace.toml` and `yu-verify.toml`: protocol, and what is
done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.yu2021.names import FAR, MEDIAN, QUIET, SMALL, FileSquare, Impairment, newest
from longlook.experiment.metrics import CONNECT, TTLB
from longlook.figure.table import shown_table

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


LATER = ["handshake longer by", "last byte later by"]


def groups(data: BookData | None = None) -> HTML:
    """By protocol and link: both medians of the handshake, and by how much it and the last byte are later."""
    return _table(data, GROUP, ["X25519 first, ms", "P-256 first, ms"], trips=True)


def paced(data: BookData | None = None) -> HTML:
    """The same over HTTP/3 and 15 ms, by the round trip that the server assumes."""
    return _table(data, PACE, ["X25519 first, ms", "P-256 first, ms"], trips=True)


def checks(data: BookData | None = None) -> HTML:
    """By protocol: both medians of the handshake, and by how much it and the last byte are later."""
    return _table(data, VERIFY, ["not checked, ms", "checked, ms"], trips=False)


def _table(data: BookData | None, series: str, arms: list[str], trips: bool) -> HTML:
    own = newest(data, series)
    rows = [
        [pair.label, *_medians(own, pair), *(_later(own, pair, metric, trips) for metric in METRICS)]
        for pair in PAIRS_OF[series]
        if own.found(**later(pair))
    ]
    head = ["connection", *arms, *LATER]
    numeric = set(range(1, len(head)))
    return shown_table(head, rows, escape=False, numeric=numeric)


def _medians(own: StudyColumn, pair: HandshakePair) -> list[str]:
    """Of the handshake, that of the arm with less to do first, with their intervals, in HTML."""
    said = {**MEDIAN, "metric": CONNECT.name, **pair.place.said}
    return [own.text("{value:.1f}<br>({low:.1f} to {high:.1f})", value=arm, **said) for arm in reversed(pair.arms)]


def _later(own: StudyColumn, pair: HandshakePair, metric: str, trips: bool) -> str:
    """By how many ms, and below by how many round trips where a table tells them, in HTML."""
    said = later(pair, metric)
    return own.text("{ms}", **said) + ("<br>" + own.text("{trips}", **said, unit="trips") if trips else "")
