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


def _over_published(side: str, arm: str) -> Callable[[Measured], StatedNumber]:
    """An arm's means in every campaign that has a square of many objects, over the published one."""

    def number(m: Measured) -> StatedNumber:
        times = []
        for one in repeated(m.data, MANY, "4.6d"):
            where = {name: one.place[name] for name in ("workload", "bandwidth_mbps", "rtt_ms")}
            printed = m.published.arm("4.6d", arm, **where).numbers.iloc[0]
            times += [mean / printed for mean in one.rows[f"{side}_mean"]]
        if not times:
            raise NotMeasured("data/processed/contrasts.csv has no square of figure 4.6d of two campaigns")
        text = f"{min(times):.2f} to {max(times):.2f} times"
        return StatedNumber(text, f"{len(times)} means of {arm}, data/processed/arms.csv, over those of table B.2")

    return number


NUMBERS: Numbers = {
    "many-measured": _many(lambda one: len(one.found)),
    "many-shown": _many(lambda one: sum(pair.winner == "left" for pair in one.found)),
    "many-tcp": _many(lambda one: sum(pair.winner == "right" for pair in one.found)),
    "many-quic": _over_published("left", "quic"),
    "many-tcp-times": _over_published("right", "tcp"),
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
