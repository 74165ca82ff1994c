"""One cost per request on every link: what became of the predictions, and what that does to the published tables.

The predictions stand in sweeps/muthuraj2024/one-cost.toml and one-cost-gquic37.toml and were written before the
campaigns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.agreement import meets
from longlook.analysis.contrast import contrast
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.muthuraj2024.request_cost import GQUIC37 as GQUIC37_TABLES
from longlook.book.muthuraj2024.request_cost import PUBLISHED_IN
from longlook.book.muthuraj2024.request_cost import QUICV1 as QUICV1_TABLES
from longlook.book.predicted import JudgedPrediction
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

QUICV1, GQUIC37 = "one-cost", "one-cost-gquic37"
USUAL = {QUICV1: PUBLISHED_IN[QUICV1_TABLES], GQUIC37: PUBLISHED_IN[GQUIC37_TABLES]}
"""Series of the same pages without a cost, published and re-measured."""
COSTS = {QUICV1: (900, 250), GQUIC37: (500,)}
"""us; that of pages of 10 KB first."""
FEW, MANY = 100, 200
NEAR_MS, FAR_MS = 36.0, 112.0
MET_LEAST, MET_AT_MOST_WITHOUT = 9, 6
LITTLE, SOMEWHAT = 0.05, 0.10
GROUPS_MS, ONE_GROUP_MS = 250.0, 150.0
MET_LEAST_V1 = 3
PLACE = ["rtt_ms", "bandwidth_mbps", "object_count"]


@dataclass(frozen=True)
class OneCostSquare:
    """One page over one link."""

    title: str
    objects: int
    bandwidth_mbps: float
    rtt_ms: float
    published: Mapping[str, Summary]
    """By protocol; so are the others."""
    without: Mapping[str, Summary]
    costs: Mapping[int, Summary]
    """QUIC by its cost of a request, us."""
    tcp: Summary
    """Beside those."""

    def meets(self, cost: int | None) -> bool:
        """Whether QUIC's mean lies within the 99 % prediction interval of the published one; None: without a cost."""
        own = self.without["quic"] if cost is None else self.costs[cost]
        return bool(meets(self.published["quic"], own))

    def times(self, cost: int) -> float:
        """QUIC's mean by that without a cost."""
        return self.costs[cost].mean / self.without["quic"].mean


def squares(paper: Chapter, series: str) -> list[OneCostSquare]:
    """Of the reference campaigns, by RTT, bandwidth and page; those that have everything."""
    loads = primary(paper.data.rows("arms", paper.study, series, REFERENCE)).sort_values(PLACE)
    without = _by_place(primary(paper.data.rows("arms", paper.study, USUAL[series], REFERENCE)))
    published = _by_place(primary(paper.data.rows("arms", paper.study, USUAL[series], PUBLISHED.key)))
    found = []
    for place, own in loads.groupby(PLACE, sort=False):
        quic, tcp = own[own["protocol"] == "quic"], own[own["protocol"] == "tcp"]
        costs = {int(row["request_cost_us"]): summary_of(row) for _, row in quic.iterrows()}
        sources = published.get(tuple(place), {}), without.get(tuple(place), {})
        if set(costs) == set(COSTS[series]) and len(tcp) == 1 and all(len(one) == 2 for one in sources):
            first = own.iloc[0]
            title = f"{page(first)}, {first['bandwidth_mbps']:g} Mbit/s, {first['rtt_ms']:g} ms"
            rtt, bandwidth, objects = place
            one = (title, int(objects), float(bandwidth), float(rtt))
            found.append(OneCostSquare(*one, *sources, costs, summary_of(tcp.iloc[0])))
    return found


def _by_place(rows: pd.DataFrame) -> dict[tuple, dict[str, Summary]]:
    found: dict[tuple, dict[str, Summary]] = {}
    for _, row in rows.iterrows():
        found.setdefault(tuple(row[name] for name in PLACE), {})[row["protocol"]] = summary_of(row)
    return found


