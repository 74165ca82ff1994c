"""Quantities that criteria name: numbers of loads that no statistic of one metric is. Pure.

Each is made of the numbered loads of two arms, cell by cell; their names stand in `plan/criteria.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from longlook.analysis.estimate import Estimate
from longlook.analysis.lowest import Loads, lowest_ratio
from longlook.plan.conditions import Row

Numbered = Callable[[Row, str], Mapping[int, float]]
"""Of a row and a metric, the number of each load that counts -> its value."""
Sides = Sequence[Sequence[Row]]


def late_share(numbered: Numbered, sides: Sides) -> Estimate | None:
    """Share of the loads of one arm whose connection stood later than that of the other's load of the same number,
    which met the same losses; of several cells together."""
    kept, every = (sum(map(len, some)) for some in zip(*_raced(numbered, sides), strict=True)) if sides[0] else (0, 0)
    return Estimate(1 - kept / every) if every else None


def kept_median(numbered: Numbered, sides: Sides) -> Estimate | None:
    """How many times the median page load time of all of one cell's loads that of those is which are not late."""
    ((kept, every),) = _raced(numbered, sides) or [((), ())]
    return lowest_ratio((kept,), (every,)) if kept else None


def _raced(numbered: Numbered, sides: Sides) -> list[tuple[Loads, Loads]]:
    """Of each cell, page load times of the first arm's loads that are not late, and of all that both arms have."""
    others = {row["cell_id"]: row for row in sides[1]}
    found = []
    for row in sides[0]:
        other = others.get(row["cell_id"])
        if other is None:
            continue
        times, stood, raced = numbered(row, "plt_ms"), numbered(row, "connect_ms"), numbered(other, "connect_ms")
        both = [index for index in times if index in stood and index in raced]
        kept = tuple(times[index] for index in both if stood[index] <= raced[index])
        found.append((kept, tuple(times[index] for index in both)))
    return found


QUANTITIES: Mapping[str, Callable[[Numbered, Sides], Estimate | None]] = {
    "late_share": late_share,
    "kept_median": kept_median,
}

HALF_A_TRIP_LATER = ("lsquic", "aiohttp")


def _handshake_ms(row: Row) -> float:
    """Until the handshake is over where it is read: by the client's log, or, of these servers, by a capture beside
    them, where the packet that ends it arrives half a round trip after the client sent it."""
    return float(row["mean"]) + (row["rtt_ms"] / 2 if row["server"] in HALF_A_TRIP_LATER else 0.0)


MADE: Mapping[str, tuple[str, Callable[[Row], float]]] = {"handshake_ms": ("connect_ms", _handshake_ms)}
"""Metric that no load has -> the one that it is made of, and the mean of it."""
