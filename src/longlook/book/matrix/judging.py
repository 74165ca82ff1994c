"""How the predictions of pairs are judged: bounds by the means, ratios by their intervals. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from longlook.analysis.welch import Summary
from longlook.book.matrix.pairs import NAMES, Pair
from longlook.book.predicted import Prediction, all_of
from longlook.book.times import Times, times, times_text

Numbers = Mapping[Pair, Summary]
LOSSY_APART = 4 / 3
"""By how much downloads under loss may differ and be called alike."""


def bounded(said: str, numbers: Numbers, low: float = float("-inf"), high: float = float("inf")) -> Prediction:
    """By the means: all of them within, or which are not."""
    outside = {pair: one for pair, one in numbers.items() if not low <= one.mean <= high}
    return Prediction(said, span(numbers, "Mbit/s") + which(outside), not outside)


def span(numbers: Numbers, unit: str) -> str:
    means = [one.mean for one in numbers.values()]
    return f"{min(means):.0f} to {max(means):.0f} {unit} ({len(means)} pairs)" if means else "no pair"


def which(outside: Iterable[Pair], word: str = "not") -> str:
    named = [f"{pair.title} ({pair.cca.upper()})" for pair in outside]
    return f"; {word} {', '.join(named)}" if named else ""


def _servers(numbers: Numbers) -> Iterator[list[tuple[Pair, Summary]]]:
    """Those of one server, protocol and controller together, where there are several clients."""

    def place(item: tuple[Pair, Summary]) -> tuple[str, str, str]:
        pair, _ = item
        return pair.cca, pair.protocol, pair.server

    for _, own in groupby(sorted(numbers.items(), key=place), key=place):
        found = list(own)
        if len(found) > 1:
            yield found


def alike(said: str, goodput: Numbers, most: float) -> Prediction:
    """The quickest client of each server over its slowest."""
    texts, holds = [], []
    for own in _servers(goodput):
        quickest, slowest = (choose(own, key=lambda item: item[1].mean) for choose in (max, min))
        found = times(slowest[1], quickest[1])
        holds.append(found.within(at_most=most))
        if holds[-1] is not True:
            pair = quickest[0]
            texts.append(f"{NAMES[pair.server]}, {pair.cca.upper()}: {_factor(found)} ({_clients(quickest, slowest)})")
    return Prediction(said, "; ".join(texts) or f"{len(holds)} of {len(holds)} do", all_of(*holds))


def _clients(*ends: tuple[Pair, Summary]) -> str:
    return " over ".join(NAMES[pair.client] for pair, _ in ends)


def _factor(found: Times) -> str:
    """Three downloads may have no interval."""
    return times_text(replace(found, low=found.least))


def compared(said: str, both: Sequence[tuple[Pair, Times]], holds: Callable[[Times], bool | None]) -> Prediction:
    """How many times, over all pairs, and where it is not as predicted."""
    if not both:
        return Prediction(said, "no pair has both", None)
    values = [found.value for _, found in both]
    failing = [pair for pair, found in both if holds(found) is not True]
    text = f"{min(values):.1f} to {max(values):.1f} times ({len(both)} pairs){which(failing, 'not shown of')}"
    return Prediction(said, text, all_of(*(holds(found) for _, found in both)))
