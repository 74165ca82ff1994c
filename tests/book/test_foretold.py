"""Every prediction that stands as data in a sweep: it says what its sentence says, and tables can show it wrong."""

import json
import random
import re

import pytest

from longlook import paths
from longlook.analysis.evidence import Column
from longlook.analysis.judge import judge
from longlook.book.foretelling import foretold
from longlook.book.judged import standing_text
from longlook.errors import LonglookError
from longlook.experiment.measurable import require_foretold
from longlook.plan.criteria import Prediction, numbers_in
from longlook.plan.squares import number_of_squares
from longlook.plan.value import PlanError
from longlook.record.criteria import sealed
from longlook.stack.arms import every_sweep, open_sweep, sweep_files

SWEEPS = {sweep.name: sweep for sweep in every_sweep() if sweep.predictions}
ENTRIES = [
    pytest.param(sweep, one, id=f"{name}-{number}")
    for name, sweep in SWEEPS.items()
    for number, one in enumerate(sweep.predictions, 1)
]
SAID_OTHERWISE = {
    ("baxter-reordering", "with jitter and a threshold of 1,000 at most half of what it takes with 3"): [3],
    ("yu-1mb", "the slowest of the three clients is at most 5 % behind"): [3],
    ("yu-servers", "1 % loss: Envoy for two connections is not slower than for one"): [2],
    ("yu-5mb", "the slowest of the three clients is at most 5 % behind"): [3],
}
"""Numbers of a sentence that no entry has: gquicd's threshold where an arm states none, and how many fit a pattern."""
TRIALS = 50


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
    bases = [leaf.over for leaf in one.leaves(rule) if "series" in (leaf.over or {})]
    rows = [*rows, *(row | over for over in bases for row in rows)]

    def loads(row):
        return tuple(row["mean"] + off for off in (-0.01, 0.0, 0.01))

    def column():
        made = [
            row | {"metric": metric, "mean": 10 ** draw.uniform(0, 4), "sd": 0.01, "n": 20}
            for row in rows
            for metric in metrics
        ]
        return Column(lambda series: [row for row in made if row["series"] == series], loads)

    return {"reference": column(), "published": column()}


@pytest.mark.parametrize("name", SWEEPS)
def test_every_prediction_that_is_numbered_in_the_head_has_its_entry(name):
    head = sweep_files()[name].read_text(encoding="utf-8").partition("\nname = ")[0]
    numbered = {int(number) for number in re.findall(r"^# (\d+)\. ", head, re.M)}
    assert numbered == {one.n for one in SWEEPS[name].predictions}


def test_a_page_says_of_each_verdict_when_its_criterion_was_sealed_and_shows_both_where_it_was_changed(
    tmp_path, monkeypatch
):
    sweep = SWEEPS["baxter-reordering"]
    one = sweep.predictions[0]
    rows, rule, draw = sweep.rows(), sweep.rule, random.Random(1)
    columns = made_up([row | {"campaign": "some", "cell_id": "cell"} for row in rows], one, rule, draw)
    found = judge(one, rule, columns, "reference", 6)
    monkeypatch.setattr(paths, "RAW", tmp_path)
    record = tmp_path / "some" / "campaign.json"
    record.parent.mkdir()

    def said(info):
        record.write_text(json.dumps(info), encoding="utf-8")
        return standing_text(found, sweep, columns)

    assert said({}) == "prose, put into data later"
    assert said({"criteria": sealed(sweep.criteria)}) == "sealed before the data"
    bound = one.model_copy(update={"at_least": 0})
    before = sweep.criteria.model_copy(update={"predictions": (Prediction.parse(plainly(bound)),)})
    assert said({"criteria": sealed(before)}) == "changed since; as sealed: holds"
    none = sweep.criteria.model_copy(update={"predictions": sweep.criteria.predictions[1:]})
    assert said({"criteria": sealed(none)}) == "changed since; not among those that were sealed"


def plainly(one):
    return one.model_dump(mode="json", exclude_unset=True)


def test_the_criteria_are_printed_before_the_measurement():
    lines = list(foretold(SWEEPS["baxter-poster-vlan"]))
    assert lines[0].startswith("baxter-poster-vlan: 2 predictions, criteria ")
    assert lines[2] == "   21 numbers; ratio of mean plt_by_stamps_ms, quic over tcp new: at least 1, by value"


def test_a_sweep_that_predicts_nothing_says_so():
    with pytest.raises(LonglookError, match=r"aa predicts nothing: it has no \[\[predictions\]\]"):
        list(foretold(open_sweep("aa")))


@pytest.mark.parametrize("name", SWEEPS)
def test_predictions_are_of_what_their_sweep_measures(name):
    require_foretold(SWEEPS[name])


def test_a_prediction_of_an_unknown_metric_is_refused_before_anything_is_measured():
    sweep = SWEEPS["baxter-poster-vlan"]
    wrong = sweep.model_copy(update={"judging": sweep.judging.model_copy(update={"metric": "plt_by_stamp_ms"})})
    with pytest.raises(PlanError, match=r"predictions\.0 \(n = 1\): .*no metric 'plt_by_stamp_ms'.*plt_by_stamps_ms\?"):
        require_foretold(wrong)
