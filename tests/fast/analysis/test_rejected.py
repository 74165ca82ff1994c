"""Whether rejections depend on the arm or on time: what must be found, what must not, and what cannot be told."""

import random

import pandas as pd
import pytest
from scipy.stats import fisher_exact

from longlook.analysis.first_attempts import are_first
from longlook.analysis.rejected import rejections

TOGETHER = "all of them"


def loads(rejected, cells=4, n=20, reason="disturbed", slower=1.0, seed=1):
    """Cells of two arms; `rejected`: arm -> first attempts of each cell that are rejected. Each is made again, and is
    accepted then; the first load of each arm is set aside and rejected too."""
    draw, rows = random.Random(seed), []
    for cell in range(cells):
        for arm, count in rejected.items():
            base = {"campaign": "c", "cell_id": f"{cell}", "arm": arm, "protocol": arm[:4], "zero_rtt": None}
            rows.append(base | _load(0, 0, reason, 1.0) | {"set_aside": True})
            for index in range(1, n + 1):
                time = 100.0 * draw.lognormvariate(0, 0.1)
                if index <= count:
                    rows.append(base | _load(index, 0, reason, time * slower))
                    rows.append(base | _load(index, 1, None, time))
                else:
                    rows.append(base | _load(index, 0, None, time))
    return pd.DataFrame(rows)


def _load(index, attempt, reason, value):
    verdict = {"accepted": reason is None, "reject_reason": reason, "set_aside": False}
    return {"index": index, "attempt": attempt, "value": value} | verdict


def of(campaign, table):
    (found,) = [one for one in rejections(table, TOGETHER) if one.campaign == campaign]
    return found


def test_a_reason_that_prefers_an_arm_is_found_and_named():
    found = of("c", loads({"quic": 6, "tcp": 0}))
    assert found.depends and found.tells and found.by_arm == "quic 24 of 80, tcp 0 of 80"
    together = of(TOGETHER, loads({"quic": 6, "tcp": 0}))
    assert together.depends and together.loads == {"quic": 80, "tcp": 80}


def test_of_one_cell_it_is_fishers_exact_test():
    found = of("c", loads({"quic": 7, "tcp": 2}, cells=1))
    assert found.p_value == pytest.approx(fisher_exact([[7, 13], [2, 18]]).pvalue)
    assert found.least_p == pytest.approx(fisher_exact([[9, 11], [0, 20]]).pvalue)


def test_equal_shares_are_no_finding():
    found = of("c", loads({"quic": 4, "tcp": 4}))
    assert found.tells and not found.depends and found.p_value == pytest.approx(1)


def test_few_rejections_cannot_tell_even_if_all_are_of_one_arm():
    found = of("c", loads({"quic": 3, "tcp": 0}, cells=1))
    assert not found.tells and not found.depends
    assert found.p_value == found.least_p == pytest.approx(0.2307, abs=1e-4)


def test_a_cell_in_which_all_is_rejected_says_nothing_of_its_arms():
    """By one arm alone, too: it has no other to be held against."""
    table = loads({"quic": 20, "tcp": 20}, cells=2)
    assert of("c", table).least_p == 1 and of("c", table[table["arm"] == "quic"]).least_p == 1


def test_of_several_arms_each_is_tried_and_pays_for_it():
    arms = {"quic a": 0, "quic b": 0, "tcp a": 0, "tcp b": 9}
    found = of("c", loads(arms, cells=1))
    assert found.arm == "tcp b" and found.depends
    assert found.p_value == pytest.approx(4 * fisher_exact([[9, 11], [0, 60]]).pvalue)


def test_an_arm_that_never_sends_early_data_cannot_have_its_rejections():
    table = loads({"quic": 6, "tcp": 0}, reason="zero_rtt_rejected")
    table.loc[table["arm"] == "quic", "zero_rtt"] = True
    assert of("c", table).least_p == 1


@pytest.mark.parametrize(("slower", "depends"), [(1.0, False), (1.5, True), (0.6, True)])
def test_rejected_loads_that_took_another_time_are_found_whatever_their_arm(slower, depends):
    found = of("c", loads({"quic": 5, "tcp": 5}, slower=slower))
    assert found.depends_on_time == depends and not found.depends
    assert found.slower == pytest.approx(slower, rel=0.1)


def test_loads_drawn_at_random_are_significant_as_seldom_as_they_may_be():
    draw, significant = random.Random(5), 0
    table = loads({"quic": 0, "tcp": 0}, cells=3)
    for _ in range(60):
        hit = pd.Series([draw.random() < 0.1 for _ in range(len(table))], index=table.index)
        table = table.assign(accepted=~hit, reject_reason=["disturbed" if one else None for one in hit])
        significant += of("c", table).p_value < 0.05
    assert significant <= 7  # 3 are due, and the test is exact


def test_a_load_whose_pair_was_measured_again_for_the_others_sake_is_no_rejection_and_a_first_attempt():
    alone = loads({"quic": 6, "tcp": 0})
    first = (alone["arm"] == "tcp") & alone["index"].between(1, 6)
    again = alone[first].assign(attempt=1)
    verdict = {"accepted": False, "reject_reason": "pair_repeated"}
    pairs = pd.concat([alone.assign(**{key: alone[key].mask(first, one) for key, one in verdict.items()}), again])
    assert rejections(pairs, TOGETHER) == rejections(alone, TOGETHER)
    assert are_first(pairs).sum() == are_first(alone).sum() == 160
