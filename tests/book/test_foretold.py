"""Every prediction that stands as data in a sweep: it says what its sentence says, and tables can show it wrong."""

import random
import re

import pytest

from longlook.analysis.evidence import Column
from longlook.analysis.judge import judge
from longlook.plan.criteria import numbers_in
from longlook.plan.squares import number_of_squares
from longlook.stack.arms import every_sweep, sweep_files

SWEEPS = {sweep.name: sweep for sweep in every_sweep() if sweep.predictions}
ENTRIES = [
    pytest.param(sweep, one, id=f"{name}-{number}")
    for name, sweep in SWEEPS.items()
    for number, one in enumerate(sweep.predictions, 1)
]
SAID_OTHERWISE = {
    ("baxter-reordering", "with jitter and a threshold of 1,000 at most half of what it takes with 3"): [3],
}
"""Numbers of a sentence that no entry has: gquicd's threshold where an arm states none."""
TRIALS = 200


def told(one, sweep):
    """Every number of an entry: of its bounds, also as per cent more or less than one, and of what it selects."""
    found = set()
    for leaf in one.leaves(sweep.rule):
        texts = [str(value) for value in (leaf.where, leaf.over, leaf.pairs, one.squares)]
        found |= {float(number) for text in texts for number in re.findall(r"\d+(?:\.\d+)?", text)}
        bounds = [bound for bound in leaf.bounds if abs(bound) < 1e12]
        found |= {*bounds, *(round(abs(bound - 1) * 100, 6) for bound in bounds)}
    return found


@pytest.mark.parametrize(("sweep", "one"), ENTRIES)
def test_every_number_of_its_sentence_is_in_its_entry(sweep, one):
    known = told(one, sweep) | set(SAID_OTHERWISE.get((sweep.name, one.says), ()))
    assert [number for number in numbers_in(one.says) if number not in known] == []


@pytest.mark.parametrize(("sweep", "one"), ENTRIES)
def test_some_tables_make_it_fail_and_without_any_it_is_open(sweep, one):
    rows, rule = sweep.rows(), sweep.rule
    of = number_of_squares(one, rule, rows)
    empty = {name: Column(lambda series: []) for name in ("reference", "published")}
    assert judge(one, rule, empty, "reference", of).holds is None
    draw = random.Random(one.says)
    assert any(judge(one, rule, made_up(rows, one, rule, draw), "reference", of).holds is False for _ in range(TRIALS))


def made_up(rows, one, rule, draw):
    metrics = {leaf.metric for leaf in one.leaves(rule)}

    def column():
        made = [
            row | {"metric": metric, "mean": 10 ** draw.uniform(0, 4), "sd": 0.01, "n": 20}
            for row in rows
            for metric in metrics
        ]
        return Column(lambda series: [row for row in made if row["series"] == series])

    return {"reference": column(), "published": column()}


@pytest.mark.parametrize("name", SWEEPS)
def test_every_prediction_that_is_numbered_in_the_head_has_its_entry(name):
    head = sweep_files()[name].read_text(encoding="utf-8").partition("\nname = ")[0]
    numbered = {int(number) for number in re.findall(r"^# (\d+)\. ", head, re.M)}
    assert numbered == {one.n for one in SWEEPS[name].predictions}
