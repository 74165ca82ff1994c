"""Welch's test against scipy, against a textbook example and in its degenerate cases."""

import csv
import math
import random

import pytest
from scipy import stats

from longlook import paths
from longlook.analysis.welch import Summary, summarise, welch_from_samples, welch_from_summaries


def test_a_known_example():
    """By hand: variances of the means 4/4 and 4/3; t = -2 / sqrt(7/3); df = (7/3)^2 / (1/3 + (16/9)/2) = 49/11."""
    result = welch_from_summaries(Summary(10.0, 2.0, 4), Summary(12.0, 2.0, 3))
    assert result.statistic == pytest.approx(-2 / math.sqrt(7 / 3))
    assert result.degrees_of_freedom == pytest.approx(49 / 11)
    assert result.p_value == pytest.approx(2 * stats.t.sf(2 / math.sqrt(7 / 3), 49 / 11))


@pytest.mark.parametrize("seed", range(20))
def test_samples_agree_with_scipy(seed):
    generator = random.Random(seed)
    a = [generator.gauss(100, 2) for _ in range(generator.randint(2, 25))]
    b = [generator.gauss(100 + seed / 4, 9) for _ in range(generator.randint(2, 25))]
    mine, theirs = welch_from_samples(a, b), stats.ttest_ind(a, b, equal_var=False)
    assert mine.statistic == pytest.approx(theirs.statistic)
    assert mine.degrees_of_freedom == pytest.approx(theirs.df)
    assert mine.p_value == pytest.approx(theirs.pvalue)


def test_summaries_give_what_the_samples_give():
    a, b = [1.0, 2.0, 4.0], [3.0, 3.5, 9.0, 1.0]
    assert welch_from_summaries(summarise(a), summarise(b)) == welch_from_samples(a, b)


def test_it_is_not_students_test():
    """With unequal variances and sizes the pooled test gives another p; ours must be Welch's."""
    a, b = [10.0, 10.1, 9.9, 10.0, 10.05, 9.95], [11.0, 14.0, 8.0]
    pooled = stats.ttest_ind(a, b, equal_var=True).pvalue
    assert abs(welch_from_samples(a, b).p_value - pooled) > 0.1


def test_a_huge_difference_keeps_its_small_p():
    assert 0 < welch_from_summaries(Summary(100, 1, 20), Summary(200, 1, 20)).p_value < 1e-50


@pytest.mark.parametrize(("a", "b"), [([], [1.0, 2.0]), ([1.0], [1.0, 2.0]), ([1.0, 2.0], [5.0])])
def test_too_few_loads_give_no_p_and_are_never_significant(a, b):
    result = welch_from_samples(a, b)
    assert math.isnan(result.p_value) and result.note == "too few loads" and not result.significant


def test_no_variance_in_either_arm():
    equal, different = welch_from_samples([5.0] * 3, [5.0] * 3), welch_from_samples([5.0] * 3, [6.0] * 3)
    assert (equal.p_value, equal.note, equal.significant) == (1.0, "no variance", False)
    assert (different.p_value, different.note, different.significant) == (0.0, "no variance", True)
    assert different.statistic == -math.inf


def test_no_variance_in_one_arm_is_an_ordinary_test():
    result = welch_from_samples([5.0] * 4, [6.0, 7.0, 8.0])
    assert result.note == "" and result.degrees_of_freedom == pytest.approx(2.0)
    assert result.p_value == pytest.approx(stats.ttest_1samp([6.0, 7.0, 8.0], 5.0).pvalue)


def test_tiny_variances_do_not_underflow():
    result = welch_from_summaries(Summary(1.0, 1e-160, 5), Summary(1.0, 1e-160, 5))
    assert math.isnan(result.p_value) is False


def test_a_negative_deviation_is_refused():
    with pytest.raises(ValueError, match="negative"):
        welch_from_summaries(Summary(1, -1, 3), Summary(1, 1, 3))


def test_false_positives_are_as_rare_as_the_threshold_says():
    """Equal arms: about 1 % significant at 0.01 (2000 draws: 20 expected, 99.9 % within 7..36)."""
    generator = random.Random(1)
    draws = ([generator.gauss(100, 5) for _ in range(20)] for _ in range(4000))
    hits = sum(welch_from_samples(a, b).significant for a, b in zip(draws, draws, strict=True))
    assert 7 <= hits <= 36


@pytest.mark.parametrize(
    ("table", "arms", "least"),
    [("plt", ("quic", "tcp"), 600), ("aa", ("a", "b"), 40), ("handshake", ("zero_rtt", "one_rtt"), 20)],
)
def test_stored_p_values_come_out_to_the_last_digit(table, arms, least):
    with (paths.ROOT / "tests" / "fast" / "gate" / "frozen" / f"{table}_cells.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) >= least
    for row in rows:
        a, b = (
            Summary(float(row[f"{arm}_mean_ms"]), float(row[f"{arm}_std_ms"]), int(row[f"{arm}_n"])) for arm in arms
        )
        p_value = welch_from_summaries(a, b).p_value
        assert repr(p_value) == row["p_value"], row["cell_id"]
        scipys = stats.ttest_ind_from_stats(a.mean, a.sd, a.n, b.mean, b.sd, b.n, equal_var=False).pvalue
        assert p_value == pytest.approx(scipys, rel=1e-12), row["cell_id"]
