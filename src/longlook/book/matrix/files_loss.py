"""Files by Chromium with loss."""

from __future__ import annotations

from collections.abc import Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import by_browser
from longlook.book.matrix.evidence import newest
from longlook.book.matrix.files import SERVERS, TCP, goodput_mbps
from longlook.experiment.metrics import TTLB
from longlook.figure import style

SERIES = "matrix-chromium-loss"
OTHERS, BBR = "other", "bbr"
"""By whatever a server has but BBR: CUBIC, quic-go's Reno."""
Place = tuple[str, str, str]
"""OTHERS or BBR, server, browser."""
Numbers = Mapping[Place, Summary]


def measured(data: BookData, key: str) -> Numbers:
    """Time to the last byte of 10 MB, of one column, `reference` or `yours`, ms; those with a download that counts."""
    found = by_browser.counted(data, SERIES, key, {TTLB.name})
    return {(BBR if row["cca"] == BBR else OTHERS, server, browser): summary_of(row) for row, server, browser in found}


def table(data: BookData | None = None) -> HTML:
    """Each server with each browser: goodput by what else it has, and by BBR."""
    data = data or book_data.load()
    own = measured(data, newest(data, SERIES).key)
    if not own:
        return HTML(style.NOTHING_YET)
    titles = {OTHERS: "CUBIC, quic-go Reno: Mbit/s", BBR: "BBR: Mbit/s"}
    return by_browser.table(SERVERS, TCP, titles, lambda *place: _text(own.get(place)))


def _text(own: Summary | None) -> str:
    """With a deviation that follows from that of the time."""
    if own is None:
        return style.DASH
    mean = goodput_mbps(own)
    return " ".join(filter(None, style.mean_sd(mean, mean * own.sd / own.mean, 1)))
