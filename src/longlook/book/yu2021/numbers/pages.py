"""Numbers of the chapter pages.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from longlook.book.hypotheses import stated
from longlook.book.judged import claims_counted
from longlook.book.value import SPACE, Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers
from longlook.book.yu2021.page_order import BUFFER, LARGE, ORDER, ArrivalOrder
from longlook.book.yu2021.page_order import LARGER as ORDERED
from longlook.book.yu2021.pages import LARGER, LOSSY_ONES, NINE, SMALL, Looked, Seen
from longlook.experiment.metrics import FCP, LCP, PLT, SPEED_INDEX
from longlook.figure import style

RECORDS = "data/raw/reference-yu-pages*"
LISTED = "data/published/yu2021/endpoints.csv"


def _pct(places: Sequence[Seen], metric: str) -> Callable[[Measured], StatedNumber]:
    """The least and the greatest difference of medians: `−9 to −4 %`."""

    def number(m: Measured) -> StatedNumber:
        own = Looked(m.data, m.key)
        found = [one for where in places if (one := own.ratio(where, metric)) is not None]
        if len(found) < len(places):
            raise NotMeasured(f"{len(places) - len(found)} pages are not measured")
        texts = [style.signed_pct((value - 1) * 100) for value in sorted(one.value for one in found)]
        text = texts[0] if texts[0] == texts[-1] else f"{texts[0]} to {texts[-1]}"
        what = f"median by HTTP/3 against that by HTTP/2, {len(found)} pages and links"
        return StatedNumber(f"{text}{SPACE}%", f"{what}; from {RECORDS}")

    return number


def _thrown(m: Measured) -> StatedNumber:
    own = Looked(m.data, m.key)
    found = [one for where in LOSSY_ONES if (one := own.selected(where)) is not None]
    if not found:
        raise NotMeasured("no page with loss is measured")
    text = f"{sum(one.thrown for one in found)} of {sum(one.of for one in found)}"
    return StatedNumber(text, f"HTTP/3 loads whose connection stood later than HTTP/2's; from {RECORDS}")


def _last_font(arm: str) -> Callable[[Measured], StatedNumber]:
    """On the large page, in the load nearest to the median."""

    def number(m: Measured) -> StatedNumber:
        found = ArrivalOrder(m.data, m.key).last_bytes(LARGE, arm)
        if "font" not in found:
            raise NotMeasured("no load of the large page")
        return StatedNumber(f"{found['font']:,.0f}{SPACE}ms", f"last byte of the last font; from {_records(ORDER)}")

    return number


def _records(series: str) -> str:
    return f"data/raw/reference-{series}*"


def _ordered(arm: str, other: str, series: str = ORDER) -> Callable[[Measured], StatedNumber]:
    """Speed Index of the larger pages, an arm against another: the least and the greatest difference of medians."""

    def number(m: Measured) -> StatedNumber:
        own = ArrivalOrder(m.data, m.key, series)
        found = [one for page in ORDERED if (one := own.against(page, SPEED_INDEX.name, arm, other)) is not None]
        if len(found) < len(ORDERED):
            raise NotMeasured("the order of delivery is not measured")
        texts = [style.signed_pct((value - 1) * 100) for value in sorted(one.value for one in found)]
        return StatedNumber(f"{texts[0]} and {texts[-1]}{SPACE}%", f"medians of two pages; from {_records(series)}")

    return number


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
    "stated-order": stated("yu-pages-order"),
    "stated-buffer": stated("yu-pages-buffer"),
    "stated-pages": stated("yu-pages"),
    "stated-loss": stated("yu-pages-loss"),
}
