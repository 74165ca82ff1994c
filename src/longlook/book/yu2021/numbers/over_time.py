"""Numbers of the chapter over-time.md, each as it stands in its text."""

from __future__ import annotations

import math

from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber, origin
from longlook.book.value_role import Numbers
from longlook.book.yu2021.over_time import SERIES, Found, measured


def _found(m: Measured) -> tuple[Found, str]:
    """The loads that count, and their records."""
    found = measured(m.data, m.key)
    if not found:
        raise NotMeasured(f"{SERIES} is not measured")
    return found, origin([f"data/raw/{one.campaign}/{one.cell_id}" for loads in found.values() for one in loads])


def _loads(m: Measured) -> StatedNumber:
    found, records = _found(m)
    return StatedNumber(str(sum(map(len, found.values()))), f"downloads that count, {len(found)} kinds; {records}")


def _limited(m: Measured) -> StatedNumber:
    """Of all loads, not of the median ones alone."""
    found, records = _found(m)
    shares = [one.limited_share for loads in found.values() for one in loads]
    known = [share for share in shares if not math.isnan(share)]
    if not known:
        raise NotMeasured("no download tells what its receiver allows")
    text = " to ".join(dict.fromkeys(f"{share * 100:.0f}" for share in (min(known), max(known))))
    what = (
        f"of the time without room for a full packet in the receiver's window, {len(known)} of {len(shares)} downloads"
    )
    return StatedNumber(f"{text}{SPACE}%", f"{what}; {records}")


NUMBERS: Numbers = {
    "loads": _loads,
    "limited": _limited,
}
