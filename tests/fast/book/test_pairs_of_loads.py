"""Pairs of loads that criteria go by: those of the contrasts, in which both loads met the same losses."""

import math

import pytest

from longlook import paths
from longlook.book.data import load
from longlook.book.judged import judged_of
from longlook.stack.arms import every_sweep

SWEEPS = [
    one.name
    for one in every_sweep()
    if "paired_ratio" in (one.rule.quantity, *(own.quantity for own in one.predictions))
    and any(paths.RAW.glob(f"reference-{one.name}-2*"))  # what is foretold may not be measured yet
]


@pytest.mark.parametrize("sweep", SWEEPS)
def test_a_criterion_pairs_the_loads_that_contrasts_pair(sweep):
    """In campaigns without draws a second attempt meets other losses than the first one at the other arm's."""
    data = load()
    found = [one for judged in judged_of(sweep, data) for one in judged.found if one.leaf.quantity == "paired_ratio"]
    assert found
    for one in found:
        rows = data.where("contrasts", campaign=one.square["campaign"], metric=one.square["metric"])
        rows = rows[(rows["cell_id"] == one.square["cell_id"]) & rows["left"].isin(one.pair)]
        (row,) = rows[rows["right"].isin(one.pair)].to_dict("records")
        log_ratio = row["log_ratio"] if row["left"] == one.pair[1] else -row["log_ratio"]
        assert one.estimate.value == pytest.approx(math.exp(log_ratio)), one.square["cell_id"]
        assert one.estimate.p_value == pytest.approx(row["p_paired"])
