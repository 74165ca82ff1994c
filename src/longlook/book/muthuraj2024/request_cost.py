"""A QUIC server that each request costs a stated time: the figure, and what became of the predictions.

They stand in sweeps/muthuraj2024/request-cost.toml and request-cost-gquic37.toml, written before the campaigns.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pandas as pd
from IPython.display import HTML

from longlook.analysis.agreement import meets
from longlook.analysis.welch import Summary, summarise, summary_of
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.predicted import JudgedPrediction
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.figure.steps import LOADS, NONE, TITLE_BREAK, Axis, step_row, steps_chart, told
from longlook.figure.table import html_table

QUICV1, GQUIC37 = "request-cost", "request-cost-gquic37"
PUBLISHED_IN: Mapping[str, tuple[str, ...]] = {QUICV1: ("4.6d", "4.6f"), GQUIC37: ("4.5d", "4.5f")}
AXIS = Axis("cost per request, µs", "PLT of QUIC, ms", "left")
EARLY = 1.4
"""Times the median without a cost, beyond the work itself."""
FREE_MS, FREE_SHARE = 10.0, 0.05
FEW, MANY = 10, 100
PLACE = ["bandwidth_mbps", "rtt_ms", "object_count", "object_bytes"]
NO_SQUARE = "no square has every cost"


@dataclass(frozen=True)
class CostSquare:
    """One page over one link, with every cost."""

    title: str
    objects: int
    bandwidth_mbps: float
    rtt_ms: float
    published: Summary | None
    loads: Mapping[int | None, Sequence[float]]
    """Cost of a request, us, in order -> PLT of each load, ms; None, the first: no cost is stated."""

    def summary(self, cost: int | None) -> Summary:
        return summarise(self.loads[cost])

    def mean(self, cost: int | None) -> float:
        return self.summary(cost).mean

    def sd(self, cost: int | None) -> float:
        return self.summary(cost).sd

    def work_ms(self, cost: int | None) -> float:
        """Of all requests for objects together."""
        return self.objects * (cost or 0) / 1e3

    def early(self, cost: int | None) -> int:
        """Loads that took longer than their work and slow start explain: it ended early."""
        return early(self.loads[cost], statistics.median(self.loads[None]), self.work_ms(cost))

    def inside(self, cost: int | None) -> bool:
        """Whether the mean lies in the 99 % prediction interval of the published one."""
        if self.published is None or cost not in self.loads:
            return False
        return bool(meets(self.published, self.summary(cost)))


def early(loads: Sequence[float], usual_ms: float, work_ms: float) -> int:
    """Loads that took longer than their work and slow start explain; `usual_ms`: median without a cost."""
    return sum(one > EARLY * usual_ms + work_ms for one in loads)


def squares(paper: Chapter, series: str, key: str = REFERENCE) -> list[CostSquare]:
    """Of the reference campaign, by RTT, bandwidth and page."""
    arms = paper.data.rows("arms", paper.study, series, key)
    arms = arms[arms["metric"] == PLT.name].sort_values(["rtt_ms", "object_count", "bandwidth_mbps"])
    samples = accepted(paper, series, key)
    printed = paper.data.rows("arms", paper.study, PUBLISHED_IN[series], PUBLISHED.key)
    printed = printed[(printed["protocol"] == "quic") & (printed["metric"] == PLT.name)]
    found = []
    for place, own in arms.groupby(PLACE, sort=False):
        same = printed[(printed[PLACE] == pd.Series(place, index=PLACE)).all(axis=1)]
        loads = {
            None if pd.isna(row["request_cost_us"]) else int(row["request_cost_us"]): loads_of(samples, row)
            for _, row in own.sort_values("request_cost_us", na_position="first").iterrows()
        }
        first = own.iloc[0]
        title = f"{page(first)}, {first['bandwidth_mbps']:g} Mbit/s{TITLE_BREAK}RTT {first['rtt_ms']:g} ms"
        known = None if same.empty else summary_of(same.iloc[0])
        one = (int(first["object_count"]), float(first["bandwidth_mbps"]), float(first["rtt_ms"]))
        if None in loads and all(len(times) > 1 for times in loads.values()):
            found.append(CostSquare(title, *one, known, loads))
    return found


def accepted(paper: Chapter, series: str | Sequence[str], key: str = REFERENCE) -> pd.DataFrame:
    """Page load times that count: rows of `samples`."""
    samples = paper.data.rows("samples", paper.study, series, key)
    samples = samples[samples["accepted"].astype(bool) & ~samples["set_aside"].astype(bool)]
    return samples[samples["metric"] == PLT.name]


def loads_of(samples: pd.DataFrame, arm: pd.Series) -> list[float]:
    """Those of one arm, a row of `arms`."""
    own = samples[(samples["cell_id"] == arm["cell_id"]) & (samples["arm"] == arm["arm"])]
    return [float(one) for one in own["value"]]


def figure(paper: Chapter, series: str) -> LiveChart | HTML:
    """Every load against the cost of a request, a panel per page and link."""
    found = squares(paper, series)
    if not found:
        return HTML(style.NOTHING_YET)
    frame = pd.DataFrame([row for one in found for row in _rows(one)])
    loads = pd.DataFrame(
        [(one.title, _step(cost), value) for one in found for cost, values in one.loads.items() for value in values],
        columns=LOADS,
    )
    return LiveChart(
        name=series,
        chart=steps_chart(frame, AXIS, loads),
        narrow=steps_chart(frame, AXIS, loads, in_a_row=1),
        alt_text="Page load times of QUIC against what each request costs the server, a panel per page and link; "
        f"dashed the published mean with its 99 % prediction interval. {told(frame)}",
        hint="Point at a mean for its numbers.",
    )


def allowed(paper: Chapter) -> HTML:
    """Per stack, page and link: the costs with which the mean meets the published one."""
    rows = []
    for series, stack in ((GQUIC37, "gQUIC"), (QUICV1, "QUIC v1")):
        for one in squares(paper, series):
            if one.published is not None:
                met = [_step(cost) for cost in one.loads if one.inside(cost)]
                known = f"{one.published.mean:.0f} ± {one.published.sd:.0f}"
                rows.append([stack, _plain(one), known, ", ".join(met) or "no step"])
    head = ["stack", "page and link", "published, ms", "met with, µs per request"]
    return HTML(html_table(head, rows, numeric={2}) if rows else style.NOTHING_YET)


def _step(cost: int | None) -> str:
    return NONE if cost is None else str(cost)


def _rows(square: CostSquare) -> list[dict]:
    return [step_row(square.title, _step(cost), square.summary(cost), square.published) for cost in square.loads]


def quicv1(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Those of request-cost.toml; none before it is measured."""
    found = squares(paper, QUICV1)
    if not found:
        return ()
    return (
        few_objects(found), groups(found), scatter(found), long_way(found, 400), narrow(found), not_alone(found)
    )  # fmt: skip


