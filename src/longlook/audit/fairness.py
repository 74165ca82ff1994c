"""Tables 4.1 and 4.2 beside the re-measured shares of a bottleneck."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from longlook.analysis.fairness import Contest, measured_contests, published_contests

TABLES = {"4.1": "table-4.1", "4.2": "table-4.2"}
"""Published table -> figure of its cells."""


@dataclass(frozen=True)
class FairnessAudit:
    """One scenario, published and re-measured."""

    table: str
    campaign: str
    published: Contest
    measured: Contest

    @property
    def agrees(self) -> bool:
        """True where the same protocol has more of the link, or neither."""
        return self.published.verdict == self.measured.verdict


def fairness(published: pd.DataFrame, flows: pd.DataFrame) -> tuple[FairnessAudit, ...]:
    """Every published scenario that is among `flows` (rows of `transfer_flows`, one campaign of each figure), in the
    tables' order."""
    found = []
    for table, figure in TABLES.items():
        rows = flows[flows["figure"] == figure]
        if rows.empty:
            continue
        measured = {contest.scenario: contest for contest in measured_contests(rows)}
        for contest in published_contests(published, table):
            if contest.scenario in measured:
                found.append(FairnessAudit(table, rows["campaign"].iloc[0], contest, measured[contest.scenario]))
    return tuple(found)


def lines_of(audits: Iterable[FairnessAudit]) -> list[str]:
    """Text of the comparison: one line per flow, Mbit/s as mean (sd)."""
    lines: list[str] = []
    table = None
    for one in audits:
        if one.table != table:
            table = one.table
            lines += ["", f"  Table {table}, shares of 5 Mbit/s, Mbit/s (sd)   {one.campaign}"]
        mark = "agrees" if one.agrees else f"published {one.published.verdict}, here {one.measured.verdict}"
        lines.append(
            f"    {one.published.scenario}: {mark}; Jain's index {one.published.jain:.3f} -> {one.measured.jain:.3f}"
        )
        for before, now in zip(one.published.shares, one.measured.shares, strict=False):
            lines.append(
                f"      {before.flow:8}{before.mean_mbps:6.2f} ({before.std_mbps:.2f}) -> {now.mean_mbps:6.2f} ({now.std_mbps:.2f})"
                f"  x {now.mean_mbps / before.mean_mbps:.2f}  {now.runs} runs"
            )
    return lines


def median_error(audits: Iterable[FairnessAudit]) -> float:
    """Median over all flows of |re-measured - published| / published."""
    errors = [
        abs(now.mean_mbps / before.mean_mbps - 1)
        for one in audits
        for before, now in zip(one.published.shares, one.measured.shares, strict=False)
    ]
    return statistics.median(errors) if errors else float("nan")
