"""What the paper's text leaves out: a burst, an object of 200 KB, little loss each way; what was predicted of them.

The predictions stand in the heads of sweeps/yu2021/yu-burst.toml, yu-burst-5mb.toml, yu-200kb.toml and
yu-each-way-little.toml, and were written before the campaigns.
"""

from __future__ import annotations

from longlook.book.yu2021.names import (
    BURST,
    BURST_LOSSY,
    CONDITIONS,
    LARGE,
    LITTLE,
    MAIN,
    MIDDLE,
    SMALL,
    WITHOUT_LOSS,
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


def little_places() -> list[FileSquare]:
    """With loss on the way down only."""
    return [FileSquare(LITTLE, size, LITTLE_DOWN) for size in LITTLE_SIZES]
