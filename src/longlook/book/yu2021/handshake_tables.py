"""Tables of the chapter on handshakes: medians, and by how much they differ."""

from __future__ import annotations

from IPython.display import HTML

from longlook.analysis.lowest import median_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.round_trips import trips_text
from longlook.book.times import ms_text
from longlook.book.yu2021.evidence import FileLoads
from longlook.book.yu2021.handshakes import GROUP, METRICS, PACE, PAIRS_OF, VERIFY, HandshakePair, later_ms, later_trips
from longlook.book.yu2021.tables import newest
from longlook.experiment.metrics import CONNECT
from longlook.figure import style
from longlook.figure.table import html_table

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
    own = newest(data or book_data.load(), series)
    rows = [
        [pair.label, *_medians(own, pair), *(_later(own, pair, metric, trips) for metric in METRICS)]
        for pair in PAIRS_OF[series]
        if later_ms(own, pair) is not None
    ]
    head = ["connection", *arms, *LATER]
    numeric = set(range(1, len(head)))
    return HTML(html_table(head, rows, escape=False, numeric=numeric) if rows else style.NOTHING_YET)


def _medians(own: FileLoads, pair: HandshakePair) -> list[str]:
    """Of the handshake, that of the arm with less to do first, with their intervals, in HTML."""
    found = [median_of(own.loads(pair.place, arm, CONNECT.name)) for arm in reversed(pair.arms)]
    return [f"{one.value:.1f}<br>({one.low:.1f} to {one.high:.1f})" for one in found]


def _later(own: FileLoads, pair: HandshakePair, metric: str, trips: bool) -> str:
    """By how many ms, and below by how many round trips where a table tells them, in HTML."""
    texts = {ms_text: later_ms(own, pair, metric)} | ({trips_text: later_trips(own, pair, metric)} if trips else {})
    return "<br>".join(text(found) for text, found in texts.items() if found is not None)
