"""Two browsers with the servers of the matrix, and what became of the predictions of sweeps/matrix/matrix-browser.toml.

A browser's time is that of a page with one image, so it stands beside no other client's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import by_browser
from longlook.book.matrix.evidence import newest
from longlook.book.matrix.judging import LOSSY_APART
from longlook.book.matrix.pairs import BROWSERS, NAMES
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import Times, percent_text, times
from longlook.experiment.metrics import PLT
from longlook.figure import style

SERIES = "matrix-browser"
SERVERS = ("envoy", "ngtcp2", "lsquic", "quicgo", "aioquic", "apache")
LOSSES_PCT = {0.0: "no loss", 1.0: "1 % loss"}
SLOW, TWO, TCP = "aioquic", "envoy", "apache"
MOST_APART, LEAST_SLOW = 1.1, 1.4
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


def predictions(data: BookData | None = None) -> HTML:
    """By the reference campaign."""
    return predictions_table(judged(measured(data or book_data.load(), "reference")))


def judged(own: Numbers) -> list[Prediction]:
    """None before all are measured; of TCP nothing is predicted, and under loss `SLOW` is left out."""
    known, lost = (
        {(server, browser): one for (at, server, browser), one in own.items() if at == loss_pct and server != TCP}
        for loss_pct in LOSSES_PCT
    )
    servers = len(SERVERS) - 1
    if len(known) < servers * len(BROWSERS) or len(lost) < (servers - 1) * len(BROWSERS):
        return []
    quick = {place: one for place, one in known.items() if place[0] != SLOW}
    return [
        _servers_alike(quick),
        _over(
            f"from aioquic it takes at least {LEAST_SLOW:g} times what it takes from Envoy, with each browser",
            {BROWSERS[browser]: times(known[TWO, browser], known[SLOW, browser]) for browser in BROWSERS},
            at_least=LEAST_SLOW,
        ),
        _over(
            "without loss the browsers differ by at most 10 % with each server but aioquic",
            dict(_by_browser(quick)),
            1 / MOST_APART,
            MOST_APART,
        ),
        _over(
            "with 1 % loss Envoy is ahead of ngtcp2, of LSQUIC and of quic-go with each browser",
            {
                f"{NAMES[server]}, {BROWSERS[browser]}": times(lost[TWO, browser], one)
                for (server, browser), one in lost.items()
                if server != TWO
            },
            at_least=1.0,
        ),
        _over(
            "with 1 % loss the browsers differ by less than a third with each server",
            dict(_by_browser(lost)),
            1 / LOSSY_APART,
            LOSSY_APART,
        ),
    ]


def _by_browser(found: Mapping[tuple[str, str], Summary]) -> Iterator[tuple[str, Times]]:
    """The newer browser over the older, of each server."""
    old, new = BROWSERS
    for server in dict.fromkeys(server for server, _ in found):
        yield NAMES[server], times(found[server, old], found[server, new])


def _servers_alike(quick: Mapping[tuple[str, str], Summary]) -> Prediction:
    ratios = {}
    for browser, title in BROWSERS.items():
        own = [(one, server) for (server, which), one in quick.items() if which == browser]
        (least, first), (most, last) = (choose(own, key=lambda item: item[0].mean) for choose in (min, max))
        ratios[f"{title}, {NAMES[last]} over {NAMES[first]}"] = times(least, most)
    return _over(
        "without loss the slowest server but aioquic takes at most 1.1 times what the quickest does, with each browser",
        ratios,
        at_most=MOST_APART,
    )


def _over(
    said: str, ratios: Mapping[str, Times], at_least: float = float("-inf"), at_most: float = float("inf")
) -> Prediction:
    texts = "; ".join(f"{name}: {percent_text(one)}" for name, one in ratios.items())
    return Prediction(said, texts, all_of(*(one.within(at_least, at_most) for one in ratios.values())))
