"""Numbers of the chapter results-quicv1.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

from longlook.book.hypotheses import stated
from longlook.book.repeated import MANY, Repeated, repeated
from longlook.book.value import Measured, NotMeasured, StatedNumber
from longlook.book.value_role import Numbers


def _published(series: str, workload: str, bandwidth_mbps: float):
    return lambda m: m.published.pct(series, workload=workload, bandwidth_mbps=bandwidth_mbps).signed()


def _many(count: Callable[[Repeated], int]) -> Callable[[Measured], StatedNumber]:
    """Over the squares of many objects that several campaigns measured."""

    def counted(m: Measured) -> StatedNumber:
        found = repeated(m.data, MANY, "4.6d")
        if not found:
            raise NotMeasured("data/processed/contrasts.csv has no square of figure 4.6d of two campaigns")
        return StatedNumber(str(sum(map(count, found))), "paired log ratios, data/processed/contrasts.csv")

    return counted


NUMBERS: Numbers = {
    "many-measured": _many(lambda one: len(one.found)),
    "many-shown": _many(lambda one: sum(pair.winner == "left" for pair in one.found)),
    "stated-slow-client": stated("slow-client"),
    "stated-slow-server": stated("slow-server"),
    "a.small": _published("4.6a", "5kb-x1", 10.0),
    "a.large": _published("4.6a", "10000kb-x1", 10.0),
    "d.many50": _published("4.6d", "10kb-x100", 50.0),
    "d.many100": _published("4.6d", "10kb-x100", 100.0),
    "d.most100": _published("4.6d", "5kb-x200", 100.0),
    "c.small": _published("4.6c", "5kb-x1", 10.0),
    "f.many50": _published("4.6f", "10kb-x100", 50.0),
}
