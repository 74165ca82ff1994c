"""Numbers of the chapter settings.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from longlook.book.hypotheses import stated
from longlook.book.times import Times
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.yu2021.evidence import (
    BURST,
    BURST_LOSSY,
    DOUBLE,
    FAR,
    LARGE,
    LOSSY,
    MIDDLE,
    MIXED,
    OBJECT,
    PAIRS,
    QUIET,
    SMALL,
    WITHOUT_LOSS,
    Controllers,
    FileSquare,
    place,
    verdict,
)
from longlook.book.yu2021.evidence import FileLoads as Own
from longlook.book.yu2021.settings import (
    BURST_PLACES,
    FOUR,
    ONE_H2,
    ONE_H3,
    apart,
    directions,
    moved,
    without_burst,
)
from longlook.figure import style

RECORDS = "data/raw/reference-yu-*"
BURST_LARGE = tuple(FileSquare(BURST, LARGE, one) for one in WITHOUT_LOSS)


def _all(found: Iterable[Times | None], what: str) -> list[Times]:
    wanted = list(found)
    known = sorted((one for one in wanted if one is not None), key=lambda one: one.value)
    if not wanted or len(known) < len(wanted):
        raise NotMeasured(f"{len(wanted) - len(known)} {what} are not measured")
    return known


def _seconds(places: Iterable[FileSquare]) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest median of the four senders: `0.2 to 1.3 s`."""
    asked = tuple(places)

    def number(m: Measured) -> StatedNumber:
        own = Own(m.data, m.key)
        found = _all((own.median_ms(where, arm) for where in asked for arm in FOUR), "senders")
        low, high = (f"{one.value / 1e3:.1f}" for one in (found[0], found[-1]))
        text = low if low == high else f"{low} to {high}"
        return StatedNumber(f"{text}{SPACE}s", f"medians of {len(found)} senders and links; from {RECORDS}")

    return number


def _pct(
    pairs: Iterable[Controllers],
    places: Iterable[FileSquare],
    clients: tuple[tuple[str, ...], ...] = (ONE_H3, ONE_H2),
) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest of some squares: `−14 to −11 %`. `clients`: none for those of the paper's rule."""
    asked = tuple((pair, where) for where in places for pair in pairs)

    def number(m: Measured) -> StatedNumber:
        own = Own(m.data, m.key)
        found = _all((own.rule(where, pair, *clients) for pair, where in asked), "squares")
        low, high = (style.signed_pct((one.value - 1) * 100) for one in (found[0], found[-1]))
        text = low if low == high else f"{low} to {high}"
        return StatedNumber(f"{text}{SPACE}%", f"HTTP/3 against HTTP/2, {len(found)} squares; from {RECORDS}")

    return number


def _changed(m: Measured) -> StatedNumber:
    """Of the squares with a burst those whose verdict is another without it."""
    both = [(one, other) for one, other in moved(Own(m.data, m.key), BURST_PLACES).values() if one and other]
    if not both:
        raise NotMeasured("no square is measured with a burst")
    changed = sum(verdict(one) != verdict(other) for one, other in both)
    return StatedNumber(f"{changed} of {len(both)}", f"quicker, slower or not told apart; from {RECORDS}")


def _little(m: Measured) -> StatedNumber:
    found = apart(directions(Own(m.data, m.key)))
    if not found:
        raise NotMeasured("no square is measured with little loss each way")
    low, high = (f"{choose(found.values()):.1f}" for choose in (min, max))
    return StatedNumber(f"{low} to {high}", f"percentage points, {len(found)} squares; from {RECORDS}")


NUMBERS: Numbers = {
    "burst-5mb": _seconds(BURST_LARGE),
    "plain-5mb": _seconds(map(without_burst, BURST_LARGE)),
    "burst-changed": _changed,
    "burst-1mb": _pct(PAIRS, [FileSquare(BURST, MIDDLE)]),
    "plain-1mb": _pct(PAIRS, [place(MIDDLE)]),
    "burst-mixed": _pct([MIXED], [FileSquare(BURST_LOSSY, LARGE, LOSSY)]),
    "plain-mixed": _pct([MIXED], [place(LARGE, LOSSY)]),
    "small-quiet": _pct(PAIRS, [place(SMALL, QUIET)], ()),
    "double-quiet": _pct(PAIRS, [FileSquare(OBJECT, DOUBLE, QUIET)], ()),
    "small-far": _pct(PAIRS, [place(SMALL, FAR)], ()),
    "double-far": _pct(PAIRS, [FileSquare(OBJECT, DOUBLE, FAR)], ()),
    "little-points": _little,
    **{f"stated-{name}": stated(f"yu-{name}") for name in ("burst", "burst-5mb", "200kb", "each-way-little")},
}
