"""What the sweep today-priorities predicted (the head of its file), what became of it; claim 14 of Yu and Benson."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.claimed import Claim, ClaimPart
from longlook.book.data import BookData
from longlook.book.predicted import Found, Prediction, all_of, judged, predictions_table
from longlook.book.times import Times, part_of
from longlook.book.years.priorities import (
    BEFORE,
    EVERY,
    LOSSY,
    MAIN,
    NAMES,
    QUIET,
    SAID,
    SEQUENCE,
    TCP,
    TURNS,
    Ordered,
    Where,
)
from longlook.experiment.metrics import FCP, PLT, SPEED_INDEX

MOST_BEFORE, LEAST_BEFORE = 2.0, 5.0
"""Of the bytes of scripts and images, %: before the last style sheet."""


def table(data: BookData | None = None) -> HTML:
    """Without a campaign, that nothing is measured yet."""
    return predictions_table(predictions(data or book_data.load()))


def predictions(data: BookData) -> list[Prediction]:
    """Those of the sweep; none before it is measured."""
    own = Ordered(data)
    return of_priorities(own) if own.is_measured else []


def of_priorities(own: Ordered) -> list[Prediction]:
    """In the order of the sweep's head."""
    turns = _ratios(own, EVERY, FCP.name, TURNS, SAID)
    late = judged("first contentful paint in turns: at least 20 % later than with priorities", turns, low=1.2)
    sequence = _ratios(own, QUIET, FCP.name, SEQUENCE, SAID)
    return [
        late,
        judged("first contentful paint in sequence, without loss: within 15 %", sequence, 0.85, 1.15),
        judged("main image in turns: at least 50 % later", _ratios(own, EVERY, MAIN, TURNS, SAID), low=1.5),
        judged("Speed Index in turns: at least 15 % above", _ratios(own, EVERY, SPEED_INDEX.name, TURNS, SAID), 1.15),
        *(
            judged(
                f"page load time in turns and in sequence, {'with' if places[0].loss_pct else 'without'} loss: within "
                f"{bound * 100:.0f} %",
                {
                    f"{NAMES[arm]}, {name}": ratio
                    for arm in (TURNS, SEQUENCE)
                    for name, ratio in _ratios(own, places, PLT.name, arm, SAID).items()
                },
                1 - bound,
                1 + bound,
            )
            for places, bound in ((QUIET, 0.05), (LOSSY, 0.1))
        ),
        judged(
            "main image in sequence: at least 30 % earlier than in turns",
            _ratios(own, EVERY, MAIN, SEQUENCE, TURNS),
            high=0.7,
        ),
        judged(
            "HTTP/2's main image, without loss: at least 30 % earlier than HTTP/3's in turns",
            _ratios(own, QUIET, MAIN, TCP, TURNS),
            high=0.7,
        ),
        judged(
            "HTTP/2's first contentful paint, without loss: later than HTTP/3's",
            _ratios(own, QUIET, FCP.name, TCP, SAID),
            low=1.0,
        ),
        _before(own),
    ]


def _ratios(own: Ordered, places: Iterable[Where], metric: str, over: str, under: str) -> Found:
    return {where.label: own.ratio(where, metric, over, under) for where in places}


def _before(own: Ordered) -> Prediction:
    """By medians, which have no interval here."""
    bounds = {SAID: (-math.inf, MOST_BEFORE), SEQUENCE: (-math.inf, MOST_BEFORE), TURNS: (LEAST_BEFORE, math.inf)}
    said = (
        f"scripts and images before the last style sheet, without loss: at most {MOST_BEFORE:g} % with priorities and "
        f"in sequence, at least {LEAST_BEFORE:g} % in turns"
    )
    texts: list[str] = []
    holds: list[bool | None] = []
    for arm, (low, high) in bounds.items():
        for where in QUIET:
            loads = own.loads(where, arm, BEFORE)
            if not loads:
                holds.append(None)
                continue
            share = Times(statistics.median(loads))
            texts.append(f"{NAMES[arm]}, {where.label}: {share.value:.0f} %")
            holds.append(share.within(low, high))
    return Prediction(said, "; ".join(texts) or "not measured", all_of(*holds))


def _claim_14(own: Ordered | None) -> list[ClaimPart]:
    found = {} if own is None else _ratios(own, EVERY, MAIN, SEQUENCE, TURNS)
    return [part_of(name, one, at_most=1.0) for name, one in found.items() if one is not None]


CLAIM_14 = Claim(
    "yu-14",
    "The main image of the large page is painted earlier over HTTP/3: HTTP/2 ignores the priorities of images",
    "its mechanism, by one protocol and one server: the main image is there earlier where objects are sent one after "
    "the other than where they are sent in turns, on two pages, without and with 1 % loss",
    _claim_14,
    len(EVERY),
)
"""Of Yu and Benson 2021, by the software of 2026; its evidence is an `Ordered`."""
