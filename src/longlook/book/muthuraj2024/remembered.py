"""TCP that begins with a remembered slow start threshold: the figure.

What was foretold stands in sweeps/muthuraj2024/remembered-threshold.toml.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book.chapter import Chapter
from longlook.book.data import COLUMNS
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.live import LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.figure.steps import NONE, TITLE_BREAK, Axis, step_row, steps_chart, told

SERIES = "remembered-threshold"
PUBLISHED_IN = ("4.5b", "4.5e", "4.5a", "4.5d")
AXIS = Axis("threshold, packets", "PLT of TCP, ms", "right")
PLACE = ["workload", "bandwidth_mbps", "loss_pct"]


@dataclass(frozen=True)
class ThresholdSquare:
    """One page over one link, with every threshold."""

    title: str
    published: Summary | None
    thresholds: dict[int | None, Summary]
    """None: nothing remembered; in the order of the figure, which begins with the lowest."""


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
    return ThresholdSquare(title, summary_of(same.iloc[0]) if len(same) else None, by_threshold)


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
