"""Numbers of the chapter settings.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, product

from longlook.book.evidence import StudyColumn, by, records_of
from longlook.book.value import Measured, NotMeasured, Number, Quantity, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.book.yu2021.names import (
    BURST,
    BURST_LOSSY,
    DOUBLE,
    FAR,
    LARGE,
    LOSSY,
    MEDIAN,
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
    rule,
    verdict,
)
from longlook.book.yu2021.numbers.objects import rules
from longlook.book.yu2021.settings import (
    BURST_PLACES,
    FOUR,
    LITTLE_EACH_WAY,
    ONE_H2,
    ONE_H3,
    little_places,
    without_burst,
)

BURST_LARGE = tuple(FileSquare(BURST, LARGE, one) for one in WITHOUT_LOSS)
ONES = (ONE_H3, ONE_H2)


@number
def _seconds(m: Measured, places: Sequence[FileSquare]) -> StatedNumber:
    """The least and the greatest median of the four senders: `0.2 to 1.3 s`."""
    found = Quantity.joined(*(by(m, value=FOUR, **MEDIAN, **where.said) for where in places))
    return (found / 1000).span("s", 1)


def _pct(pairs: Iterable[Controllers], where: FileSquare, *clients: tuple[str, ...]) -> Number:
    """`clients`: none for those of the paper's rule."""
    return lambda m: rules(m, pairs, [where], *clients).changes()


def _changed(m: Measured) -> StatedNumber:
    """Of the squares with a burst those whose verdict is another without it."""
    own = StudyColumn(m.data, m.study, m.key)
    both = [
        [*own.found(**rule(where, pair, *ONES)), *own.found(**rule(without_burst(where), pair, *ONES))]
        for where in BURST_PLACES
        for pair in PAIRS
    ]
    known = [each for each in both if len(each) == 2]
    if not known:
        raise NotMeasured("no square is measured with a burst")
    changed = sum(verdict(one.estimate) != verdict(other.estimate) for one, other in known)
    records = origin(records_of(chain(*known)))
    return StatedNumber(f"{changed} of {len(known)}", f"quicker, slower or no difference detected; {records}")


def _little(m: Measured) -> StatedNumber:
    """How many percentage points the ratios with little loss each way and on the way down alone are apart."""
    apart = (
        by(m, **rule(where.at(LITTLE_EACH_WAY), pair, *ONES)) - by(m, **rule(where, pair, *ONES))
        for where, pair in product(little_places(), PAIRS)
    )
    return (Quantity.joined(*apart).size() * 100).span("", 1)


NUMBERS: Numbers = {
    "burst-5mb": _seconds(BURST_LARGE),
    "plain-5mb": _seconds([without_burst(where) for where in BURST_LARGE]),
    "burst-changed": _changed,
    "burst-1mb": _pct(PAIRS, FileSquare(BURST, MIDDLE), *ONES),
    "plain-1mb": _pct(PAIRS, place(MIDDLE), *ONES),
    "burst-mixed": _pct([MIXED], FileSquare(BURST_LOSSY, LARGE, LOSSY), *ONES),
    "plain-mixed": _pct([MIXED], place(LARGE, LOSSY), *ONES),
    "small-quiet": _pct(PAIRS, place(SMALL, QUIET)),
    "double-quiet": _pct(PAIRS, FileSquare(OBJECT, DOUBLE, QUIET)),
    "small-far": _pct(PAIRS, place(SMALL, FAR)),
    "double-far": _pct(PAIRS, FileSquare(OBJECT, DOUBLE, FAR)),
    "little-points": _little,
}
