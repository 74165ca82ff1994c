"""Criteria as data: what a sweep may state, and what is refused with the key and the nearest that there is."""

import pytest

from longlook.plan.criteria import Criterion, Judging
from longlook.plan.squares import number_of_squares, squares
from longlook.plan.statements import Prediction, numbers_in
from longlook.plan.sweep import load_sweep
from longlook.plan.value import PlanError
from longlook.stack.arms import complete

SWEEP = """
name = "small"
study = "muthuraj2024"
title = "Two pages over two round trips"
stack = "quicv1"

[[cells]]
series = "small"
arms = [{ protocol = "quic" }, { protocol = "tcp" }]
bandwidth_mbps = [50]
rtt_ms = [36, 112]
workloads = [{ size_kb = 5, count = 1 }, { size_kb = 100, count = 1 }]

[judging]
metric = "plt_ms"
by = "interval"
ratio = ["quic", "tcp"]

[[predictions]]
"""
SOUND = 'n = 1\nsays = "QUIC takes at most 0.9 times what TCP does"\nat_most = 0.9\n'


def opened(tmp_path, text, sweep=SWEEP):
    large = SWEEP.partition("[judging]")[0].replace("small", "large")
    (tmp_path / "large.toml").write_text(large, encoding="utf-8")
    file = tmp_path / "small.toml"
    file.write_text(sweep + text, encoding="utf-8")
    return load_sweep(file, complete)


def test_a_prediction_selects_the_cells_of_its_sweep(tmp_path):
    sweep = opened(tmp_path, SOUND)
    (one,) = sweep.predictions
    assert number_of_squares(one, sweep.rule, sweep.rows()) == 4
    (leaf,) = one.leaves(sweep.rule)
    assert (leaf.series, leaf.pairs, leaf.bounds[1], leaf.metric) == (("small",), (("quic", "tcp"),), 0.9, "plt_ms")


def test_the_cells_of_a_sweep_that_is_named_are_squares_too(tmp_path):
    beside = SWEEP.replace('name = "small"', 'name = "beside"').replace("[36, 112]", "[290]").partition("[judging]")[0]
    (tmp_path / "beside.toml").write_text(beside, encoding="utf-8")
    text = SOUND.replace("at_most", "squares = { least = 5, of = 6 }\nat_most")
    sweep = opened(tmp_path, text, SWEEP.replace("[judging]", '[judging]\nsweeps = ["beside"]'))
    assert {row["rtt_ms"] for row in sweep.judged_rows()} == {36, 112, 290} and len(sweep.cells()) == 4
    with pytest.raises(PlanError, match=r"the study has no sweep 'besides' \(did you mean beside"):
        opened(tmp_path, text, SWEEP.replace("[judging]", '[judging]\nsweeps = ["besides"]'))


