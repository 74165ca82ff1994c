"""Numbers of the chapter results-quicv1.md, each as it stands in its text."""

from __future__ import annotations

from collections.abc import Callable

from longlook.analysis.crosstable import by_holm
from longlook.analysis.paired import Paired
from longlook.book.judged import campaigns_of, held
from longlook.book.repeated import MANY, repeated
from longlook.book.share import LONG_MS, by_time, slower
from longlook.book.value import Measured, NotMeasured, StatedNumber, number
from longlook.book.value_role import Numbers


def _published(series: str, workload: str, bandwidth_mbps: float):
    return lambda m: m.published.pct(series, workload=workload, bandwidth_mbps=bandwidth_mbps).signed()


@number
def _many(m: Measured, count: Callable[[list[Paired]], int], todays: bool = False) -> StatedNumber:
    """Of the squares of many objects that several campaigns measured, each campaign's; `todays`: with that driver."""
    found = repeated(m.data, MANY, "4.6d")
    if not found:
        raise NotMeasured("data/processed/contrasts.csv has no square of figure 4.6d of two campaigns")
    pairs = [pair for one in found for pair in (one.by_todays_driver if todays else one.found)]
    return StatedNumber(str(count(pairs)), "paired log ratios, data/processed/contrasts.csv")


def _ahead(side: str) -> Callable[[list[Paired]], int]:
    return lambda pairs: sum(pair.winner == side for pair in pairs)


def _ahead_by_holm(pairs: list[Paired]) -> int:
    """Where QUIC is, by Holm's correction over all of them."""
    return by_holm((pair.winner, pair.p_value) for pair in pairs)["left"]


@number
def _over_published(m: Measured, side: str, arm: str) -> StatedNumber:
    """An arm's means in every campaign that has a square of many objects, over the published one."""
    times = []
    for one in repeated(m.data, MANY, "4.6d"):
        where = {name: one.place[name] for name in ("workload", "bandwidth_mbps", "rtt_ms")}
        printed = m.published.arm("4.6d", arm, **where).numbers.iloc[0]
        times += [mean / printed for mean in one.rows[f"{side}_mean"]]
    if not times:
        raise NotMeasured("data/processed/contrasts.csv has no square of figure 4.6d of two campaigns")
    text = f"{min(times):.2f} to {max(times):.2f} times"
    return StatedNumber(text, f"{len(times)} means of {arm}, data/processed/arms.csv, over those of table B.2")


@number
def _by_time(m: Measured, text: Callable[[list[float], list[float]], str]) -> StatedNumber:
    """Of a hundred objects over 36 ms: by how much QUIC is faster where the browser needs little time, and much."""
    quick, slow = by_time(m.data)
    if not (quick and slow):
        raise NotMeasured("data/processed/contrasts.csv has no square of figure 4.6d on a quick and a slow machine")
    what = "paired log ratios and browser's time, data/processed/contrasts.csv and arms.csv"
    return StatedNumber(text(quick, slow), what)


@number
def _slower(m: Measured, choose: Callable[[list[float]], float]) -> StatedNumber:
    """How many times the processor time of others browsers took in one of client-share's campaigns, newest first."""
    times = [one for name in campaigns_of("client-share", m.data) if (one := slower(m.data, name)) is not None]
    if not times:
        raise NotMeasured("data/processed/arms.csv has no page of client-share's in another campaign")
    return StatedNumber(f"{choose(times):.1f}", "the browser's processor time, data/processed/arms.csv")


NUMBERS: Numbers = {
    "time-bound": _by_time(lambda *_: f"{LONG_MS:.0f}"),
    "time-quick": _by_time(lambda quick, _: str(len(quick))),
    "time-quick-least": _by_time(lambda quick, _: f"{min(quick):.0f}"),
    "time-quick-most": _by_time(lambda quick, _: f"{max(quick):.0f}"),
    "time-slow": _by_time(lambda _, slow: str(len(slow))),
    "time-slow-longer": _by_time(lambda _, slow: f"{max(slow):.0f}"),
    "time-slow-shorter": _by_time(lambda _, slow: f"{-min(slow):.0f}"),
    "time-slower-least": _slower(lambda times: times[-2]),
    "time-slower-most": _slower(lambda times: times[-1]),
    "time-held": held("client-share", before=1),
    "time-held-before": held("client-share", before=2),
    "time-held-after": held("client-share"),
    "many-measured": _many(len),
    "many-shown": _many(_ahead("left")),
    "many-holm": _many(_ahead_by_holm),
    "many-after": _many(len, todays=True),
    "many-after-shown": _many(_ahead("left"), todays=True),
    "many-tcp": _many(_ahead("right")),
    "many-quic": _over_published("left", "quic"),
    "many-tcp-times": _over_published("right", "tcp"),
    "a.small": _published("4.6a", "5kb-x1", 10.0),
    "a.large": _published("4.6a", "10000kb-x1", 10.0),
    "d.many50": _published("4.6d", "10kb-x100", 50.0),
    "d.many100": _published("4.6d", "10kb-x100", 100.0),
    "d.most100": _published("4.6d", "5kb-x200", 100.0),
    "c.small": _published("4.6c", "5kb-x1", 10.0),
    "f.many50": _published("4.6f", "10kb-x100", 50.0),
}
