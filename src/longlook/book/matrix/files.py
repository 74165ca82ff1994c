"""Chromium as a client of files, and what became of the predictions of sweeps/matrix/matrix-chromium.toml."""

from __future__ import annotations

from collections.abc import Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import by_browser
from longlook.book.matrix.browsers import BYTES, MOST_APART, SLOW
from longlook.book.matrix.evidence import newest
from longlook.book.matrix.pairs import BROWSERS, NAMES
from longlook.book.matrix.predictions import LEAST_MBPS, MOST_SLOW_MBPS, QUIC_TRIPS, RTT_MS, TCP_TRIPS
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import percent_text, times
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


def predictions(data: BookData | None = None) -> HTML:
    """By the reference campaign."""
    return predictions_table(judged(measured(data or book_data.load(), "reference")))


def judged(own: Numbers) -> list[Prediction]:
    """None before all servers of QUIC are measured with both browsers."""
    large, handshakes = last_bytes(own), of_what(own, SMALL, CONNECT.name)
    wanted = {(server, browser) for server in SERVERS if server not in TCP for browser in BROWSERS}
    if not wanted <= large.keys() & handshakes.keys():
        return []
    return [*_goodput(large), _alike(large), _trips(handshakes)]


def last_bytes(own: Numbers) -> dict[tuple[str, str], Summary]:
    """Of the large file, by server and browser."""
    return of_what(own, BYTES, TTLB.name)


def of_what(own: Numbers, size: int, metric: str) -> dict[tuple[str, str], Summary]:
    """One metric of one file, by server and browser."""
    return {(place[2], place[3]): one for place, one in own.items() if place[:2] == (size, metric)}


def _goodput(large: Mapping[tuple[str, str], Summary]) -> list[Prediction]:
    mbps = {place: goodput_mbps(one) for place, one in large.items()}
    quick, slow = ([one for (server, _), one in mbps.items() if (server == SLOW) is kind] for kind in (False, True))
    return [
        Prediction(
            f"10 MB come at {LEAST_MBPS:g} Mbit/s at least from every server but aioquic",
            f"{min(quick):.0f} to {max(quick):.0f} Mbit/s",
            min(quick) >= LEAST_MBPS,
        ),
        Prediction(
            f"from aioquic at less than {MOST_SLOW_MBPS:g} Mbit/s",
            f"{min(slow):.0f} to {max(slow):.0f} Mbit/s",
            max(slow) < MOST_SLOW_MBPS,
        ),
    ]


def _alike(large: Mapping[tuple[str, str], Summary]) -> Prediction:
    """The newer browser over the older, of each server that has both."""
    old, new = BROWSERS
    ratios = {
        NAMES[server]: times(large[server, old], large[server, new])
        for server in SERVERS
        if server != SLOW and {(server, old), (server, new)} <= large.keys()
    }
    texts = "; ".join(f"{name}: {percent_text(one)}" for name, one in ratios.items())
    holds = all_of(*(one.within(1 / MOST_APART, MOST_APART) for one in ratios.values()))
    return Prediction("the browsers differ by at most 10 % with each server but aioquic", texts, holds)


def _trips(handshakes: Mapping[tuple[str, str], Summary]) -> Prediction:
    def bounds(server: str) -> tuple[float, float]:
        low, high = TCP_TRIPS if server in TCP else QUIC_TRIPS
        return low * RTT_MS, high * RTT_MS

    outside = []
    for (server, browser), one in handshakes.items():
        low, high = bounds(server)
        if not low <= one.mean <= high:
            outside.append(f"{NAMES[server]}, {BROWSERS[browser]} ({one.mean:.0f} ms)")
    spans = []
    for name, kind in (("QUIC", False), ("TCP", True)):
        if means := [one.mean for (server, _), one in handshakes.items() if (server in TCP) is kind]:
            spans.append(f"{name} {min(means):.0f} to {max(means):.0f} ms")
    text = "; ".join(spans) + (f"; not {', '.join(outside)}" if outside else "")
    return Prediction("QUIC's handshake takes less than 1.5 round trips, TCP's 2 to 2.5", text, not outside)
