"""Numbers of the chapter objects.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

from longlook.book.evidence import StudyColumn, by, records_of
from longlook.book.judged import claims_counted
from longlook.book.times import percent_text
from longlook.book.value import SPACE, Measured, NotMeasured, Number, Quantity, StatedNumber, number, origin
from longlook.book.value_role import Numbers
from longlook.book.yu2021 import asked
from longlook.book.yu2021.names import (
    BBR,
    CUBIC,
    FAR,
    LARGE,
    LIKE,
    LOSSY,
    MEDIAN,
    MIDDLE,
    MIXED,
    NATIVE,
    PAIRS,
    PLACES,
    QUIET,
    SMALL,
    Controllers,
    FileSquare,
    place,
    printed,
    rule,
    verdict,
)
from longlook.book.yu2021.numbers.handshakes import NUMBERS as HANDSHAKES
from longlook.published.yu2021 import differences

PRINTED = "data/published/yu2021/differences.csv"
ASKED, NOT_ASKED = "from book/yu2021/clients.csv", "`longlook clients` has not been run"


def rules(m: Measured, pairs: Iterable[Controllers], places: Iterable[FileSquare], *clients: Sequence[str]) -> Quantity:
    """By the paper's rule, or by these clients of HTTP/3 and of HTTP/2."""
    found = (by(m, **rule(where, pair, *clients)) for where, pair in product(places, pairs))
    return Quantity.joined(*found)


def _pct(pairs: Iterable[Controllers], *places: FileSquare) -> Number:
    return lambda m: rules(m, pairs, places).changes()


@number
def _one(m: Measured, pair: Controllers, where: FileSquare) -> StatedNumber:
    """`+9.1 % (+6.3 to +12.0), 12 downloads of each`: one square, its interval and the loads of the client with the
    fewest."""
    found = StudyColumn(m.data, m.study, m.key).found(**rule(where, pair))
    if not found:
        raise NotMeasured("not every client is measured")
    text = f"{percent_text(found[0].estimate)}, {min(row['n'] for row in found[0].rows)} downloads of each client"
    return StatedNumber(text, f"lowest medians, 99 % bootstrap interval; {origin(records_of(found))}")


def _agree(m: Measured) -> StatedNumber:
    """Of the published squares those whose re-measured one, with the provider's controllers, says the same."""
    own = StudyColumn(m.data, m.study, m.key)
    pairs = [
        (verdict(printed(provider, where)), found)
        for provider, pair in LIKE.items()
        for where in PLACES
        for found in own.found(**rule(where, pair))
    ]
    if not pairs:
        raise NotMeasured("no square is measured")
    same = sum(said == verdict(found.estimate) for said, found in pairs)
    text = f"{same} of {len(pairs)} ({100 * same / len(pairs):.0f}{SPACE}%)"
    records = origin(records_of(found for _, found in pairs))
    return StatedNumber(
        text, f"quicker, slower or no difference detected: {PRINTED} against what was measured, {records}"
    )


def _behind(m: Measured) -> StatedNumber:
    """The median of Chromium above the lowest of the native clients, 100 KB by BBR."""
    arms = ["quic bbr chromium", "|".join(f"quic bbr {one}" for one in NATIVE)]
    return by(m, difference=arms, **MEDIAN, **place(SMALL).said).one("ms", 1)


def _least_window(_m: Measured) -> StatedNumber:
    least = asked.least()
    if least is None:
        raise NotMeasured(NOT_ASKED)
    return StatedNumber(asked.kilobytes(least), ASKED)


def _unverified(_m: Measured) -> StatedNumber:
    names = asked.unverified()
    if names is None:
        raise NotMeasured(NOT_ASKED)
    return StatedNumber(" and ".join(names) or "none", ASKED)


NUMBERS: Numbers = {
    "squares": lambda m: StatedNumber(str(len(differences())), PRINTED),
    "agree": _agree,
    "claims": lambda m: claims_counted(m, bool, "objects"),
    "claims-hold": lambda m: claims_counted(m, lambda said: said == "holds", "objects"),
    "claims-fail": lambda m: claims_counted(m, lambda said: said == "does not hold", "objects"),
    "claims-partly": lambda m: claims_counted(m, lambda said: said not in ("holds", "does not hold"), "objects"),
    "small-quiet": _pct(PAIRS, place(SMALL)),
    "small-far": _pct(PAIRS, place(SMALL, FAR)),
    "larger-quiet": _pct(PAIRS, place(MIDDLE, QUIET), place(LARGE, QUIET)),
    "mixed-lossy-1mb": _one(MIXED, place(MIDDLE, LOSSY)),
    "mixed-lossy-5mb": _one(MIXED, place(LARGE, LOSSY)),
    "bbr-lossy": _pct([BBR], place(MIDDLE, LOSSY), place(LARGE, LOSSY)),
    "cubic-lossy": _pct([CUBIC], place(MIDDLE, LOSSY), place(LARGE, LOSSY)),
    "browser-behind": _behind,
    "check": HANDSHAKES["check-h3"],
    "least-window": _least_window,
    "unverified": _unverified,
}
