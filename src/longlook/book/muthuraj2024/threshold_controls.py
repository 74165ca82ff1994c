"""Where a remembered threshold must not fit: the tables of a kernel that does not remember, and those with jitter.

The predictions stand in sweeps/muthuraj2024/threshold-4.6.toml and threshold-jitter.toml and were written before the
campaigns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from longlook.analysis.agreement import meets
from longlook.analysis.convention import log_mean, log_variance
from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.predicted import JudgedPrediction
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.squares import PUBLISHED

LOSS, JITTER = "threshold-4.6", "threshold-jitter"
PUBLISHED_IN = {LOSS: ("4.6b", "4.6e"), JITTER: ("4.11c",)}
PLACE = ["workload", "bandwidth_mbps"]
NEITHER, REMEMBERED, EACH_WAY = "neither", "remembered", "each way"
WIDER, WIDER_LEAST = 1.5, 6
DECADES = 2.0
MIDDLE = ("100kb-x1", "200kb-x1", "500kb-x1")


@dataclass(frozen=True)
class ControlSquare:
    """TCP of one page over one link: published, and by what began or befell it (NEITHER, REMEMBERED, EACH_WAY)."""

    workload: str
    published: Summary
    loads: Mapping[str, Summary]

    def meets(self, how: str) -> bool:
        """Whether the mean lies within the 99 % prediction interval of the published one."""
        return bool(meets(self.published, self.loads[how]))

    def log10_likelihood(self, how: str) -> float:
        """Of the published mean and variance."""
        own = self.loads[how]
        return (log_mean(self.published, own) + log_variance(self.published, own)) / math.log(10)


def squares(paper: Chapter, series: str, ways: Sequence[str]) -> list[ControlSquare]:
    """Of the reference campaign; those that have every one of these ways."""
    printed = primary(paper.data.rows("arms", paper.study, PUBLISHED_IN[series], PUBLISHED.key))
    printed = printed[printed["protocol"] == "tcp"]
    known = {tuple(row[name] for name in PLACE): (row["loss_pct"], summary_of(row)) for _, row in printed.iterrows()}
    found = []
    for place, own in primary(paper.data.rows("arms", paper.study, series, REFERENCE)).groupby(PLACE, sort=True):
        if tuple(place) not in known:
            continue
        loss, published = known[tuple(place)]
        loads = {_way(row, loss): summary_of(row) for _, row in own.iterrows()}
        if set(ways) <= set(loads):
            found.append(ControlSquare(str(place[0]), published, loads))
    return found


def _way(row: pd.Series, published_loss: float) -> str:
    if row["loss_pct"] > published_loss:
        return EACH_WAY
    return NEITHER if pd.isna(row["remembered_ssthresh"]) else REMEMBERED


def loss(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Those of threshold-4.6; none before it is measured."""
    found = squares(paper, LOSS, (NEITHER, REMEMBERED, EACH_WAY))
    return (wider(found), likelier(found), middle(found)) if found else ()


def jitter(paper: Chapter) -> tuple[JudgedPrediction, ...]:
    """Those of threshold-jitter."""
    found = squares(paper, JITTER, (NEITHER, REMEMBERED))
    return (higher(found), farther(found)) if found else ()


def wider(found: Sequence[ControlSquare]) -> JudgedPrediction:
    """The first of threshold-4.6: a threshold makes loads alike."""
    count = sum(one.published.sd > WIDER * one.loads[REMEMBERED].sd for one in found)
    return JudgedPrediction(
        f"published loads scatter more than {WIDER:g} times as much as those with a threshold in {WIDER_LEAST} of 8 "
        "squares at least",
        f"in {count} of {len(found)}",
        count >= WIDER_LEAST,
    )


def likelier(found: Sequence[ControlSquare]) -> JudgedPrediction:
    """The second of threshold-4.6."""
    ratio = math.fsum(one.log10_likelihood(EACH_WAY) - one.log10_likelihood(REMEMBERED) for one in found)
    return JudgedPrediction(
        "means and variances are a hundred times as likely with 1 % each way and no threshold as with half of it and a "
        "threshold",
        f"10^{ratio:.1f}, of {len(found)} squares".replace("-", style.MINUS),
        ratio >= DECADES,
    )


def middle(found: Sequence[ControlSquare]) -> JudgedPrediction:
    """The third of threshold-4.6."""
    own = [one for one in found if one.workload in MIDDLE]
    outside = {how: sum(not one.meets(how) for one in own) for how in (REMEMBERED, EACH_WAY)}
    return JudgedPrediction(
        "100 to 500 KB at 50 Mbit/s: outside the 99 % prediction interval lies at least one of three means with a "
        "threshold, none with 1 % each way",
        f"{outside[REMEMBERED]} with a threshold, {outside[EACH_WAY]} with 1 % each way, of {len(own)}",
        outside[REMEMBERED] >= 1 and outside[EACH_WAY] == 0 if own else None,
    )


def higher(found: Sequence[ControlSquare]) -> JudgedPrediction:
    """The first of threshold-jitter."""
    count = sum(one.loads[REMEMBERED].mean > one.loads[NEITHER].mean for one in found)
    return JudgedPrediction(
        "under jitter a threshold makes the mean higher in all four squares",
        f"in {count} of {len(found)}",
        count == len(found) == 4,
    )


def farther(found: Sequence[ControlSquare]) -> JudgedPrediction:
    """The second of threshold-jitter."""
    count = sum(
        abs(one.loads[REMEMBERED].mean - one.published.mean) > abs(one.loads[NEITHER].mean - one.published.mean)
        for one in found
    )
    return JudgedPrediction(
        "and farther from the published one in all four",
        f"in {count} of {len(found)}",
        count == len(found) == 4,
    )