@pytest.mark.parametrize("other", ['over = { series = "large" }', 'against = { series = "large" }'])
def test_what_another_sweep_of_the_study_measures_may_stand_beside_it(tmp_path, other):
    sweep = opened(tmp_path, f"{SOUND}{other}\n")
    (one,) = sweep.predictions
    assert number_of_squares(one, sweep.rule, sweep.rows()) == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (SOUND + "at_mots = 1\n", r"predictions\.0.*unknown key at_mots \(did you mean at_most\?\)"),
        (SOUND + "where = { rtt = 36 }\n", r"predictions\.0.*no condition 'rtt' \(did you mean"),
        (SOUND + "where = { rtt_ms = 37 }\n", r"predictions\.0 \(n = 1\): where\.rtt_ms = 37: no cell has it"),
        (SOUND + "where = { rtt_ms = [36, 37] }\n", r"where\.rtt_ms = 37: no cell has it \(they have 36\.0, 112\.0\)"),
        (SOUND + 'ratio = ["quic", "tpc"]\n', r"no arm is 'tpc' \(did you mean tcp"),
        (SOUND + 'series = "smal"\n', r"the sweep has no 'smal' \(did you mean small"),
        (SOUND + 'statistic = "means"\n', r"statistic"),
        (SOUND + 'told = "{vlaue:.2f}"\n', r"no \{vlaue\} to tell \(did you mean value"),
        (SOUND + 'over = { series = "largest" }\n', r"over: no sweep of this study measures a series 'largest'"),
        (SOUND + 'over = { series = "large", rtt_ms = 50 }\n', r"over: no cell of large has it of an arm 'quic'"),
        (SOUND + 'against = { series = "largest" }\n', r"against: no sweep of this study measures a series 'largest'"),
        (SOUND + 'against = { ratio = [["quic", "tcp"], ["tcp", "quic"]] }\n', r"1 numbers against 2: one for each"),
        (SOUND + 'over = { rtt_ms = 36 }\nagainst = { series = "large" }\n', r"held against what is over some"),
        (SOUND + 'significant = "none"\n', r'significant = "none" has no other bound'),
        (SOUND.replace("at_most = 0.9", 'value = "quic"\nsignificant = "left"'), r"significant is one of two numbers"),
        (SOUND.replace("at_most = 0.9", 'significant = "same"'), r"the same is found of two numbers"),
        (SOUND + "holm = true\n", r"holm corrects tests of two means"),
        (SOUND.replace("at_most = 0.9", 'significant = "left"\nholm = "tpc"'), r"no arm is 'tpc' \(did you mean tcp"),
        (SOUND.replace("at_most = 0.9", 'steps = "tcp"\nat_most = 0.9'), r"no square has all of its arms"),
        (SOUND + 'unit = "points"\n', r"points are between two ratios"),
        (SOUND + 'quantity = "relative_error"\n', r"relative_error is of a mean over another"),
        (SOUND + 'summary = "{0} to {4}"\n', r"summary: it has no \{4\} to tell, of 4 numbers"),
        (SOUND + 'summary = "{least[0]} to {greatest[1]}"\n', r"summary: it tells the ends of 2 bounds, and has 1"),
        (SOUND + 'summary = "{least}"\n', r"summary: no \{least\} to tell"),
        (SOUND + 'told = "{least[0]}"\n', r"told: no \{least\[0\]\} to tell"),
        (SOUND + 'unit = "times"\n', r"times are of two differences"),
        (SOUND + 'quantity = "throughput"\n', r"no quantity 'throughput' \(did you mean throughput_mb_s"),
        (SOUND + 'quantity = "cpu_s_per_gb"\n', r"cpu_s_per_gb is of client_cpu_s or server_cpu_s, not of plt_ms"),
        (
            SOUND + 'quantity = "throughput_mb_s"\nstatistic = "lowest-median"\n',
            r"throughput_mb_s is a mean: it has no other statistic",
        ),
        (SOUND + "squares = { least = 5, of = 4 }\n", r"least = 5 of 4 squares can never be met"),
        (SOUND + "squares = { most = 4, of = 4 }\n", r"of 4 squares it asks nothing"),
        (
            SOUND + "squares = { least = 4, of = 4, opposite = 0 }\n",
            r"opposite squares are those of what is to be signif",
        ),
        (SOUND + "all = [{ squares = { least = 1, of = 2 } }]\n", r"squares\.of = 2, and its cells make 4"),
        (SOUND + 'against = { study = "small", series = "4.6a" }\n', r"no sweep of small measures a series '4\.6a'"),
        (SOUND + 'quantity = "main_ms"\n', r"main_ms is of each load"),
        (SOUND + 'quantity = "limited_pct"\nstatistic = "count"\n', r"limited_pct is of the repeat in the middle"),
        (
            SOUND + 'quantity = "limited_pct"\nover = { rtt_ms = 36 }\n',
            r"limited_pct: one arm over other conditions, or",
        ),
        (SOUND + 'quantity = "after_last_byte_ms"\n', r"after_last_byte_ms is of each load: the least or the gr"),
        (SOUND + "squares = { least = 5, of = 6 }\n", r"squares\.of = 6, and its cells make 4"),
        (SOUND + "over = { rtt = 1 }\n", r"over: no condition 'rtt'"),
        ('n = 1\nsays = "QUIC is quicker"\nat_most = 1\n', r"'QUIC is quicker' has no number"),
        ('n = 1\nsays = "1 to 2 times"\nwithin = [2, 1]\n', r"no number lies within 2 and 1"),
        ('n = 1\nsays = "at most -1 times"\nratio = ["quic", "tcp"]\nat_most = -1\n', r"never below -1"),
        ('n = 1\nsays = "1 time"\n', r"it has no bound"),
    ],
)
def test_what_no_measurement_could_decide_is_refused_with_its_file_and_key(tmp_path, text, said):
    with pytest.raises(PlanError, match=rf"small\.toml: .*{said}"):
        opened(tmp_path, text)


