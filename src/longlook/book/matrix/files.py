"""Chromium as a client of files of the matrix."""

from __future__ import annotations

from collections.abc import Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import by_browser
from longlook.book.matrix.browsers import BYTES
from longlook.book.matrix.evidence import newest
from longlook.experiment.metrics import CONNECT, TTLB
from longlook.figure import style

SERIES = "matrix-chromium"
SERVERS = ("envoy", "ngtcp2", "lsquic", "quicgo", "aioquic", "apache", "nginx")
TCP = ("apache", "nginx")
SMALL = 10_240
"""Bytes; the other file has BYTES."""
SHOWN = ((BYTES, TTLB.name), (SMALL, CONNECT.name), (SMALL, TTLB.name))
"""File and metric of what the table and the predictions have."""
TITLES = ("10 MB: goodput, Mbit/s", "10 KB: handshake, ms", "10 KB: last byte, ms")
"""Of each in the table."""
Place = tuple[int, str, str, str]
"""Bytes, metric, server, browser."""
Numbers = Mapping[Place, Summary]


def measured(data: BookData, key: str) -> Numbers:
    """Of one column, `reference` or `yours`, ms; those with a download that counts, of both files."""
    found = by_browser.counted(data, SERIES, key, {metric for _, metric in SHOWN})
    return {
        (int(row["object_bytes"]), row["metric"], server, browser): summary_of(row) for row, server, browser in found
    }


def goodput_mbps(own: Summary) -> float:
    """Of the large file: its bytes over the mean time to the last of them."""
    return BYTES * 8 / 1e3 / own.mean


def table(data: BookData | None = None) -> HTML:
    """Each server with each browser: goodput of the large file, handshake and last byte of the small one."""
    data = data or book_data.load()
    own = measured(data, newest(data, SERIES).key)
    if not own:
        return HTML(style.NOTHING_YET)
    titles = dict(zip(SHOWN, TITLES, strict=True))
    return by_browser.table(SERVERS, TCP, titles, lambda what, *who: _text(own.get((*what, *who)), what[0] == BYTES))


def _text(own: Summary | None, goodput: bool) -> str:
    if own is None:
        return style.DASH
    if goodput:
        return f"{goodput_mbps(own):.1f}"
    return " ".join(filter(None, style.mean_sd(own.mean, own.sd, 1)))


def last_bytes(own: Numbers) -> dict[tuple[str, str], Summary]:
    """Of the large file, by server and browser."""
    return {(place[2], place[3]): one for place, one in own.items() if place[:2] == (BYTES, TTLB.name)}
