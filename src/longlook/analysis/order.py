"""Does a load depend on which arm was loaded before it? If it does, the arms disturb each other.

The order of loads is drawn at random, so that in each cell some loads of an arm follow one of its own and the others
follow one of the other arm. Between the two there must be no difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from longlook.analysis.welch import Welch, summarise, welch_from_summaries

LEAST = 3
"""Fewer loads on either side say nothing."""


@dataclass(frozen=True)
class OrderEffect:
    """One protocol of one cell: mean PLT of its loads after one of its own, and after one of the other arm."""

    campaign: str
    cell_id: str
    protocol: str
    after_own_ms: float
    after_other_ms: float
    test: Welch


def order_effects(runs: pd.DataFrame) -> Iterator[OrderEffect]:
    """Of every cell and protocol with enough loads of both kinds; `runs` as in `data/processed/plt_runs.parquet`."""
    cell = ["campaign", "cell_id"]
    ordered = runs.sort_values([*cell, "order"])
    follows = ordered.groupby(cell)["protocol"].shift()  # also a rejected load comes before the next
    counted = ordered["accepted"].astype(bool) & (ordered["load_index"] >= 1) & follows.notna()
    ordered = ordered.assign(own=follows == ordered["protocol"])[counted]
    for (campaign, cell_id, protocol), loads in ordered.groupby([*cell, "protocol"]):
        own, other = (summarise(loads.loc[loads["own"] == kind, "plt_ms"].tolist()) for kind in (True, False))
        if min(own.n, other.n) >= LEAST:
            yield OrderEffect(campaign, cell_id, protocol, own.mean, other.mean, welch_from_summaries(own, other))
