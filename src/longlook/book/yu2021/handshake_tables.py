"""Tables of the chapter on handshakes: medians, and by how much they differ."""

from __future__ import annotations

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.yu2021.handshakes import GROUP, METRICS, PACE, PAIRS_OF, VERIFY, HandshakePair, later
from longlook.book.yu2021.names import MEDIAN, newest
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
        if own.found(**later(pair))
    ]
    head = ["connection", *arms, *LATER]
    numeric = set(range(1, len(head)))
    return HTML(html_table(head, rows, escape=False, numeric=numeric) if rows else style.NOTHING_YET)


def _medians(own: StudyColumn, pair: HandshakePair) -> list[str]:
    """Of the handshake, that of the arm with less to do first, with their intervals, in HTML."""
    said = {**MEDIAN, "metric": CONNECT.name, **pair.place.said}
    return [own.text("{value:.1f}<br>({low:.1f} to {high:.1f})", value=arm, **said) for arm in reversed(pair.arms)]


def _later(own: StudyColumn, pair: HandshakePair, metric: str, trips: bool) -> str:
    """By how many ms, and below by how many round trips where a table tells them, in HTML."""
    said = later(pair, metric)
    return own.text("{ms}", **said) + ("<br>" + own.text("{trips}", **said, unit="trips") if trips else "")
