"""Numbers of the chapter over-time.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.hypotheses import stated
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.yu2021 import over_time, over_time_predictions
from longlook.book.yu2021.over_time import SERIES, Found

RECORDS = f"data/raw/reference-{SERIES}*"


def _found(m: Measured) -> Found:
    found = over_time.measured(m.data, m.key)
    if not found:
        raise NotMeasured(f"{SERIES} is not measured")
    return found


def _loads(m: Measured) -> StatedNumber:
    found = _found(m)
    return StatedNumber(str(sum(map(len, found.values()))), f"downloads that count, {len(found)} kinds; from {RECORDS}")


def _hold(m: Measured) -> StatedNumber:
    judged = over_time_predictions.judged(_found(m))
    if not judged:
        raise NotMeasured(f"{SERIES} is not measured in all its kinds")
    text = f"{sum(one.holds is True for one in judged)} of {len(judged)}"
    return StatedNumber(text, f"predictions that hold, from {RECORDS}")


def _limited(m: Measured) -> StatedNumber:
    """Of all loads, not of the median ones alone."""
    shares = [one.limited_share for loads in _found(m).values() for one in loads]
    known = [share for share in shares if share is not None]
    if not known:
        raise NotMeasured("no download tells what its receiver allows")
    texts = [f"{share * 100:.0f}" for share in (min(known), max(known))]
    text = texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"
    what = (
        f"of the time without room for a full packet in the receiver's window, {len(known)} of {len(shares)} downloads"
    )
    return StatedNumber(f"{text}{SPACE}%", f"{what}; from {RECORDS}")


NUMBERS: Numbers = {
    "loads": _loads,
    "predictions-hold": _hold,
    "limited": _limited,
    "stated-over-time": stated(SERIES),
}
