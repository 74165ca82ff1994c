"""Verdicts of the first attempts: each load once, whether the machine disturbed it or not. Pure.

A load that was disturbed is repeated, and whether it is called disturbed may depend on how long it took. First attempts
do not look at that: what their verdicts differ in is what the rule of rejection does. Loads that failed otherwise (a
wrong protocol, no 0-RTT) are no loads of the arm, and are left out. A load of a pair that was measured again for the
other load's sake is what it was: a first attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from longlook.analysis.compared import ComparedCell
from longlook.analysis.contrast import Verdict, contrast
from longlook.analysis.crosstable import crossed
from longlook.analysis.welch import Summary, summarise
from longlook.experiment.reasons import PAIR_REPEATED

Place = tuple[str, str]
"""Campaign and cell."""
DISTURBED = "disturbed"


def are_first(loads: pd.DataFrame) -> pd.Series:
    """Of rows of `samples`: whether each is of a load's first attempt, and of no cold one."""
    usual = loads["accepted"].astype(bool) | loads["reject_reason"].isin([DISTURBED, PAIR_REPEATED])
    return (loads["attempt"] == 0) & usual & ~loads["set_aside"].astype(bool)


def first_attempts(loads: pd.DataFrame) -> Mapping[Place, Mapping[str, Summary]]:
    """Of one row per load (`samples` of one metric): each arm's first attempts, by campaign and cell."""
    return by_arm(loads[are_first(loads)])


def by_arm(own: pd.DataFrame) -> Mapping[Place, Mapping[str, Summary]]:
    """Of loads that count, one row each: every arm's, by campaign and cell."""
    found: dict[Place, dict[str, Summary]] = {}
    for (campaign, cell, arm), values in own.groupby(["campaign", "cell_id", "arm"])["value"]:
        found.setdefault((campaign, cell), {})[arm] = summarise(values.dropna().tolist())
    return found


def verdict(arms: Mapping[str, Summary], left: str, right: str) -> Verdict | None:
    """Which arm of a cell is significantly faster in its first attempts; None without loads of both."""
    if left not in arms or right not in arms:
        return None
    return contrast(arms[left], arms[right]).verdict


def agreeing_at_first(cells: Iterable[ComparedCell], loads: Mapping[Place, Mapping[str, Summary]]) -> tuple[int, int]:
    """Published verdicts that agree with those of the first attempts, and of how many."""
    found = crossed(
        (one.published, verdict(loads.get((cell.campaign, cell.cell_id), {}), one.left, one.right))
        for cell in cells
        for one in cell.verdicts
    )
    return found.equal, found.tested
