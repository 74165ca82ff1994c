"""Files by Chromium with loss, and what became of the predictions of sweeps/matrix/matrix-chromium-loss.toml."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix import by_browser
from longlook.book.matrix.evidence import newest
from longlook.book.matrix.files import SERVERS, TCP, goodput_mbps
from longlook.book.matrix.judging import LOSSY_APART
from longlook.book.matrix.pairs import BROWSERS, NAMES
from longlook.book.matrix.predictions import LEAST_MBPS, LEAST_TIMES_BBR
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.times import Times, times
from longlook.experiment.metrics import TTLB
from longlook.figure import style

SERIES = "matrix-chromium-loss"
OTHERS, BBR = "other", "bbr"
"""By whatever a server has but BBR: CUBIC, quic-go's Reno."""
BEHIND = "apache"
AHEAD = ("envoy", "ngtcp2", "lsquic")
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


def predictions(data: BookData | None = None) -> HTML:
    """By the reference campaign."""
    return predictions_table(judged(measured(data or book_data.load(), "reference")))


def judged(own: Numbers) -> list[Prediction]:
    """None before both cells are measured."""
    if {kind for kind, *_ in own} != {OTHERS, BBR}:
        return []
    mbps = [goodput_mbps(one) for (kind, *_), one in own.items() if kind == BBR]
    return [
        _over(
            "the two browsers differ by less than a third with each server and controller",
            _by_browser(own),
            lambda one: one.within(1 / LOSSY_APART, LOSSY_APART),
        ),
        _over(
            "by BBR every server has at least twice the goodput that it has by CUBIC, with each browser",
            _by_controller(own),
            lambda one: one.within(at_least=LEAST_TIMES_BBR),
        ),
        Prediction(
            f"by BBR 10 MB come at {LEAST_MBPS:g} Mbit/s at least from every server",
            f"{min(mbps):.0f} to {max(mbps):.0f} Mbit/s",
            min(mbps) >= LEAST_MBPS,
        ),
        _over(
            "by CUBIC Apache takes longer than Envoy, ngtcp2 and LSQUIC, with each browser",
            _behind(own),
            lambda one: one.within(at_least=1.0),
        ),
    ]


def _by_browser(own: Numbers) -> Iterator[tuple[str, Times]]:
    """The newer browser's time over the older's."""
    old, new = BROWSERS
    for (kind, server, browser), one in own.items():
        if browser == old and (other := own.get((kind, server, new))):
            yield f"{NAMES[server]}{', BBR' if kind == BBR else ''}", times(one, other)


def _by_controller(own: Numbers) -> Iterator[tuple[str, Times]]:
    """The time by CUBIC over that by BBR."""
    for (kind, server, browser), one in own.items():
        if kind == BBR and (other := own.get((OTHERS, server, browser))):
            yield f"{NAMES[server]}, {BROWSERS[browser]}", times(one, other)


def _behind(own: Numbers) -> Iterator[tuple[str, Times]]:
    """Apache's time over the others'."""
    for (kind, server, browser), one in own.items():
        if kind == OTHERS and server in AHEAD and (other := own.get((OTHERS, BEHIND, browser))):
            yield f"{NAMES[server]} ({BROWSERS[browser]})", times(one, other)


def _over(said: str, ratios: Iterator[tuple[str, Times]], holds: Callable[[Times], bool | None]) -> Prediction:
    """From the least to the greatest of all, and those of which it is not shown."""
    found = dict(ratios)
    if not found:
        return Prediction(said, "none has both", None)
    values = [one.value for one in found.values()]
    failing = [name for name, one in found.items() if holds(one) is not True]
    text = f"{min(values):.2f} to {max(values):.2f} times ({len(values)})"
    text += f"; not shown of {', '.join(failing)}" if failing else ""
    return Prediction(said, text, all_of(*(holds(one) for one in found.values())))
