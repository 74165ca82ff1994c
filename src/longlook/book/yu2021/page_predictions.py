"""What the sweep of three pages with loss predicted, and what became of it.

The predictions stand in the head of sweeps/yu2021/yu-pages-loss.toml and were written before the campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.predicted import Prediction, all_of, predictions_table
from longlook.book.varied import REFERENCE
from longlook.book.yu2021.pages import (
    DELAYED,
    LOSS,
    LOSSES,
    LOSSY_ONES,
    SMALL,
    THREE,
    Looked,
    Seen,
)
from longlook.book.yu2021.predictions import Found, judged
from longlook.experiment.metrics import PLT, SPEED_INDEX

THROWN_SHARE = 0.1


def predictions(*sweeps: str, data: BookData | None = None) -> HTML:
    """Those of some sweeps, as far as they are measured."""
    own = Looked(data or book_data.load(), REFERENCE)
    return predictions_table([one for sweep in sweeps if own.is_measured(sweep) for one in OF[sweep](own)])


def _ratios(own: Looked, places: Iterable[Seen], metric: str) -> Found:
    return {where.label: own.ratio(where, metric) for where in places}


def of_loss(own: Looked) -> list[Prediction]:
    larger = [Seen(page, one) for one in LOSSES for page in THREE if page not in SMALL]
    delayed = {f"{metric.title}, {DELAYED.label}": own.ratio(DELAYED, metric.name) for metric in (SPEED_INDEX, PLT)}
    return [
        judged("Speed Index, larger pages with loss: at most 5 % lower", _ratios(own, larger, SPEED_INDEX.name), 0.95),
        judged("page load time, larger pages with loss: within 10 %", _ratios(own, larger, PLT.name), 0.9, 1.1),
        judged("100 ms more, small page: both at least 5 % lower", delayed, high=0.95),
        _selection(own),
    ]


def _selection(own: Looked) -> Prediction:
    """By the numbers alone, but for the median of what is left."""
    said = "with loss: who keeps what wins the race has no higher median, and throws away less than one load in ten"
    found = {where.label: own.selected(where) for where in LOSSY_ONES}
    known = {name: one for name, one in found.items() if one is not None}
    if not known:
        return Prediction(said, "not measured", None)
    thrown, of = (sum(getattr(one, name) for one in known.values()) for name in ("thrown", "of"))
    few = all(one.share < THROWN_SHARE for one in known.values())
    higher = [name for name, one in known.items() if one.change.value > 1]
    text = f"{thrown} of {of} loads thrown away" + (f"; higher: {', '.join(higher)}" if higher else "")
    whole = None if len(known) < len(found) else True
    return Prediction(said, text, all_of(few, not higher, whole))


OF: Mapping[str, Callable[[Looked], list[Prediction]]] = {LOSS: of_loss}
