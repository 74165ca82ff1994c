"""Table B.4 with the loss in each direction: what became of the predictions.

They stand in sweeps/muthuraj2024/loss-each-way-4.6e.toml and were written before the campaign.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longlook import paths
from longlook.analysis.agreement import meets, printed_of
from longlook.analysis.convention import conventions, each_way
from longlook.analysis.welch import Summary
from longlook.audit.checks import primary, samples_by_key
from longlook.book.chapter import Chapter
from longlook.book.predicted import Prediction
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.published.cells import PublishedCell
from longlook.published.muthuraj2024 import page_load_times

SERIES, USUAL, KNOWN = "loss-each-way-4.6e", "4.6e", "loss-each-way"
"""Measured with the loss each way, with the loss divided, and, each way, before the predictions were written."""
TABLE = "B.4"
DECADES = 2.0
NEARER, MEDIAN_ERROR = 14, 0.15
MANY = 100


@dataclass(frozen=True)
class Both:
    """One printed cell, and its loads with both meanings of the loss, by protocol."""

    printed: PublishedCell
    divided: Mapping[str, Summary]
    whole: Mapping[str, Summary]

    def published(self, protocol: str) -> Summary:
        """What is printed of a protocol."""
        return printed_of(self.printed, protocol)

    def is_nearer(self, protocol: str) -> bool:
        """Whether the mean with the loss each way is nearer to the printed one."""
        target = self.published(protocol).mean
        return abs(self.whole[protocol].mean - target) < abs(self.divided[protocol].mean - target)

    def error(self, protocol: str) -> float:
        """Relative, of the mean with the loss each way."""
        return abs(self.whole[protocol].mean / self.published(protocol).mean - 1)

    def is_met(self, protocol: str) -> bool:
        """Whether that mean lies within the 99 % prediction interval of the printed one."""
        return bool(meets(self.published(protocol), self.whole[protocol]))


def predictions(paper: Chapter) -> tuple[Prediction, ...]:
    """None before it is measured."""
    arms = {name: primary(paper.data.rows("arms", paper.study, name, REFERENCE)) for name in (SERIES, USUAL, KNOWN)}
    if any(arms[name].empty for name in (SERIES, USUAL)):
        return ()
    divided, whole, before = (samples_by_key(arms[name]) for name in (USUAL, SERIES, KNOWN))
    both = []
    for one in page_load_times(paths.PUBLISHED):
        keys = (one.cell.study, one.cell.key), (one.cell.study, each_way(one.cell).key)
        if one.table == TABLE and keys[0] in divided and keys[1] in whole:
            both.append(Both(one, divided[keys[0]], whole[keys[1]]))
    if not both:
        return ()
    new = [one.printed for one in both if (one.printed.cell.study, each_way(one.printed.cell).key) not in before]
    (likely,) = conventions(new, {**divided, **whole})
    return supported(likely.cells, likely.log10_by_means, likely.log10_by_variances), nearer(both), many(both)


def supported(cells: int, by_means: float, by_variances: float) -> Prediction:
    """The first: of cells that were not known when it was written."""
    words = f"{cells} cells: 10^{by_means:.1f} by means, 10^{by_variances:.1f} by variances"
    return Prediction(
        "in the cells that were not known, means and variances are each a hundred times as likely with 1 % each way",
        words.replace("-", style.MINUS),
        min(by_means, by_variances) >= DECADES,
    )


def nearer(both: Sequence[Both]) -> Prediction:
    """The second: the means of TCP."""
    count = sum(one.is_nearer("tcp") for one in both)
    error = statistics.median(one.error("tcp") for one in both)
    return Prediction(
        f"at least {NEARER} of 18 means of TCP are nearer to the published ones, their median error is at most "
        f"{MEDIAN_ERROR:.0%}",
        f"{count} of {len(both)} nearer, median error {error:.1%}",
        count >= NEARER and error <= MEDIAN_ERROR,
    )


def many(both: Sequence[Both]) -> Prediction:
    """The third: QUIC's means of pages with a hundred objects and more."""
    own = [one for one in both if one.printed.cell.workload.object_count >= MANY]
    met = sum(one.is_met("quic") for one in own)
    ratios = sorted(one.whole["quic"].mean / one.published("quic").mean for one in own)
    found = f"{met} of {len(own)} within the 99 % prediction interval"
    if ratios:
        found += f"; means {ratios[0]:.2f} to {ratios[-1]:.2f} of the published"
    return Prediction("pages of a hundred objects and more stay off for QUIC", found, bool(own) and met == 0)
