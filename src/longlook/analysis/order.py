"""Does a load depend on which arm was loaded before it? If it does, the arms disturb each other.

The order of loads is drawn at random, so that in each cell some loads of an arm follow one of its own and the others
follow one of another arm. Between the two there must be no difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from longlook.analysis.welch import Welch, summarise, welch_from_summaries

LEAST = 3
"""Fewer loads on either side say nothing."""
SAMPLE = ["campaign", "cell_id", "arm", "index", "attempt", "order"]
"""What tells one sample from all others; the table has one row for each of its metrics."""


@dataclass(frozen=True)
class OrderEffect:
    """One arm of one cell: mean of its loads after one of its own, and after one of another arm, ms."""

    campaign: str
    cell_id: str
    arm: str
    after_own_ms: float
    after_other_ms: float
    test: Welch


def one_row_each(samples: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Rows of the table `samples`, one per sample, with its `value` in one metric; NaN where it has none."""
    own = samples.loc[samples["metric"] == metric, [*SAMPLE, "value"]]
    alone = samples.drop(columns=["metric", "unit", "value"]).drop_duplicates(SAMPLE)
    return alone.merge(own, on=SAMPLE, how="left", sort=False)


def order_effects(loads: pd.DataFrame) -> Iterator[OrderEffect]:
    """Of every cell and arm with enough loads of both kinds; `loads` as `one_row_each` makes them."""
    cell = ["campaign", "cell_id"]
    ordered = loads.sort_values([*cell, "order"])
    follows = ordered.groupby(cell)["arm"].shift()  # also a rejected load comes before the next
    counted = ordered["accepted"].astype(bool) & ~ordered["set_aside"].astype(bool) & follows.notna()
    ordered = ordered.assign(own=follows == ordered["arm"])[counted & ordered["value"].notna()]
    for (campaign, cell_id, arm), rows in ordered.groupby([*cell, "arm"]):
        values, after_own = rows["value"].to_numpy(), rows["own"].to_numpy(dtype=bool)
        own, other = summarise(values[after_own].tolist()), summarise(values[~after_own].tolist())
        if min(own.n, other.n) >= LEAST:
            yield OrderEffect(campaign, cell_id, arm, own.mean, other.mean, welch_from_summaries(own, other))
