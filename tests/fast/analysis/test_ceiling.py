"""How many verdicts an exact replication shares: known cases, equal runs, the vectorised test against the project's."""

import numpy as np
import pytest

from longlook.analysis import ceiling
from longlook.analysis.ceiling import ALL, CODES, ceilings, halves, shares_verdict, verdicts
from longlook.analysis.contrast import contrast
from longlook.analysis.welch import Summary
from longlook.published.muthuraj2024 import page_load_times

PUBLISHED = page_load_times()


def share(left, right, kind="gamma"):
    return shares_verdict(left, right, 4000, kind, "seed").mean()


@pytest.mark.parametrize("kind", ["gamma", "normal", "lognormal"])
def test_means_far_apart_always_repeat_equals_nearly_always_and_the_edge_by_half(kind):
    assert share(Summary(100, 10, 20), Summary(200, 20, 20), kind) == 1
    assert share(Summary(100, 10, 20), Summary(100, 10, 20), kind) == pytest.approx(0.99, abs=0.006)
    edge = Summary(100, 10, 20), Summary(100 + 2.71 * 10 * (2 / 20) ** 0.5, 10, 20)  # p is 0.01 at 2.71, 38 degrees
    assert share(*edge, kind) == pytest.approx(0.5, abs=0.05)


def test_arms_without_variance_or_without_loads():
    assert share(Summary(100, 0, 20), Summary(100, 0, 20)) == 1
    assert share(Summary(100, 0, 20), Summary(101, 0, 20)) == 1
    assert shares_verdict(Summary(100, 0, 1), Summary(101, 0, 20), 10, "gamma", "seed") is None


def test_the_verdicts_of_many_pairs_are_those_of_the_projects_test():
    rng = np.random.default_rng(5)
    left, right = rng.gamma(20, 5, (300, 12)), rng.gamma(20, 5, (300, 20)) + rng.uniform(-40, 40, (300, 1))
    found = verdicts(*((one.mean(1), one.var(1, ddof=1), one.shape[1]) for one in (left, right)))
    for row in range(300):
        both = (Summary(one[row].mean(), one[row].std(ddof=1), one.shape[1]) for one in (left, right))
        assert found[row] == CODES[contrast(*both).verdict]
    assert set(found) == {-1, 0, 1}


def test_equal_on_every_run_and_whatever_else_is_asked_for():
    whole = ceilings(PUBLISHED)
    assert whole == ceilings(PUBLISHED)
    alone = ceilings([one for one in PUBLISHED if one.table == "B.4"])
    assert alone["muthuraj2024", "B.4"] == whole["muthuraj2024", "B.4"] == alone[ALL]


def test_the_published_tables():
    found = ceilings(PUBLISHED)
    assert found[ALL].cells == 309 and len(found) == 17
    assert found[ALL].expected == pytest.approx(sum(one.expected for name, one in found.items() if name != ALL))
    for one in found.values():
        assert one.low <= round(one.expected) <= one.high <= one.cells and 0.7 < one.share <= 1
    others = [ceilings(PUBLISHED, kind)[ALL].share for kind in ("normal", "lognormal")]
    assert others == pytest.approx([found[ALL].share] * 2, abs=0.01)


def test_halves_of_loads_agree_as_often_as_predicted():
    rng = np.random.default_rng(7)
    cells = {}
    for number in range(60):
        shift = rng.uniform(0, 25)
        cells[f"cell{number}"] = (list(rng.gamma(100, 1, 40)), list(rng.gamma(100, 1, 40) + shift))
    cells["too few"] = ([1.0] * 19, [2.0] * 40)
    found = halves(cells)
    assert found.cells == 60
    assert found.predicted == pytest.approx(found.observed, abs=0.08)
    assert found == halves(cells)


def test_no_loads_are_no_answer():
    assert halves({}).cells == 0 and np.isnan(halves({}).observed)
    assert np.isnan(ceiling.Ceiling(0, 0.0, 0, 0).share)
