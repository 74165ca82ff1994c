"""Which meaning of a loss published numbers support, on samples whose meaning is known."""

import math

import numpy as np
import pytest
from scipy.stats import f, t

from longlook.analysis.convention import conventions, each_way, log_mean, log_variance
from longlook.analysis.welch import Summary, summarise
from longlook.published.cells import PublishedMean
from longlook.published.muthuraj2024 import page_load_times

LOSSY = [one for one in page_load_times() if one.table == "B.4"]


def published_as(mean, sd):
    """Table B.4 with every mean replaced."""
    return [
        type(one)(one.table, one.cell, one.metric, {arm: PublishedMean(mean, sd, 20) for arm in one.arms})
        for one in LOSSY
    ]


def measured(divided, doubled, cells=LOSSY):
    found = {}
    for one in cells:
        found[(one.cell.study, one.cell.key)] = dict.fromkeys(("quic", "tcp"), divided)
        found[(one.cell.study, each_way(one.cell).key)] = dict.fromkeys(("quic", "tcp"), doubled)
    return found


def test_the_meaning_that_the_numbers_were_drawn_with_is_found():
    rng = np.random.default_rng(3)
    halves, wholes = (summarise(list(rng.normal(mean, 50, 20))) for mean in (500, 600))
    for truth, answer in ((610, "each way"), (490, "divided")):
        (found,) = conventions(published_as(truth, 50.0), measured(halves, wholes))
        assert found.supports == answer and found.cells == found.published_cells == 18
        assert found.means == 36 and found.nearer_each_way == (36 if answer == "each way" else 0)
        assert math.copysign(1, found.log10_by_means) == (1 if answer == "each way" else -1)


def test_the_standard_deviations_have_their_say():
    (found,) = conventions(published_as(500.0, 100.0), measured(Summary(500, 50, 20), Summary(500, 100, 20)))
    assert found.log10_by_variances > 10 and found.supports == "each way"


def test_equal_samples_decide_nothing():
    (found,) = conventions(published_as(500.0, 50.0), measured(Summary(480, 60, 20), Summary(480, 60, 20)))
    assert found.log10_ratio == 0 and found.supports == "undecided"


def test_what_was_measured_in_one_meaning_only_is_not_compared():
    (found,) = conventions(published_as(500.0, 50.0), measured(Summary(1, 1, 20), Summary(2, 1, 20), LOSSY[:3]))
    assert (found.cells, found.published_cells) == (3, 18)
    assert conventions(published_as(500.0, 50.0), {})[0].supports == "undecided"


def test_another_cause_may_stand_against_a_loss_each_way():
    def remembering(cell):
        return cell.with_arms("tcp", remembered_ssthresh=7)

    loads = measured(Summary(480, 60, 20), Summary(520, 60, 20))
    for one in LOSSY[:4]:
        known = {"quic": Summary(500, 50, 20), "tcp": Summary(500, 50, 20)}
        loads[(one.cell.study, remembering(one.cell).key)] = known
    (found,) = conventions(published_as(500.0, 50.0), loads, remembering)
    assert found.supports == "divided" and found.cells == 4 and found.means == 8
    assert conventions(published_as(500.0, 50.0), loads)[0].cells == 18


def test_tables_without_loss_are_none_of_it():
    assert {one.table for one in conventions(page_load_times(), {})} == {
        one.table for one in page_load_times() if one.cell.link.loss_pct
    }


@pytest.mark.parametrize(("known", "sample"), [(Summary(100, 10, 20), Summary(104, 12, 15))])
def test_densities_are_those_of_the_text_books(known, sample):
    scale = math.sqrt(100 / 20 + 144 / 15)
    freedom = (100 / 20 + 144 / 15) ** 2 / ((100 / 20) ** 2 / 19 + (144 / 15) ** 2 / 14)
    assert math.exp(log_mean(known, sample)) == pytest.approx(t(freedom, loc=104, scale=scale).pdf(100))
    ratio = 100 / 144
    assert math.exp(log_variance(known, sample)) == pytest.approx(f(19, 14).pdf(ratio) / 144)
