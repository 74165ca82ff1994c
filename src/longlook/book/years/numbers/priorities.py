"""Numbers of the chapter priorities.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from longlook import paths
from longlook.book.evidence import by
from longlook.book.judged import claim_verdict
from longlook.book.value import Measured, NotMeasured, Number, Quantity, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.book.years.priorities import (
    BEFORE,
    EVERY,
    LOSSY,
    MAIN,
    QUIET,
    SAID,
    SEQUENCE,
    TCP,
    TURNS,
    PageOverLink,
    median,
)
from longlook.experiment.metrics import FCP, PLT, SPEED_INDEX
from longlook.experiment.said import Said, read

ASKED = "from book/years/priorities.csv"


def _medians(m: Measured, metric: str, places: Sequence[PageOverLink], **form: Any) -> Quantity:
    return Quantity.joined(*(by(m, **median(where, metric, **form)) for where in places))


def _pct(metric: str, over: str, under: str, places: Sequence[PageOverLink] = EVERY) -> Number:
    """The least and the greatest difference of medians: `+20 to +90 %`."""
    return lambda m: _medians(m, metric, places, ratio=[over, under]).changes()


def _before(arm: str) -> Number:
    """Medians of the share, without loss."""
    return lambda m: _medians(m, BEFORE, QUIET, value=arm).span("%")


@number
def _signal(_m: Measured, count: Callable[[Said], int]) -> StatedNumber:
    said = read(paths.PRIORITIES)
    if not said:
        raise NotMeasured("`longlook priorities` has not been run")
    return StatedNumber(str(sum(map(count, said))), ASKED)


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
}
