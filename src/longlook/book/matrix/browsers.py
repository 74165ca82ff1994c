"""Two browsers with the servers of the matrix.

A browser's time is that of a page with one image, so it stands beside no other client's.
"""

from __future__ import annotations

from collections.abc import Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import by_browser
from longlook.book.matrix.evidence import newest
from longlook.experiment.metrics import PLT
from longlook.figure import style

SERIES = "matrix-browser"
SERVERS = ("envoy", "ngtcp2", "lsquic", "quicgo", "aioquic", "apache")
LOSSES_PCT = {0.0: "no loss", 1.0: "1 % loss"}
SLOW, TCP = "aioquic", "apache"
BYTES = 10_000_000
"""Of the image."""
Numbers = Mapping[tuple[float, str, str], Summary]
"""Loss of both directions (%), server, browser -> PLT, ms."""


def measured(data: BookData, key: str) -> Numbers:
    """Of one column, `reference` or `yours`; those with a load that counts."""
    found = by_browser.counted(data, SERIES, key, {PLT.name})
    return {(float(row["loss_pct"]), server, browser): summary_of(row) for row, server, browser in found}


def table(data: BookData | None = None) -> HTML:
    """PLT of each server with each browser, and the page's bytes over it."""
    data = data or book_data.load()
    own = measured(data, newest(data, SERIES).key)
    if not own:
        return HTML(style.NOTHING_YET)
    titles = {loss: f"PLT, ms (goodput, Mbit/s): {words}" for loss, words in LOSSES_PCT.items()}
    return by_browser.table(SERVERS, {TCP}, titles, lambda *place: _text(own.get(place)))


def _text(own: Summary | None) -> str:
    if own is None:
        return style.DASH
    return f"{' '.join(style.mean_sd(own.mean, own.sd, 0))} ({BYTES * 8 / 1e3 / own.mean:.0f})"
