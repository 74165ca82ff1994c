"""What the paper's text leaves out: a burst, an object of 200 KB, little loss each way; what was predicted of them.

The predictions stand in the heads of sweeps/yu2021/yu-burst.toml, yu-burst-5mb.toml, yu-200kb.toml and
yu-each-way-little.toml, and were written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from longlook.book.times import Times
from longlook.book.yu2021.evidence import (
    BURST,
    BURST_LOSSY,
    CONDITIONS,
    LARGE,
    LITTLE,
    MAIN,
    MIDDLE,
    PAIRS,
    SMALL,
    WITHOUT_LOSS,
    FileLoads,
    FileSquare,
    Impairment,
    place,
)

ONE_H3, ONE_H2 = ("quicgo",), ("curl",)
"""The clients of these squares, but for those of 200 KB."""
FOUR = ("quic bbr quicgo", "quic cubic quicgo", "tcp bbr curl", "tcp cubic curl")
MBPS = 10.0
LOSSES = tuple(one for one in CONDITIONS if one.loss_pct)
BURST_PLACES = (
    *(FileSquare(BURST, size, condition) for condition in WITHOUT_LOSS for size in MAIN),
    *(FileSquare(BURST_LOSSY, LARGE, condition) for condition in LOSSES),
)
"""All squares that are measured with a burst."""
LITTLE_DOWN, LITTLE_EACH_WAY = Impairment(loss_pct=0.1), Impairment(loss_pct=0.2)
"""As links count it: both directions together."""
LITTLE_SIZES = (SMALL, MIDDLE)


def floor_s(size_bytes: int) -> float:
    """What the bytes alone take at 10 Mbit/s."""
    return size_bytes * 8 / (MBPS * 1e6)


def without_burst(where: FileSquare) -> FileSquare:
    """The same square of the three sweeps of the paper's conditions."""
    return place(where.size_bytes, where.condition)


Both = Mapping[str, tuple[Times | None, Times | None]]
"""Two numbers of the same square."""


def moved(own: FileLoads, places: Iterable[FileSquare]) -> Both:
    """The squares of two clients with a burst and without it, each pair at each place."""
    return {
        f"{pair.title}, {where.label}": (
            own.rule(where, pair, ONE_H3, ONE_H2),
            own.rule(without_burst(where), pair, ONE_H3, ONE_H2),
        )
        for where in places
        for pair in PAIRS
    }


def directions(own: FileLoads) -> Both:
    """0.1 % loss each way, and on the way down only: each pair with each size."""
    return {
        f"{pair.title}, {where.label}": (
            own.rule(where.at(LITTLE_EACH_WAY), pair, ONE_H3, ONE_H2),
            own.rule(where, pair, ONE_H3, ONE_H2),
        )
        for where in little_places()
        for pair in PAIRS
    }


def little_places() -> list[FileSquare]:
    """With loss on the way down only."""
    return [FileSquare(LITTLE, size, LITTLE_DOWN) for size in LITTLE_SIZES]


def apart(both: Both) -> dict[str, float]:
    """How many percentage points two numbers are apart, where both are measured."""
    return {
        name: abs(one.value - other.value) * 100
        for name, (one, other) in both.items()
        if one is not None and other is not None
    }