def test_criteria_are_no_part_of_what_is_measured(tmp_path):
    with_them, without = opened(tmp_path, SOUND), load_sweep(_plain(tmp_path), complete)
    assert with_them.definition() == without.definition()
    assert [(one.id, one.key, one.seed) for one in with_them.cells()] == [
        (one.id, one.key, one.seed) for one in without.cells()
    ]
    assert without.criteria is None


def _plain(tmp_path):
    file = tmp_path / "plain" / "small.toml"
    file.parent.mkdir()
    file.write_text(SWEEP.partition("[judging]")[0], encoding="utf-8")
    return file


def test_the_digest_is_of_bounds_words_and_rule(tmp_path):
    one = opened(tmp_path, SOUND).criteria.digest
    assert one == opened(tmp_path, SOUND).criteria.digest
    others = [SOUND.replace("0.9", "0.8"), SOUND + 'by = "value"\n', SOUND + "where = { rtt_ms = 36 }\n"]
    assert len({one, *(opened(tmp_path, other).criteria.digest for other in others)}) == 4


def test_who_says_one_bound_or_form_says_it_in_place_of_the_one_above():
    one = Criterion.parse(
        {
            "metric": "plt_ms",
            "ratio": ["a", "b"],
            "at_least": 1,
            "where": {"rtt_ms": 36, "loss_pct": 0},
            "all": [{"where": {"rtt_ms": 112}}, {"within": [0, 2], "difference": [["b", "a"], ["c", "a"]]}],
        }
    )
    first, second = one.leaves(Judging())
    assert first.where == {"rtt_ms": 112, "loss_pct": 0} and first.bounds[0] == 1 and first.pairs == (("a", "b"),)
    assert second.bounds == (0, 2) and second.pairs == (("b", "a"), ("c", "a")) and second.ratio is None


def test_squares_stand_in_the_order_in_which_a_criterion_lists_them(tmp_path):
    sweep = opened(tmp_path, SOUND + 'where = { workload = ["100kb-x1", "5kb-x1"], rtt_ms = [112, 36] }\n')
    (leaf,) = sweep.predictions[0].leaves(sweep.rule)
    found = [(one[0]["workload"], one[0]["rtt_ms"]) for one in squares(leaf, "quic", sweep.rows()).values()]
    assert found == [("100kb-x1", 112), ("100kb-x1", 36), ("5kb-x1", 112), ("5kb-x1", 36)]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("at least 1.5 times", [1.5]),
        ("a threshold of 1,000 at most half", [1000, 0.5]),
        ("with five images", [5]),
        ("2 and 3 % loss", [2, 3]),
        ("QUIC is quicker", []),
    ],
)
def test_numbers_of_a_sentence(text, numbers):
    assert numbers_in(text) == numbers


def test_a_prediction_is_one_line_of_its_table():
    with pytest.raises(PlanError, match="says"):
        Prediction.parse({"n": 1, "says": "1\n2", "metric": "plt_ms", "value": "a", "at_most": 1})
