"""Cohen's kappa and its interval against a worked example, and the committed verdicts beside what says nothing."""

import math
from functools import reduce

import pytest

from longlook.analysis.crosstable import CrossTable, by_holm, crossed, of_cells
from longlook.book import agreement
from longlook.book.data import load
from longlook.book.judged import by_campaign


def test_kappa_of_a_worked_example_with_its_interval():
    """20 and 15 of 50 agree, 5 and 10 do not: po 0.7, pe 0.5; the variance by the binary form of the delta method."""
    found = CrossTable({("left", "left"): 20, ("left", "right"): 5, ("right", "left"): 10, ("right", "right"): 15})
    assert found.kappa == pytest.approx(0.4)
    low, high = found.kappa_interval
    assert (low + high) / 2 == pytest.approx(0.4)
    assert (high - low) / 2 / 2.5758 == pytest.approx(0.1270, abs=1e-4)


def test_a_constant_has_no_kappa_and_unlike_verdicts_none_above_zero():
    assert math.isnan(crossed([("left", "left")] * 9).kappa)
    always = crossed([("left", "left")] * 9 + [("none", "left")])
    assert (always.equal, always.constant, always.kappa) == (9, 9, 0.0)
    assert crossed([("left", None), (None, "none")]).tested == 0


def test_verdicts_in_opposite_directions_are_no_mere_differences():
    found = crossed([("left", "right"), ("right", "left"), ("left", "none"), ("none", "none")])
    assert (found.tested, found.equal, found.opposite) == (4, 1, 2)


REVIEWED = [
    f"reference-figure-{one}"
    for one in (
        "4.6d-20261121T033314",
        "4.6e-20261121T143758",
        "4.6f-20261121T043954",
        "4.5d-20261121T183308",
        "4.5e-20261121T191848",
        "4.5f-20261121T184242",
        "4.11c-20261122T035105",
        "4.11d-20261122T004130",
    )
]
"""Campaigns of before, of figures that were measured again since."""
KNOWN = {  # a review of the book computed these from the tables without this code
    "without loss and jitter": (0.04, 156, 137, 137),
    "with jitter": (0.65, 78, 62, None),
    "with loss": (0.39, 75, 60, None),
    "all": (0.58, 309, 259, 232),
}


def test_committed_verdicts_agree_beyond_chance_as_a_reviewer_found():
    tables = reduce(by_campaign, REVIEWED, load())
    squares = agreement.squares(tables)
    groups = {**agreement.by_link(squares), "all": squares}
    for words, (kappa, tested, equal, constant) in KNOWN.items():
        found = of_cells(one.compared for one in groups[words])
        assert (round(found.kappa, 2), found.tested, found.equal) == (kappa, tested, equal), words
        assert constant in (None, found.constant), words
        low, high = found.kappa_interval
        assert low < found.kappa < high
    clean = of_cells(one.compared for one in groups["without loss and jitter"])
    assert [clean.published(one) for one in ("left", "none", "right")] == [137, 13, 6]
    assert [clean.measured(one) for one in ("left", "none", "right")] == [155, 1, 0]
    assert clean.kept("none") + clean.kept("right") == 0
    assert (found.opposite, found.kept("right"), found.published("right")) == (5, 5, 14)
    named = agreement.opposite(tables).data
    assert named.count("<tr>") == 1 + 5 and named.count("10 KB") == 4 and named.count("10 MB") == 1
    assert agreement.agreeing_at_first(squares, tables) == (267, 309)


def test_by_holm_a_family_of_squares_keeps_those_that_outlast_it():
    kept = by_holm([("left", 1e-6), ("left", 0.008), ("right", 0.004), ("none", 0.2), (None, math.nan)])
    assert kept == {"left": 1}
    assert by_holm([("left", 0.004)]) == {"left": 1}