def table(paper: Chapter, series: str) -> HTML:
    """Means of QUIC published, without a cost and with each, and TCP's; in bold what meets the published one."""
    found = squares(paper, series)
    if not found:
        return HTML(style.NOTHING_YET)
    steps: tuple[int | None, ...] = (None, *COSTS[series])
    rows = [
        [
            one.title,
            _times(one.published["quic"]),
            *(_marked(one, cost) for cost in steps),
            _times(one.published["tcp"]),
            _times(one.tcp),
        ]
        for one in found
    ]
    names = ["without", *(f"{cost} µs" for cost in COSTS[series])]
    head = ["page and link", "publ.", *names, "publ.", "re-measured"]
    groups = [("", 1), ("QUIC, ms", 1 + len(steps)), ("TCP, ms", 2)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def _times(one: Summary) -> str:
    return f"{one.mean:.0f} ± {one.sd:.0f}"


def _marked(one: OneCostSquare, cost: int | None) -> str:
    own = one.without["quic"] if cost is None else one.costs[cost]
    return _times(own) + (" ✓" if one.meets(cost) else "")


def quicv1(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Those of one-cost.toml; none before it is measured."""
    found = squares(paper, QUICV1)
    return (large_meet(found), two_groups(found), small(found)) if found else ()


def gquic37(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Those of one-cost-gquic37.toml."""
    found = squares(paper, GQUIC37)
    return (most_meet(found), blue(found), long_way_untouched(found)) if found else ()


def _of(found: Iterable[OneCostSquare], objects: int | None = None, rtt_ms: float | None = None) -> list[OneCostSquare]:
    return [one for one in found if objects in (None, one.objects) and rtt_ms in (None, one.rtt_ms)]


def most_meet(found: Sequence[OneCostSquare]) -> JudgedPrediction:
    """The first of gQUIC: one cost meets most published means."""
    (cost,) = COSTS[GQUIC37]
    met, before = sum(one.meets(cost) for one in found), sum(one.meets(None) for one in found)
    return JudgedPrediction(
        f"with {cost} µs QUIC's means meet the published ones in {MET_LEAST} of 12 squares at least, without in "
        f"{MET_AT_MOST_WITHOUT} at most",
        f"met with it {met} of {len(found)}, without {before}",
        met >= MET_LEAST and before <= MET_AT_MOST_WITHOUT,
    )


def blue(found: Sequence[OneCostSquare]) -> JudgedPrediction:
    """The second of gQUIC: squares that were red are blue, as published."""
    (cost,) = COSTS[GQUIC37]
    own = [one for one in _of(found, FEW, NEAR_MS) if one.bandwidth_mbps > 10]
    now = sum(contrast(one.costs[cost], one.tcp).verdict == "right" for one in own)
    before = sum(contrast(one.without["quic"], one.without["tcp"]).verdict == "left" for one in own)
    return JudgedPrediction(
        "100 objects, 36 ms, 50 and 100 Mbit/s: TCP is significantly faster, without a cost QUIC is",
        f"TCP with it in {now}, QUIC without in {before} of {len(own)}",
        len(own) == 2 and now == before == 2,
    )


def long_way_untouched(found: Sequence[OneCostSquare]) -> JudgedPrediction:
    """The third of gQUIC: hybrid slow start bears more at 112 ms."""
    (cost,) = COSTS[GQUIC37]
    changes = [one.times(cost) - 1 for one in _of(found, rtt_ms=FAR_MS)]
    said = f"112 ms: {cost} µs change no mean by more than {LITTLE:.0%}"
    if not changes:
        return JudgedPrediction(said, "nothing measured at 112 ms", False)
    return JudgedPrediction(said, _span(changes), max(map(abs, changes)) <= LITTLE)


def _span(changes: Sequence[float]) -> str:
    return f"by {min(changes):+.1%} to {max(changes):+.1%}".replace("-", style.MINUS)


def large_meet(found: Sequence[OneCostSquare]) -> JudgedPrediction:
    """The first of QUIC v1: pages of 10 KB pictures."""
    cost, _ = COSTS[QUICV1]
    own, near = _of(found, FEW), _of(found, FEW, NEAR_MS)
    met, before = sum(one.meets(cost) for one in own), sum(one.meets(None) for one in near)
    return JudgedPrediction(
        f"10 KB × 100 with {cost} µs: the mean meets the published one in {MET_LEAST_V1} of 4 squares at least, "
        "without a cost in none at 36 ms",
        f"met with it {met} of {len(own)}, without {before} of {len(near)}",
        met >= MET_LEAST_V1 and before == 0,
    )


def two_groups(found: Sequence[OneCostSquare]) -> JudgedPrediction:
    """The second of QUIC v1: what figure 4.6f's loads do."""
    cost, _ = COSTS[QUICV1]
    scatter = [one.costs[cost].sd for one in _of(found, FEW, FAR_MS)]
    words = " and ".join(f"{one:.0f}" for one in scatter)
    return JudgedPrediction(
        f"10 KB × 100 with {cost} µs at 112 ms: two groups, the standard deviation is above {GROUPS_MS:g} ms at both "
        "bandwidths",
        f"{words} ms" if scatter else "nothing measured at 112 ms",
        len(scatter) == 2 and min(scatter) > GROUPS_MS,
    )


def small(found: Sequence[OneCostSquare]) -> JudgedPrediction:
    """The third of QUIC v1: pages of 5 KB pictures."""
    _, cost = COSTS[QUICV1]
    near, far = _of(found, MANY, NEAR_MS), _of(found, MANY, FAR_MS)
    met = sum(one.meets(cost) for one in near)
    changes = [one.times(cost) - 1 for one in far]
    scatter = [one.costs[cost].sd for one in far]
    words = f"met {met} of {len(near)} at 36 ms"
    if changes:
        words += f"; at 112 ms {_span(changes)}, standard deviation up to {max(scatter):.0f} ms"
    holds = len(near) == met == 2 and len(far) == 2
    return JudgedPrediction(
        f"5 KB × 200 with {cost} µs: met in both squares at 36 ms; at 112 ms changed by {SOMEWHAT:.0%} at most, "
        f"standard deviation below {ONE_GROUP_MS:g} ms",
        words,
        holds and max(map(abs, changes)) <= SOMEWHAT and max(scatter) < ONE_GROUP_MS,
    )