def gquic37(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Those of request-cost-gquic37.toml."""
    found = squares(paper, GQUIC37)
    if not found:
        return ()
    return (
        few_objects(found), groups_of_gquic(found), long_way(found, 800), narrow(found), one_cost(found),
        one_group(found),
    )  # fmt: skip


def _many(found: Iterable[CostSquare], objects: int | None = None, rtt_ms: float = 36) -> list[CostSquare]:
    """Pages of many objects that the link does not limit."""
    return [
        one
        for one in found
        if one.rtt_ms == rtt_ms and one.bandwidth_mbps > 10
        and (one.objects == objects if objects else one.objects >= MANY)
    ]  # fmt: skip


def _counts(found: Iterable[CostSquare]) -> str:
    """`10 KB x 100, ...: none 0, 100 us 1, ...` of each."""
    return "; ".join(
        f"{_plain(one)}: " + ", ".join(f"{_step(cost)} {one.early(cost)}" for cost in one.loads) for one in found
    )


def _plain(one: CostSquare) -> str:
    return one.title.replace(TITLE_BREAK, ", ")


def few_objects(found: Sequence[CostSquare]) -> JudgedPrediction:
    """The first of both: ten requests are too few."""
    own = [one for one in found if one.objects == FEW]
    beyond = [one.mean(cost) - one.mean(None) - one.work_ms(cost) for one in own for cost in one.loads]
    said = f"ten objects: no cost adds more to the mean than its work and {FREE_MS:g} ms"
    if not beyond:
        return JudgedPrediction(said, NO_SQUARE, False)
    return JudgedPrediction(said, f"at most {max(beyond):.0f} ms beyond the work", max(beyond) <= FREE_MS)


def groups(found: Sequence[CostSquare]) -> JudgedPrediction:
    """The second of QUIC v1: how many loads leave slow start early."""
    own = _many(found)
    holds = bool(own) and all(
        one.early(None) <= 1 and one.early(400) >= 3 and one.early(1600) >= 6 and _rising(one) for one in own
    )
    said = "36 ms, 50 and 100 Mbit/s: early is one load at most without a cost, 3 of 12 at least with 400, 6 with 1600"
    return JudgedPrediction(said, _counts(own), holds)


def _rising(one: CostSquare, falls: int = 2) -> bool:
    return all(one.early(higher) >= one.early(lower) - falls for lower, higher in pairwise(one.loads))


def scatter(found: Sequence[CostSquare]) -> JudgedPrediction:
    """The third of QUIC v1: two groups scatter."""
    own = _many(found, 100)
    holds = bool(own) and all(one.sd(None) < 40 and min(one.sd(200), one.sd(400)) > 100 for one in own)
    words = "; ".join(
        f"{_plain(one)}: " + ", ".join(f"{_step(cost)} {one.sd(cost):.0f}" for cost in (None, 200, 400)) for one in own
    )
    said = "100 objects: standard deviation below 40 ms without a cost, above 100 with 200 and 400"
    return JudgedPrediction(said, words, holds)


def long_way(found: Sequence[CostSquare], untouched_us: int) -> JudgedPrediction:
    """At 112 ms hybrid slow start bears more, up to this cost."""
    own = _many(found, 100, rtt_ms=112)
    below = [cost for cost in (own[0].loads if own else ()) if (cost or 0) <= untouched_us]
    holds = bool(own) and all(one.early(1600) >= 6 and all(one.early(cost) <= 1 for cost in below) for one in own)
    said = f"112 ms, 100 objects: early is at most one load up to {untouched_us} µs, at least 6 of 12 with 1600"
    return JudgedPrediction(said, _counts(own), holds)


def narrow(found: Sequence[CostSquare]) -> JudgedPrediction:
    """At 10 Mbit/s the link is full anyway."""
    own = [one for one in found if one.bandwidth_mbps == 10 and one.objects >= MANY]
    shares = [(one.mean(cost) - one.work_ms(cost)) / one.mean(None) - 1 for one in own for cost in one.loads]
    said = f"10 Mbit/s: no cost adds more to the mean than its work and {FREE_SHARE:.0%}"
    if not shares:
        return JudgedPrediction(said, NO_SQUARE, False)
    return JudgedPrediction(said, f"at most {max(shares):+.1%} beyond the work", max(shares) <= FREE_SHARE)


def not_alone(found: Sequence[CostSquare]) -> JudgedPrediction:
    """The sixth of QUIC v1: no one cost gives the published means."""
    own = [one for one in found if one.objects >= MANY and one.rtt_ms == 36]
    met = {cost: sum(one.inside(cost) for one in own) for cost in own[0].loads} if own else {}
    nearest = {one.title: _nearest(one) for one in _many(found)}
    right = all(
        (nearest[one.title] or 0) > 800 if one.objects == 100 else (nearest[one.title] or 0) < 400
        for one in _many(found)
    )
    words = "met, of {}: {}; nearest: {}".format(
        len(own),
        ", ".join(f"{_step(cost)} {count}" for cost, count in met.items()),
        "; ".join(f"{title.replace(TITLE_BREAK, ', ')} {_step(cost)}" for title, cost in nearest.items()),
    )
    said = "no one cost meets four of five published means: 100 objects want more than 800 µs, 200 less than 400"
    return JudgedPrediction(said, words, bool(own) and max(met.values()) < 4 and right)


def _nearest(one: CostSquare) -> int | None:
    """The cost that brings the mean nearest to the published one."""
    known = one.published
    return None if known is None else min(one.loads, key=lambda cost: abs(one.mean(cost) - known.mean))


def groups_of_gquic(found: Sequence[CostSquare]) -> JudgedPrediction:
    """The second of gQUIC."""
    own = _many(found, 100)
    holds = bool(own) and all(
        one.early(100) <= 1 and one.early(200) <= 2 and min(one.early(800), one.early(1600)) >= 9 for one in own
    )
    said = "100 objects, 36 ms: early is at most one load of 12 with 100 µs, two with 200, at least 9 with 800 and 1600"
    return JudgedPrediction(said, _counts(own), holds)


def one_cost(found: Sequence[CostSquare]) -> JudgedPrediction:
    """The fifth of gQUIC."""
    own = _many(found, 100)
    met = {cost: sum(one.inside(cost) for one in own) for cost in own[0].loads} if own else {}
    fits = [cost for cost, count in met.items() if (cost or 0) >= 400 and count == len(own)]
    words = f"met, of {len(own)}: " + ", ".join(f"{_step(cost)} {count}" for cost, count in met.items())
    said = "one cost of 400 µs or more meets both published means of 100 objects; none and 100 µs meet neither"
    return JudgedPrediction(said, words, bool(fits) and met.get(None) == 0 and met.get(100) == 0)


def one_group(found: Sequence[CostSquare]) -> JudgedPrediction:
    """The sixth of gQUIC."""
    own = [one for one in _many(found, 200) if one.bandwidth_mbps == 100]
    shares = [one.sd(800) / one.mean(800) for one in own]
    words = ", ".join(f"{share:.2f}" for share in shares)
    said = "200 objects, 100 Mbit/s, 800 µs: all loads in one group, the standard deviation below a sixth of the mean"
    return JudgedPrediction(said, words, bool(shares) and max(shares) < 1 / 6)
