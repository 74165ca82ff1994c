"""What the paper's text leaves out: a burst, an object of 200 KB, little loss each way; a heatmap and tables.

What was predicted stands in the heads of sweeps/yu2021/yu-burst.toml, yu-burst-5mb.toml, yu-200kb.toml and
yu-each-way-little.toml, and was written before the campaigns.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.yu2021.chart import GridSquare, Panel, picture, squares
from longlook.book.yu2021.names import (
    BURST,
    BURST_LOSSY,
    CONDITIONS,
    DOUBLE,
    LARGE,
    LITTLE,
    MAIN,
    MIDDLE,
    OBJECT,
    PAIRS,
    SIZE_NAMES,
    SMALL,
    WITHOUT_LOSS,
    Controllers,
    FileSquare,
    Impairment,
    median_of,
    newest,
    place,
    rule,
)
from longlook.book.yu2021.tables import compared, number_text
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.figure.table import shown_table

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


PLAIN, BUCKET = "Without a burst", "With the burst"
SENDERS = ("HTTP/3 BBR", "HTTP/3 CUBIC", "HTTP/2 BBR", "HTTP/2 CUBIC")
"""As `FOUR`."""
NOT_ASKED = "not measured with a burst"


def burst(data: BookData | None = None) -> LiveChart | HTML:
    """The paper's squares by quic-go and curl, without a burst and with it."""
    if not newest(data, BURST, BURST_LOSSY).has(BURST, BURST_LOSSY):
        return HTML(style.NOTHING_YET)
    panels: list[Panel] = [(PLAIN, pair.title, partial(_square, data, pair)) for pair in PAIRS]
    panels += [(BUCKET, pair.title, _with_burst(data, pair)) for pair in PAIRS]
    return picture("yu-burst", panels, [("", "quic-go over HTTP/3 against curl over HTTP/2")])


def _square(data: BookData | None, pair: Controllers, where: FileSquare) -> GridSquare:
    """In the newest column of its series."""
    return squares(newest(data, where.series), pair, ONE_H3, ONE_H2)(where)


def _with_burst(data: BookData | None, pair: Controllers) -> Callable[[FileSquare], GridSquare]:
    bucket = {without_burst(where): where for where in BURST_PLACES}

    def square(where: FileSquare) -> GridSquare:
        return _square(data, pair, bucket[where]) if where in bucket else GridSquare(None, False, NOT_ASKED)

    return square


def times(data: BookData | None = None) -> HTML:
    """Medians of the four senders without a burst and with it, beside what the bytes alone take at the rate."""
    rows: list[list[str]] = []
    starts, last = set[int](), 0
    for where in sorted(BURST_PLACES, key=lambda one: one.size_bytes):
        if where.size_bytes != last:
            starts.add(len(rows))
        last = where.size_bytes
        rows.append([where.label, number_text(floor_s(last) * 1e3), *_senders(data, without_burst(where))])
        rows[-1] += _senders(data, where)
    if all(text == style.DASH for row in rows for text in row[2 + len(FOUR) :]):
        return HTML(style.NOTHING_YET)
    groups = [("", 1), ("at the rate", 1), ("without a burst, ms", len(FOUR)), ("with the burst, ms", len(FOUR))]
    head = ["download", "bytes alone, ms", *SENDERS, *SENDERS]
    return shown_table(head, rows, numbers_from=1, groups=groups, starts=starts)


def _senders(data: BookData | None, where: FileSquare) -> list[str]:
    own = newest(data, where.series)
    return [number_text(median_of(own, where, arm)) for arm in FOUR]


def objects(data: BookData | None = None) -> HTML:
    """100 KB, 200 KB and 1 MB without loss, by the paper's rule."""
    rows = [
        [f"{pair.title}, {condition.label}", *(_rule(data, where, pair) for where in places)]
        for condition in WITHOUT_LOSS
        for places in [(place(SMALL, condition), place(MIDDLE, condition), FileSquare(OBJECT, DOUBLE, condition))]
        for pair in PAIRS
    ]
    return compared(["HTTP/3 against HTTP/2", *(SIZE_NAMES[size] for size in (SMALL, MIDDLE, DOUBLE))], rows)


def _rule(data: BookData | None, where: FileSquare, pair: Controllers) -> str:
    return newest(data, where.series).text("{percent}", **rule(where, pair))


def little(data: BookData | None = None) -> HTML:
    """0.1 % loss on the way down only, and each way, by quic-go and curl."""
    own = newest(data, LITTLE)
    rows = [
        [f"{pair.title}, {SIZE_NAMES[where.size_bytes]}", *_both_ways(own, where, pair)]
        for where in little_places()
        for pair in PAIRS
    ]
    return compared(["HTTP/3 against HTTP/2", "down only", "each way"], rows)


def _both_ways(own: StudyColumn, where: FileSquare, pair: Controllers) -> list[str]:
    return [own.text("{percent}", **rule(at, pair, ONE_H3, ONE_H2)) for at in (where, where.at(LITTLE_EACH_WAY))]
