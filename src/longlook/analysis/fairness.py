"""Who gets what of a shared bottleneck: rates per flow over the runs of a scenario, and Jain's index. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from longlook.analysis.cells import accepted
from longlook.analysis.welch import Summary, welch_from_summaries

MATERIAL = 1.1
"""Rates that differ by less are called fair whatever their p: five runs on a deterministic link tell 2.43 from 2.54."""


@dataclass(frozen=True)
class Share:
    """One flow's rate over the runs of its scenario: Mbit/s, sample standard deviation, number of runs."""

    flow: str
    protocol: str
    mean_mbps: float
    std_mbps: float
    runs: int


@dataclass(frozen=True)
class Contest:
    """One scenario: the flows' shares, and which protocol has more of the link per flow."""

    scenario: str
    shares: tuple[Share, ...]
    verdict: str
    """`quic` or `tcp`: its first flow has significantly (Welch, p < 0.01) and by more than a tenth more than the other's
    first flow; `fair`: neither. Between flows of one protocol: `unfair` or `fair`."""

    @property
    def jain(self) -> float:
        """Jain's index of the mean rates."""
        return jain([share.mean_mbps for share in self.shares])


def jain(rates: Sequence[float]) -> float:
    """(sum x)^2 / (n sum x^2) of the flows' rates: 1 where all are equal, 1/n where one flow has everything (Jain 1984)."""
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else float("nan")


def verdict_of(shares: Sequence[Share]) -> str:
    """Welch's t-test between the first flow and the first one of the other protocol, or else the second."""
    first = shares[0]
    other = next((one for one in shares if one.protocol != first.protocol), shares[1] if len(shares) > 1 else first)
    test = welch_from_summaries(
        *(Summary(one.mean_mbps, one.std_mbps, one.runs) for one in (first, other))
    )  # the same in any unit
    high, low = max(first.mean_mbps, other.mean_mbps), min(first.mean_mbps, other.mean_mbps)
    if not test.significant or high < MATERIAL * low:
        return "fair"
    if first.protocol == other.protocol:
        return "unfair"
    return (first if first.mean_mbps > other.mean_mbps else other).protocol


def published_contests(published: pd.DataFrame, table: str) -> list[Contest]:
    """Scenarios of table 4.1 or 4.2, from `muthuraj2024_fairness.csv`, in the table's order."""
    found = []
    for scenario, rows in published[published["table"].astype(str) == table].groupby("scenario", sort=False):
        shares = tuple(
            Share(row.flow, row.protocol, row.mean_mbps, row.std_mbps, int(row.runs)) for row in rows.itertuples()
        )
        found.append(Contest(scenario, shares, verdict_of(shares)))
    return found


def measured_contests(flows: pd.DataFrame) -> list[Contest]:
    """Scenarios of `transfer_flows` rows of one campaign, in the order measured; accepted runs only."""
    found = []
    for scenario, rows in accepted(flows).groupby("scenario", sort=False):
        shares = []
        for name, own in rows.groupby("flow", sort=False):
            rates = list(own["mean_mbps"])
            spread = statistics.stdev(rates) if len(rates) > 1 else float("nan")
            shares.append(Share(name, own["protocol"].iloc[0], statistics.fmean(rates), spread, len(rates)))
        found.append(Contest(scenario, tuple(shares), verdict_of(shares)))
    return found
