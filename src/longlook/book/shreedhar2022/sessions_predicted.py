"""What the sweeps of a film predicted, and what came of it. By the reference campaigns.

The predictions stand in the heads of sweeps/shreedhar2022/shreedhar-video*.toml and were written before anything was
played.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.shreedhar2022.sessions import LONG, NAMES, QUIC, SHORT, TCP, Played
from longlook.book.times import Times, ms_text, percent_text
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import SHOWN, STALLED, STALLS, STARTUP
from longlook.figure import style

SAME, FASTER, LITTLE_FASTER, RICHER = (0.95, 1.05), 1.2, 1.1, 1.2
AT_ONCE_MS, LATER_MS = 1000.0, (5.0, 100.0)
Part = tuple[str, bool | None]
"""What was found of a part, and whether it holds."""


def predictions(series: str, data: BookData | None = None) -> HTML:
    """Those of a sweep, where it is measured."""
    own = Played(data or book_data.load(), REFERENCE)
    return predictions_table(PREDICTIONS[series](own) if own.has(series) else [])


def _joined(said: str, *parts: Part) -> Prediction:
    return Prediction(said, "; ".join(text for text, _ in parts), all_of(*(holds for _, holds in parts)))


def _bounded(
    name: str,
    found: Times | None,
    low: float = -math.inf,
    high: float = math.inf,
    text: Callable[[Times], str] = percent_text,
) -> Part:
    if found is None:
        return f"{name}: not measured", None
    return f"{name} {text(found)}", found.within(low, high)


def _each(name: str, values: Mapping[str, Sequence[float]], high: float) -> Part:
    """Whether no session of any of these is above `high`."""
    if not all(len(own) for own in values.values()):
        return f"{name}: not measured", None
    most = ", ".join(f"{style.rounded(max(own))} by {NAMES[arm]}" for arm, own in values.items())
    return f"{name}: at most {most}", all(one <= high for own in values.values() for one in own)


def _still(own: Played, series: str, loss_pct: float) -> Part:
    values = {arm: own.values(series, loss_pct, arm, STALLS.name) for arm in (QUIC, TCP)}
    return _each(f"stalls of a session at {loss_pct:g} %", values, 0)


def _alike(own: Played, series: str) -> Prediction:
    shown = [
        _bounded(f"bitrate by HTTP/2 at {loss:g} %", own.times(series, loss, SHOWN.name, QUIC, TCP), *SAME)
        for loss in (0.0, 1.0)
    ]
    still = [_still(own, series, loss) for loss in (0.0, 1.0)]
    return _joined("without loss and with 1 %: no stalls, and bitrates within 5 %", *still, *shown)


def _begins(own: Played) -> Prediction:
    values = {arm: own.values(SHORT, 0.0, arm, STARTUP.name) for arm in (QUIC, TCP)}
    later = _bounded("HTTP/2 later by", own.longer(SHORT, 0.0, STARTUP.name), *LATER_MS, text=ms_text)
    said = "without loss: both begin within a second, HTTP/2 later by 5 to 100 ms"
    return _joined(said, _each("start-up, ms", values, AT_ONCE_MS), later)


def _slower(own: Played, loss_pct: float, least: float) -> Prediction:
    found = own.times(SHORT, loss_pct, STARTUP.name, QUIC, TCP)
    said = f"with {loss_pct:g} %: HTTP/2 takes at least {least:g} times as long to begin"
    return _joined(said, _bounded("HTTP/2 against HTTP/3:", found, least))


def _richer(own: Played, series: str) -> Prediction:
    found = own.times(series, 10.0, SHOWN.name, TCP, QUIC)
    said = f"with 10 %: the mean bitrate by HTTP/3 is at least {RICHER:g} times that by HTTP/2"
    return _joined(said, _bounded("HTTP/3 against HTTP/2:", found, RICHER))


def _no_longer(own: Played, series: str) -> Part:
    return _bounded("HTTP/2 stands still longer by", own.longer(series, 10.0, STALLED.name), 0.0, text=ms_text)


def _stalls_short(own: Played) -> Prediction:
    said = "with 5 %: no stalls; with 10 %: HTTP/3 stands still no longer"
    return _joined(said, _still(own, SHORT, 5.0), _no_longer(own, SHORT))


def _stalls_long(own: Played) -> Prediction:
    more = own.longer(LONG, 10.0, STALLS.name)
    text = "not measured" if more is None else f"{more.value:+.1f} stalls by HTTP/2".replace("-", style.MINUS)
    count: Part = (text, None if more is None else more.within(at_least=0.0))
    return _joined("with 10 %: HTTP/3 stalls no more often, and stands still no longer", count, _no_longer(own, LONG))


PREDICTIONS: Mapping[str, Callable[[Played], list[Prediction]]] = {
    SHORT: lambda own: [
        _alike(own, SHORT),
        _begins(own),
        _slower(own, 5.0, FASTER),
        _slower(own, 10.0, LITTLE_FASTER),
        _richer(own, SHORT),
        _stalls_short(own),
    ],
    LONG: lambda own: [_alike(own, LONG), _richer(own, LONG), _stalls_long(own)],
}
