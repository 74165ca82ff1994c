"""TCP that begins with a remembered slow start threshold: the figure, and what became of the predictions.

The predictions stand in sweeps/muthuraj2024/remembered-threshold.toml and were written before the campaign.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import pandas as pd
from IPython.display import HTML

from longlook.analysis.agreement import meets
from longlook.analysis.welch import Summary, summary_of
from longlook.book.chapter import Chapter
from longlook.book.data import COLUMNS
from longlook.book.flows import page
from longlook.book.predicted import JudgedPrediction
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.figure.steps import NONE, TITLE_BREAK, Axis, step_row, steps_chart, told

SERIES = "remembered-threshold"
PUBLISHED_IN = ("4.5b", "4.5e", "4.5a", "4.5d")
SMALL = range(4, 16)
"""Thresholds that the predictions call few packets."""
LIKELY = range(7, 16)
ENOUGH, AT_MOST_WITHOUT = 6, 2
"""Squares of eight, of prediction 2."""
AXIS = Axis("threshold, packets", "PLT of TCP, ms", "right")
PLACE = ["workload", "bandwidth_mbps", "loss_pct"]


@dataclass(frozen=True)
class ThresholdSquare:
    """One page over one link, with every threshold."""

    title: str
    lossy: bool
    published: Summary | None
    thresholds: dict[int | None, Summary]
    """None: nothing remembered; in the order of the figure, which begins with the lowest."""

    def inside(self, threshold: int | None) -> bool:
        """Whether the mean lies in the 99 % prediction interval of the published one."""
        own = self.thresholds.get(threshold)
        if own is None or self.published is None:
            return False
        return bool(meets(self.published, own))


def squares(paper: Chapter, key: str = REFERENCE) -> list[ThresholdSquare]:
    """Of one column; those with loss first, then by bandwidth and page."""
    arms = paper.data.rows("arms", paper.study, SERIES, key)
    arms = arms[arms["metric"] == PLT.name]
    printed = paper.data.rows("arms", paper.study, PUBLISHED_IN, PUBLISHED.key)
    printed = printed[(printed["arm"] == "tcp") & (printed["metric"] == PLT.name)]
    arms = arms.sort_values(
        ["loss_pct", "bandwidth_mbps", "object_count", "object_bytes"], ascending=[False, *[True] * 3]
    )
    return [_square(place, own, printed) for place, own in arms.groupby(PLACE, sort=False)]


def _square(place: tuple, own: pd.DataFrame, printed: pd.DataFrame) -> ThresholdSquare:
    first = own.iloc[0]
    same = printed[(printed[PLACE] == pd.Series(place, index=PLACE)).all(axis=1)]
    by_threshold = {
        None if pd.isna(row["remembered_ssthresh"]) else int(row["remembered_ssthresh"]): summary_of(row)
        for _, row in own.sort_values("remembered_ssthresh", na_position="last").iterrows()
    }
    loss = f"{first['loss_pct'] / 2:g} % loss each way" if first["loss_pct"] else "no loss"
    title = f"{page(first)}, {first['bandwidth_mbps']:g} Mbit/s{TITLE_BREAK}{loss}"
    return ThresholdSquare(
        title, bool(first["loss_pct"]), summary_of(same.iloc[0]) if len(same) else None, by_threshold
    )


def figure(paper: Chapter) -> LiveChart | HTML:
    """PLT against the threshold, from two packets to none."""
    for key in [key for key, _, _ in reversed(COLUMNS)]:
        if found := squares(paper, key):
            break
    else:
        return HTML(style.NOTHING_YET)
    frame = pd.DataFrame([row for one in found for row in _rows(one)])
    return LiveChart(
        name="remembered-threshold",
        chart=steps_chart(frame, AXIS),
        narrow=steps_chart(frame, AXIS, in_a_row=1),
        alt_text="Page load time of TCP against the slow start threshold that it begins with, a panel per page; dashed "
        f"the published mean with its 99 % prediction interval. {told(frame)}",
        hint="Point at a mean for its numbers.",
    )


def _rows(square: ThresholdSquare) -> list[dict]:
    return [
        step_row(square.title, NONE if threshold is None else str(threshold), own, square.published)
        for threshold, own in square.thresholds.items()
    ]


def predictions(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """None before it is measured."""
    found = squares(paper)
    lossy, clean = [one for one in found if one.lossy], [one for one in found if not one.lossy]
    if not lossy or not clean:
        return ()
    return _falls(lossy), _steadier(lossy), _one_threshold(lossy), _not_without_loss(clean)


def _falls(lossy: list[ThresholdSquare]) -> JudgedPrediction:
    steps = [(low.mean, high.mean) for one in lossy for low, high in pairwise(one.thresholds.values())]
    falling = sum(low > high for low, high in steps)
    ends = sum(next(iter(one.thresholds.values())).mean > one.thresholds[None].mean for one in lossy)
    text = f"{falling} of {len(steps)} steps to the next threshold fall; from the lowest to none {ends} of {len(lossy)}"
    return JudgedPrediction("under loss the mean falls as the threshold rises", text, falling == len(steps))


def _steadier(lossy: list[ThresholdSquare]) -> JudgedPrediction:
    def relative(one: Summary) -> float:
        return one.sd / one.mean

    pairs = [(own, one.thresholds[None]) for one in lossy for at, own in one.thresholds.items() if at in SMALL]
    below = sum(relative(own) < relative(none) for own, none in pairs)
    text = f"{below} of {len(pairs)} means with {SMALL[0]} to {SMALL[-1]} packets scatter less"
    return JudgedPrediction(
        "loads scatter less, relative to their mean, than without a threshold", text, below == len(pairs)
    )


def _one_threshold(lossy: list[ThresholdSquare]) -> JudgedPrediction:
    counts = {at: sum(one.inside(at) for one in lossy) for at in lossy[0].thresholds}
    best = max(counts[at] for at in counts if at in LIKELY)
    words = ", ".join(f"{NONE if at is None else at}: {count}" for at, count in counts.items())
    said = (
        f"one threshold of {LIKELY[0]} to {LIKELY[-1]} packets meets the published means of {ENOUGH} squares at least, "
        f"none those of {AT_MOST_WITHOUT} at most"
    )
    holds = best >= ENOUGH and counts[None] <= AT_MOST_WITHOUT
    return JudgedPrediction(said, f"squares met, of {len(lossy)}, by threshold: {words}", holds)


def _not_without_loss(clean: list[ThresholdSquare]) -> JudgedPrediction:
    without = sum(one.inside(None) for one in clean)
    small = sum(one.inside(at) for one in clean for at in one.thresholds if at in SMALL)
    tries = sum(at in SMALL for one in clean for at in one.thresholds)
    few = f"with {SMALL[0]} to {SMALL[-1]} packets: {small} of {tries}"
    text = f"met without a threshold: {without} of {len(clean)}; {few}"
    said = "without loss the published means are met without a threshold, and not with few packets"
    return JudgedPrediction(said, text, without == len(clean) and small == 0)
