"""What of a file was acknowledged over the time of its downloads, after figures 5, 7 and 11 of the paper.

Of the loads of a kind the one whose whole time is the median stands for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longlook.analysis.course import Course
from longlook.book.data import BookData
from longlook.book.loads import courses
from longlook.book.yu2021.names import FAR, LOSSY, MIDDLE, SMALL, Impairment
from longlook.published.yu2021 import STUDY
from longlook.record.parquet import records

SERIES = "yu-over-time"


@dataclass(frozen=True)
class Figure:
    """One of the paper's, as it is measured here: the file, the link, and the labels of the sweep's cells."""

    number: str
    size_bytes: int
    condition: Impairment
    labels: tuple[str, ...]


FIGURES: Mapping[str, Figure] = {
    one.number: one
    for one in (
        Figure(
            "5",
            MIDDLE,
            LOSSY,
            ("Envoy, BBR", "Envoy, CUBIC", "ngtcp2, BBR", "ngtcp2, CUBIC", "Apache, BBR", "Apache, CUBIC"),
        ),
        Figure("7", SMALL, FAR, ("Envoy, BBR", "ngtcp2, BBR", "Apache, BBR")),
        Figure("11", MIDDLE, FAR, ("quic-go from Envoy", "ngtcp2 from Envoy", "Chromium from Envoy")),
    )
}
Kind = tuple[str, str]
"""Figure and label."""
Found = Mapping[Kind, tuple[Course, ...]]
"""The loads of each kind that count, by their whole times."""


def median_of(loads: tuple[Course, ...]) -> Course:
    """The one in the middle; of an even number the earlier of the two there."""
    return loads[(len(loads) - 1) // 2]


def measured(data: BookData, key: str) -> Found:
    """Of one column, `reference` or `yours`; kinds without a load that counts are left out."""
    cells = {row["cell_id"]: row for row in records(data.rows("cells", STUDY, SERIES, key))}
    found: dict[Kind, list[Course]] = {(one.number, label): [] for one in FIGURES.values() for label in one.labels}
    for load in (one for own in courses(data, STUDY, SERIES, key).values() for one in own if len(one.acked)):
        cell = cells[load.cell_id]
        for figure in FIGURES.values():
            place = figure.size_bytes, figure.condition.rtt_ms, figure.condition.loss_pct
            if place == (cell["object_bytes"], cell["rtt_ms"], cell["loss_pct"]) and cell["label"] in figure.labels:
                found[figure.number, cell["label"]].append(load)
    return {kind: tuple(sorted(own, key=lambda load: load.whole_s)) for kind, own in found.items() if own}
