"""The claims of Halme 2021, each with the printed and the re-measured numbers, and whether it holds.

A claim has parts, each with a criterion; it holds if each of them does. A part holds where the 99 % interval of what it
is about lies within its bounds, and is open where it lies across one. The thesis prints no standard deviations: what is
printed is held to the same bounds by its means alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from IPython.display import HTML

from longlook.book import claimed
from longlook.book import data as book_data
from longlook.book.claimed import Claim, ClaimPart, evaluated
from longlook.book.data import BookData
from longlook.book.halme2021.evidence import (
    ALONE,
    HANDSHAKE,
    NAMES,
    ONE_PERCENT,
    QUIC,
    SMALL,
    TABLES,
    TCP,
    Evidence,
    Measured,
    Where,
    printed,
)
from longlook.book.times import part_of, times
from longlook.experiment.metrics import DURATION, PACKETS
from longlook.figure.squares import PUBLISHED

Parts = Callable[[Evidence], list[ClaimPart]]


@dataclass(frozen=True)
class Bound:
    """One comparison: `arm` under `where` over `base` (TCP under the same condition, if none is named)."""

    name: str
    where: Where
    arm: str
    at_least: float = -math.inf
    at_most: float = math.inf
    base: str = TCP
    base_where: Where | None = None
    metric: str = DURATION.name

    def part(self, evidence: Evidence) -> ClaimPart | None:
        """None where the column lacks one of the two."""
        own = evidence.summary(self.where, self.arm, self.metric)
        base = evidence.summary(self.base_where or self.where, self.base, self.metric)
        return (
            None if own is None or base is None else part_of(self.name, times(base, own), self.at_least, self.at_most)
        )


def _all(*bounds: Bound) -> Parts:
    def parts(evidence: Evidence) -> list[ClaimPart]:
        found = (one.part(evidence) for one in bounds)
        return [one for one in found if one is not None]

    return parts


def _quic(where: Where, at_least: float = -math.inf, at_most: float = math.inf) -> list[Bound]:
    return [Bound(NAMES[arm], where, arm, at_least, at_most) for arm in QUIC]


def _between(wheres: tuple[Where, Where], low: float, high: float) -> list[Bound]:
    """Every implementation under the second condition over itself under the first."""
    first, second = wheres
    return [Bound(name, second, arm, low, high, base=arm, base_where=first) for arm, name in NAMES.items()]


def _packets() -> list[Bound]:
    limits = {"aioquic": (1.30, 1.50), "lsquic": (1.08, 1.31), "ngtcp2": (1.08, 1.31)}
    return [
        Bound(f"{NAMES[arm]}, table {table}", where, arm, *limits[arm], metric=PACKETS.name)
        for table, where in TABLES.items()
        for arm in QUIC
    ]


def _yields(evidence: Evidence) -> list[ClaimPart]:
    found = []
    for arm in ("aioquic", "ngtcp2"):
        beside = evidence.beside(arm)
        if beside is not None:
            found.append(part_of(NAMES[arm], beside.quic, at_least=1.7))
            found.append(part_of(f"TCP beside {NAMES[arm]}", beside.tcp, 1.2, 1.6))
    return found


def _takes(evidence: Evidence) -> list[ClaimPart]:
    beside = evidence.beside("lsquic")
    if beside is None:
        return []
    found = [part_of("LSQUIC", beside.quic, at_most=1.25), part_of("TCP", beside.tcp, at_least=1.7)]
    if beside.tcp_handshake is not None:
        found.append(part_of("TCP's handshake", beside.tcp_handshake, 3, 4))
    return found


def _slower_than(where: Where) -> list[Bound]:
    order = ("lsquic", "ngtcp2", TCP, "aioquic")
    return [
        Bound(f"{NAMES[slow]} over {NAMES[fast]}", where, slow, at_least=1, base=fast) for fast, slow in pairwise(order)
    ]


CLAIMS = (
    Claim(
        "halme2021-01",
        "On the link with 10 ms and no loss TCP is the quickest, and nobody is far behind",
        "each QUIC implementation takes longer than TCP, by at most 4 %",
        _all(*_quic(TABLES["2"], 1.0, 1.04)),
        3,
    ),
    Claim(
        "halme2021-02",
        "ngtcp2 has the shortest handshake, well below half of TCP's",
        "55 to 65 % below TCP's under each of the four conditions, by the thesis's definitions",
        _all(*(Bound(f"table {name}", one, "ngtcp2", 0.35, 0.45, metric=HANDSHAKE) for name, one in TABLES.items())),
        4,
    ),
    Claim(
        "halme2021-03",
        "With 50 ms and 2 % loss each QUIC implementation beats TCP, LSQUIC by a quarter",
        "each takes less time than TCP, LSQUIC at least 15 % less",
        _all(
            *(Bound(NAMES[arm], TABLES["3"], arm, at_most=0.85 if arm == "lsquic" else 1.0) for arm in QUIC),
        ),
        3,
    ),
    Claim(
        "halme2021-04",
        "With 200 ms and no loss aioquic is far slower than TCP, ngtcp2 slower, LSQUIC equal",
        "aioquic by more than 40 %, ngtcp2 by more than nothing, LSQUIC within 5 % of TCP",
        _all(
            Bound("aioquic", TABLES["4"], "aioquic", at_least=1.4),
            Bound("ngtcp2", TABLES["4"], "ngtcp2", at_least=1.0),
            Bound("LSQUIC", TABLES["4"], "lsquic", 0.95, 1.05),
        ),
        3,
    ),
    Claim(
        "halme2021-05",
        "With 200 ms and 5 % loss the order is LSQUIC, ngtcp2, TCP, aioquic",
        "each takes longer than the one before it",
        _all(*_slower_than(TABLES["5"])),
        3,
    ),
    Claim(
        "halme2021-06",
        "For 10 KB each QUIC implementation is quicker than TCP, also on the link with 10 ms and no loss",
        "each takes less time than TCP",
        _all(*_quic(SMALL, at_most=1.0)),
        3,
    ),
    Claim(
        "halme2021-07",
        "QUIC needs more packets than TCP for 1 MB, aioquic up to half as many again",
        "aioquic 30 to 50 % more, LSQUIC and ngtcp2 8 to 31 % more, under each of the four conditions",
        _all(*_packets()),
        12,
    ),
    Claim(
        "halme2021-08",
        "1 % and 2 % loss give much the same (50 ms)",
        "with 2 % each implementation takes within 10 % of what it takes with 1 %",
        _all(*_between((ONE_PERCENT, TABLES["3"]), 0.9, 1.1)),
        4,
    ),
    Claim(
        "halme2021-09",
        "Without loss, 50 ms instead of 10 ms changes little",
        "with 50 ms each implementation takes within 10 % of what it takes with 10 ms",
        _all(*_between((TABLES["2"], ALONE), 0.9, 1.1)),
        4,
    ),
    Claim(
        "halme2021-10",
        "Beside TCP, aioquic and ngtcp2 give way",
        "each takes at least 1.7 times its time alone, TCP beside it 1.2 to 1.6 times (50 ms, no loss)",
        _yields,
        4,
    ),
    Claim(
        "halme2021-11",
        "Beside TCP, LSQUIC takes the link",
        "LSQUIC takes at most 1.25 times its time alone, TCP at least 1.7 times, TCP's handshake 3 to 4 times",
        _takes,
        3,
    ),
)


def evaluate(data: BookData) -> dict[str, list[list[ClaimPart]]]:
    """Heading of a column -> the parts of each of CLAIMS; the published column, and those that have numbers."""
    return evaluated(CLAIMS, lambda key: printed() if key == PUBLISHED.key else Measured(data, key))


def claims() -> HTML:
    """The claims of the thesis: published, re-measured, and whether they hold."""
    return HTML(claims_table(book_data.load()))


def claims_table(data: BookData) -> str:
    """Claims and their criteria down; columns across, each with its verdict and the numbers of the parts."""
    return claimed.claims_table(CLAIMS, evaluate(data), lambda claim: f'<b id="{claim.name}">{claim.text}</b>')
