"""Two browsers with the servers of the matrix: a page with one image, and files that a script fetches.

A page comes before its image and the browser has work of its own, so its times stand beside no other client's. Arms are
called `envoy 111`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix.evidence import STUDY, newest
from longlook.book.matrix.pairs import BROWSERS, NAMES
from longlook.experiment.metrics import CONNECT, PLT, TTLB
from longlook.figure import style
from longlook.figure.table import shown_table
from longlook.record.parquet import records

SLOW = "aioquic"
TCP = ("apache", "nginx")
SERVERS = ("envoy", "ngtcp2", "lsquic", "quicgo", SLOW, *TCP)
BYTES, SMALL = 10_000_000, 10_240
"""Of the image and of the large file; of the small one."""
OTHERS, BBR = "other", "bbr"
"""By whatever a server has but BBR: CUBIC, quic-go's Reno."""


@dataclass(frozen=True)
class BrowserTable:
    """One series: servers down; across, for each of `titles`, both browsers."""

    series: str
    servers: tuple[str, ...]
    titles: Mapping[tuple, str]
    column: Callable[[Mapping[Any, Any]], tuple]
    """Of a row of `arms`: in which of `titles` it stands, or in none."""
    text: Callable[[tuple, Summary], str]

    def measured(self, data: BookData, key: str) -> dict[tuple, Summary]:
        """Of one column, `reference` or `yours`: one of `titles`, server and browser -> its loads that count, ms."""
        rows = data.rows("arms", STUDY, self.series, key)
        found = ((self.column(row), row) for row in records(rows[rows["n"] > 0]))
        return {(*own, *row["arm"].split()): summary_of(row) for own, row in found if own in self.titles}

    def table(self, data: BookData | None = None) -> HTML:
        """A dash where nothing counts."""
        data = data or book_data.load()
        own = self.measured(data, newest(data, self.series).key)
        if not own:
            return HTML(style.NOTHING_YET)
        places = [(*title, browser) for title in self.titles for browser in BROWSERS]
        rows = [
            [f"{NAMES[one]} ({'TCP' if one in TCP else 'QUIC'})", *(self._text(own, one, place) for place in places)]
            for one in self.servers
        ]
        head = ["server", *(browser for _ in self.titles for browser in BROWSERS.values())]
        groups = [("", 1), *((title, len(BROWSERS)) for title in self.titles.values())]
        return shown_table(head, rows, numbers_from=1, groups=groups)

    def _text(self, own: Mapping[tuple, Summary], server: str, place: tuple) -> str:
        *title, browser = place
        found = own.get((*title, server, browser))
        return style.DASH if found is None else self.text(tuple(title), found)


def goodput_mbps(own: Summary) -> float:
    """Of what has BYTES: those over the mean time to the last of them."""
    return BYTES * 8 / 1e3 / own.mean


def _mean_sd(mean: float, sd: float, digits: int) -> str:
    return " ".join(filter(None, style.mean_sd(mean, sd, digits)))


def _of_page(title: tuple, own: Summary) -> str:
    return f"{_mean_sd(own.mean, own.sd, 0)} ({goodput_mbps(own):.0f})"


def _of_file(title: tuple, own: Summary) -> str:
    return f"{goodput_mbps(own):.1f}" if title[0] == BYTES else _mean_sd(own.mean, own.sd, 1)


def _of_lossy_file(title: tuple, own: Summary) -> str:
    """With a deviation that follows from that of the time."""
    mean = goodput_mbps(own)
    return _mean_sd(mean, mean * own.sd / own.mean, 1)


PAGE = BrowserTable(
    "matrix-browser",
    SERVERS[:-1],
    {(PLT.name, loss): f"PLT, ms (goodput, Mbit/s): {words}" for loss, words in ((0.0, "no loss"), (1.0, "1 % loss"))},
    lambda row: (row["metric"], row["loss_pct"]),
    _of_page,
)
FILES = BrowserTable(
    "matrix-chromium",
    SERVERS,
    {
        (BYTES, TTLB.name): "10 MB: goodput, Mbit/s",
        (SMALL, CONNECT.name): "10 KB: handshake, ms",
        (SMALL, TTLB.name): "10 KB: last byte, ms",
    },
    lambda row: (int(row["object_bytes"]), row["metric"]),
    _of_file,
)
LOSSY = BrowserTable(
    "matrix-chromium-loss",
    SERVERS,
    {(TTLB.name, OTHERS): "CUBIC, quic-go Reno: Mbit/s", (TTLB.name, BBR): "BBR: Mbit/s"},
    lambda row: (row["metric"], BBR if row["cca"] == BBR else OTHERS),
    _of_lossy_file,
)
