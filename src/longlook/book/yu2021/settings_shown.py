"""What the chapter on settings that the paper's text leaves out shows: a heatmap with a burst, and tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.yu2021.chart import GridSquare, Panel, picture, squares
from longlook.book.yu2021.names import (
    BURST,
    BURST_LOSSY,
    DOUBLE,
    LITTLE,
    MIDDLE,
    OBJECT,
    PAIRS,
    SIZE_NAMES,
    SMALL,
    WITHOUT_LOSS,
    Controllers,
    FileSquare,
    median_of,
    newest,
    place,
    rule,
)
from longlook.book.yu2021.settings import (
    BURST_PLACES,
    FOUR,
    LITTLE_EACH_WAY,
    ONE_H2,
    ONE_H3,
    floor_s,
    little_places,
    without_burst,
)
from longlook.book.yu2021.tables import compared, number_text
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.figure.table import html_table

PLAIN, BUCKET = "Without a burst", "With the burst"
SENDERS = ("HTTP/3 BBR", "HTTP/3 CUBIC", "HTTP/2 BBR", "HTTP/2 CUBIC")
"""As `FOUR`."""
NOT_ASKED = "not measured with a burst"


def burst(data: BookData | None = None) -> LiveChart | HTML:
    """The paper's squares by quic-go and curl, without a burst and with it."""
    found = data or book_data.load()
    if not newest(found, BURST, BURST_LOSSY).has(BURST, BURST_LOSSY):
        return HTML(style.NOTHING_YET)
    panels: list[Panel] = [(PLAIN, pair.title, partial(_square, found, pair)) for pair in PAIRS]
    panels += [(BUCKET, pair.title, _with_burst(found, pair)) for pair in PAIRS]
    return picture("yu-burst", panels, [("", "quic-go over HTTP/3 against curl over HTTP/2")])


def _square(data: BookData, pair: Controllers, where: FileSquare) -> GridSquare:
    """In the newest column of its series."""
    return squares(newest(data, where.series), pair, ONE_H3, ONE_H2)(where)


def _with_burst(data: BookData, pair: Controllers) -> Callable[[FileSquare], GridSquare]:
    bucket = {without_burst(where): where for where in BURST_PLACES}

    def square(where: FileSquare) -> GridSquare:
        return _square(data, pair, bucket[where]) if where in bucket else GridSquare(None, False, NOT_ASKED)

    return square


def times(data: BookData | None = None) -> HTML:
    """Medians of the four senders without a burst and with it, beside what the bytes alone take at the rate."""
    found = data or book_data.load()
    rows: list[list[str]] = []
    starts, last = set[int](), 0
    for where in sorted(BURST_PLACES, key=lambda one: one.size_bytes):
        if where.size_bytes != last:
            starts.add(len(rows))
        last = where.size_bytes
        rows.append([where.label, number_text(floor_s(last) * 1e3), *_senders(found, without_burst(where))])
        rows[-1] += _senders(found, where)
    if all(text == style.DASH for row in rows for text in row[2 + len(FOUR) :]):
        return HTML(style.NOTHING_YET)
    groups = [("", 1), ("at the rate", 1), ("without a burst, ms", len(FOUR)), ("with the burst, ms", len(FOUR))]
    head = ["download", "bytes alone, ms", *SENDERS, *SENDERS]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups, starts=starts))


def _senders(data: BookData, where: FileSquare) -> list[str]:
    own = newest(data, where.series)
    return [number_text(median_of(own, where, arm)) for arm in FOUR]


def objects(data: BookData | None = None) -> HTML:
    """100 KB, 200 KB and 1 MB without loss, by the paper's rule."""
    found = data or book_data.load()
    rows = [
        [f"{pair.title}, {condition.label}", *(_rule(found, where, pair) for where in places)]
        for condition in WITHOUT_LOSS
        for places in [(place(SMALL, condition), place(MIDDLE, condition), FileSquare(OBJECT, DOUBLE, condition))]
        for pair in PAIRS
    ]
    return compared(["HTTP/3 against HTTP/2", *(SIZE_NAMES[size] for size in (SMALL, MIDDLE, DOUBLE))], rows)


def _rule(data: BookData, where: FileSquare, pair: Controllers) -> str:
    return newest(data, where.series).text("{percent}", **rule(where, pair))


def little(data: BookData | None = None) -> HTML:
    """0.1 % loss on the way down only, and each way, by quic-go and curl."""
    own = newest(data or book_data.load(), LITTLE)
    rows = [
        [f"{pair.title}, {SIZE_NAMES[where.size_bytes]}", *_both_ways(own, where, pair)]
        for where in little_places()
        for pair in PAIRS
    ]
    return compared(["HTTP/3 against HTTP/2", "down only", "each way"], rows)


def _both_ways(own: StudyColumn, where: FileSquare, pair: Controllers) -> list[str]:
    return [own.text("{percent}", **rule(at, pair, ONE_H3, ONE_H2)) for at in (where, where.at(LITTLE_EACH_WAY))]
