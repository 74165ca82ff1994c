"""Numbers of the chapter priorities.md, each as it stands in its text."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence

from longlook import paths
from longlook.book.hypotheses import stated
from longlook.book.judged import claim_verdict, held
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.years.priorities import (
    BEFORE,
    EVERY,
    LOSSY,
    MAIN,
    NAMES,
    QUIET,
    SAID,
    SEQUENCE,
    SERIES,
    TCP,
    TURNS,
    PageOverLink,
    PriorityLoads,
)
from longlook.experiment.metrics import FCP, PLT, SPEED_INDEX
from longlook.experiment.said import Said, read
from longlook.figure import style

ASKED = "from book/years/priorities.csv"


def _own(m: Measured) -> PriorityLoads:
    own = PriorityLoads(m.data, m.key)
    if not own.is_measured:
        raise NotMeasured(f"{SERIES} is not measured")
    return own


def _from(own: PriorityLoads) -> str:
    return "from " + ", ".join(f"data/raw/{name}" for name in own.campaigns)


def _pct(
    metric: str, over: str, under: str, places: Sequence[PageOverLink] = EVERY
) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest difference of medians: `+20 to +90 %`."""

    def number(m: Measured) -> StatedNumber:
        own = _own(m)
        found = [one.value for where in places if (one := own.ratio(where, metric, over, under)) is not None]
        if len(found) < len(places):
            raise NotMeasured(f"{metric} of {len(places) - len(found)} pages and links is not measured")
        ends = [style.signed_pct((value - 1) * 100) for value in (min(found), max(found))]
        text = " to ".join(dict.fromkeys(ends))
        what = f"medians of {metric}, {NAMES[over]} against {NAMES[under]}, {len(found)} pages and links"
        return StatedNumber(f"{text}{SPACE}%", f"{what}; {_from(own)}")

    return number


def _before(arm: str) -> Callable[[Measured], StatedNumber]:
    """Medians of the share, without loss."""

    def number(m: Measured) -> StatedNumber:
        own = _own(m)
        found = [statistics.median(loads) for where in QUIET if (loads := own.loads(where, arm, BEFORE))]
        if len(found) < len(QUIET):
            raise NotMeasured(f"in which order {NAMES[arm]} arrived is not measured")
        text = " to ".join(dict.fromkeys(f"{share:.0f}" for share in (min(found), max(found))))
        return StatedNumber(f"{text}{SPACE}%", f"medians of {BEFORE}, {NAMES[arm]}, without loss; {_from(own)}")

    return number


def _signal(count: Callable[[Said], int]) -> Callable[[Measured], StatedNumber]:
    def number(_m: Measured) -> StatedNumber:
        said = read(paths.PRIORITIES)
        if not said:
            raise NotMeasured("`longlook priorities` has not been run")
        return StatedNumber(str(sum(map(count, said))), ASKED)

    return number


NUMBERS: Numbers = {
    "requests": _signal(lambda one: one.requests),
    "frames": _signal(lambda one: one.frames),
    "moved": _signal(lambda one: one.moved),
    "unsaid": _signal(lambda one: one.unsaid),
    "fcp-turns": _pct(FCP.name, TURNS, SAID, QUIET),
    "fcp-turns-lossy": _pct(FCP.name, TURNS, SAID, LOSSY),
    "main-turns": _pct(MAIN, TURNS, SAID),
    "si-turns": _pct(SPEED_INDEX.name, TURNS, SAID),
    "plt-turns": _pct(PLT.name, TURNS, SAID),
    "main-sequence": _pct(MAIN, SEQUENCE, TURNS),
    "si-sequence": _pct(SPEED_INDEX.name, SEQUENCE, SAID),
    "main-h2": _pct(MAIN, TCP, SAID, QUIET),
    "fcp-h2": _pct(FCP.name, TCP, SAID, QUIET),
    "before-said": _before(SAID),
    "before-turns": _before(TURNS),
    "claim-14": lambda m: claim_verdict(m, "yu-14"),
    "predictions-hold": held(SERIES),
    "stated-priorities": stated(SERIES),
}
