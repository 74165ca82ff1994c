"""Numbers of the chapter objects.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from longlook.book.hypotheses import stated
from longlook.book.judged import claims_counted
from longlook.book.times import Times, percent_text
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.yu2021 import asked
from longlook.book.yu2021.evidence import (
    BBR,
    CUBIC,
    FAR,
    H2,
    H3,
    LARGE,
    LIKE,
    LOSSY,
    MIDDLE,
    MIXED,
    NATIVE,
    PAIRS,
    PLACES,
    QUIET,
    SMALL,
    Controllers,
    FileSquare,
    PrintedDifferences,
    place,
    verdict,
)
from longlook.book.yu2021.evidence import FileLoads as Own
from longlook.book.yu2021.numbers.handshakes import NUMBERS as HANDSHAKES
from longlook.figure import style
from longlook.published.yu2021 import differences

RECORDS = "data/raw/reference-yu-*"
PRINTED = "data/published/yu2021/differences.csv"
ASKED, NOT_ASKED = "from book/yu2021/clients.csv", "`longlook clients` has not been run"


def _rules(m: Measured, pairs: Iterable[Controllers], places: Iterable[FileSquare]) -> list[Times]:
    own = Own(m.data, m.key)
    wanted = [(pair, where) for where in places for pair in pairs]
    found = [one for pair, where in wanted if (one := own.rule(where, pair)) is not None]
    if len(found) < len(wanted):
        raise NotMeasured(f"{len(wanted) - len(found)} squares are not measured")
    return found


def _pct(pairs: Iterable[Controllers], places: Iterable[FileSquare]) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest by the paper's rule: `−14 to −11 %`."""
    asked, where = tuple(pairs), tuple(places)

    def number(m: Measured) -> StatedNumber:
        texts = [style.signed_pct((one.value - 1) * 100) for one in sorted(_rules(m, asked, where), key=_value)]
        text = texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"
        what = f"lowest median by HTTP/3 against the lowest by HTTP/2, {len(texts)} squares"
        return StatedNumber(f"{text}{SPACE}%", f"{what}; from {RECORDS}")

    return number


def _one(pair: Controllers, where: FileSquare) -> Callable[[Measured], StatedNumber]:
    """`+9.1 % (+6.3 to +12.0), 12 downloads of each`: one square, its interval and the loads of the client with the
    fewest."""

    def number(m: Measured) -> StatedNumber:
        (found,) = _rules(m, [pair], [where])
        own = Own(m.data, m.key)
        sides = own.clients(where, "quic", pair.quic, H3) + own.clients(where, "tcp", pair.tcp, H2)
        text = f"{percent_text(found)}, {min(map(len, sides))} downloads of each client"
        return StatedNumber(text, f"lowest medians, 99 % bootstrap interval; from {RECORDS}")

    return number


def _value(found: Times) -> float:
    return found.value


def _agree(m: Measured) -> StatedNumber:
    """Of the published squares those whose re-measured one, with the provider's controllers, says the same."""
    own, printed = Own(m.data, m.key), PrintedDifferences()
    pairs = [
        (verdict(printed.rule(provider, where)), found)
        for provider, pair in LIKE.items()
        for where in PLACES
        if (found := own.rule(where, pair)) is not None
    ]
    if not pairs:
        raise NotMeasured("no square is measured")
    same = sum(said == verdict(found) for said, found in pairs)
    text = f"{same} of {len(pairs)} ({100 * same / len(pairs):.0f}{SPACE}%)"
    return StatedNumber(text, f"quicker, slower or not told apart: {PRINTED} against {RECORDS}")


def _behind(m: Measured) -> StatedNumber:
    found = Own(m.data, m.key).behind_ms(place(SMALL), "quic bbr chromium", [f"quic bbr {name}" for name in NATIVE])
    if found is None:
        raise NotMeasured("not every client of 100 KB is measured")
    text = f"{found.value:.1f}{SPACE}ms".replace("-", style.MINUS)
    return StatedNumber(text, f"median of Chromium above the lowest of quic-go and ngtcp2, BBR; from {RECORDS}")


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
    "small-quiet": _pct(PAIRS, [place(SMALL)]),
    "small-far": _pct(PAIRS, [place(SMALL, FAR)]),
    "larger-quiet": _pct(PAIRS, [place(MIDDLE, QUIET), place(LARGE, QUIET)]),
    "mixed-lossy-1mb": _one(MIXED, place(MIDDLE, LOSSY)),
    "mixed-lossy-5mb": _one(MIXED, place(LARGE, LOSSY)),
    "bbr-lossy": _pct([BBR], [place(MIDDLE, LOSSY), place(LARGE, LOSSY)]),
    "cubic-lossy": _pct([CUBIC], [place(MIDDLE, LOSSY), place(LARGE, LOSSY)]),
    "browser-behind": _behind,
    "check": HANDSHAKES["check-h3"],
    "least-window": _least_window,
    "unverified": _unverified,
    **{f"stated-{name}": stated(f"yu-{name}") for name in ("100kb", "1mb", "5mb")},
    **{f"stated-{name}": stated(f"yu-{name}") for name in ("clients", "servers", "each-way", "queue", "first-loss")},
}
