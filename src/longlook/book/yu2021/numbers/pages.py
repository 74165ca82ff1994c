"""Numbers of the chapter pages.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Sequence

from longlook.book.evidence import StudyColumn, by
from longlook.book.judged import claims_counted
from longlook.book.value import SPACE, Measured, NotMeasured, Number, Quantity, StatedNumber, number
from longlook.book.value_role import Numbers
from longlook.book.yu2021.page_order import BUFFER, LARGE, ORDER, last_bytes
from longlook.book.yu2021.page_order import LARGER as ORDERED
from longlook.book.yu2021.pages import LARGER, LOSS, LOSSY_ONES, NINE, SMALL, Seen, against, selected
from longlook.experiment.metrics import FCP, LCP, PLT, SPEED_INDEX

LISTED = "data/published/yu2021/endpoints.csv"


def _ratios(m: Measured, places: Sequence[Seen], metric: str, *pair: str) -> Quantity:
    return Quantity.joined(*(by(m, **against(where, metric, *pair)) for where in places))


def _pct(places: Sequence[Seen], metric: str) -> Number:
    return lambda m: _ratios(m, places, metric).changes()


def _thrown(m: Measured) -> StatedNumber:
    own = StudyColumn(m.data, m.study, m.key)
    found = [one for where in LOSSY_ONES if (one := selected(own, where)) is not None]
    if not found:
        raise NotMeasured("no page with loss is measured")
    text = f"{sum(one.thrown for one in found)} of {sum(one.of for one in found)}"
    return StatedNumber(text, f"HTTP/3 loads whose connection stood later than HTTP/2's; {m.campaigns(LOSS)}")


@number
def _last_font(m: Measured, arm: str) -> StatedNumber:
    """On the large page, in the load nearest to the median."""
    found = last_bytes(StudyColumn(m.data, m.study, m.key), ORDER, LARGE, arm)
    if "font" not in found:
        raise NotMeasured("no load of the large page")
    return StatedNumber(f"{found['font']:,.0f}{SPACE}ms", f"last byte of the last font; {m.campaigns(ORDER)}")


def _ordered(arm: str, other: str, series: str = ORDER) -> Number:
    """Speed Index of the larger pages, an arm against another."""
    places = [Seen(page, measured_in=series) for page in ORDERED]
    return lambda m: _ratios(m, places, SPEED_INDEX.name, arm, other).changes("and")


NUMBERS: Numbers = {
    "pages": lambda m: StatedNumber(str(len(NINE)), LISTED),
    "claims": lambda m: claims_counted(m, bool, "pages"),
    "claims-hold": lambda m: claims_counted(m, lambda said: said == "holds", "pages"),
    "plt-small": _pct([Seen(one) for one in SMALL], PLT.name),
    "plt-larger": _pct([Seen(one) for one in LARGER], PLT.name),
    "si-small": _pct([Seen(one) for one in SMALL], SPEED_INDEX.name),
    "si-larger": _pct([Seen(one) for one in LARGER], SPEED_INDEX.name),
    "si-same": _pct([Seen(page) for page in ORDERED], SPEED_INDEX.name),
    "si-lossy": _pct([one for one in LOSSY_ONES if one.page in LARGER], SPEED_INDEX.name),
    "fcp": _pct([Seen(one) for one in NINE], FCP.name),
    "lcp": _pct([Seen(one) for one in NINE], LCP.name),
    "thrown": _thrown,
    "font-h3": _last_font("quic"),
    "font-apache": _last_font("tcp"),
    "order-servers": _ordered("nginx", "tcp"),
    "order-protocol": _ordered("quic", "nginx"),
    "buffer-apache": _ordered("tcp-64kb", "tcp", BUFFER),
    "buffer-nginx": _ordered("nginx-64kb", "nginx", BUFFER),
}
