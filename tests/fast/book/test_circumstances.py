"""Published, as the text says and as the scripts did: on loads that are known multiples of the published ones."""

from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest

from longlook.analysis.welch import Summary
from longlook.book.muthuraj2024 import circumstances
from longlook.book.muthuraj2024.circumstances import (
    Known,
    Three,
    agreement,
    arm_key,
    arms_of,
    by_table,
    goals,
    held,
    loads_in,
    state,
)
from longlook.book.muthuraj2024.emulab_2024 import stated
from longlook.dataset.rows import who
from longlook.dataset.tables import columns
from longlook.plan.conditions import arm_conditions, conditions
from longlook.published.muthuraj2024 import page_load_times
from longlook.stack.arms import open_sweep

PRINTED = page_load_times()
CIRCUMSTANCES = stated()
B4 = [one for one in PRINTED if one.table == "B.4"]


def loads(one, quic=1.0, tcp=1.0):
    """A published cell's loads, with means that are these multiples of the published ones."""
    factors = {"quic": quic, "tcp": tcp}
    return {
        arm.protocol: Summary(one.arms[arm.name].mean * factors[arm.protocol], one.arms[arm.name].sd, 20)
        for arm in one.cell.arms
    }


def three(one, text=1.0, scripts=None):
    """TCP's means as these multiples."""
    changed = scripts is not None
    return Three(one, loads(one, tcp=text), loads(one, tcp=scripts if changed else text), changed)


def test_cells_as_published_agree_and_lie_within():
    same = held([(one, loads(one)) for one in B4])
    assert (same.cells, same.agreeing, same.within, same.errors, same.error) == (18, 18, 36, (0.0, 0.0), 0.0)
    other = held([(one, loads(one, tcp=0.2)) for one in B4])
    assert other.agreeing < same.agreeing and other.within == 18 and other.errors == pytest.approx((0, 0.8))
    assert held([]).cells == 0


@pytest.mark.parametrize(
    ("holds", "found"),
    [
        ((), "not measured yet"),
        ((None, True), "open"),
        ((True, True, False), "confirmed"),
        ((True, None, True), "confirmed"),
        ((True, False), "not confirmed"),
        ((True, False, None), "not confirmed"),
        ((False, True, True, True), "not confirmed"),
    ],
)
def test_a_circumstance_is_confirmed_by_its_first_prediction_and_most_of_them(holds, found):
    assert state(holds) == found


@pytest.mark.parametrize("one", CIRCUMSTANCES, ids=lambda one: f"{one.series} {one.tables[0]}")
def test_every_change_is_of_the_tables_that_it_names_and_its_sweeps_have_it(one):
    measured = [cell for name in one.sweeps for cell in open_sweep(name).cells() if cell.series == one.series]
    for table in one.tables:
        own = [cell.cell for cell in PRINTED if cell.table == table]
        changed = [made for cell in own if (made := one.change(cell)).key != cell.key]
        assert changed
        assert [cell.full_label for cell in changed if not any(map(partial(has, cell), measured))] == []


def has(changed, measured):
    """Whether a measured cell is a changed one, or has its arms among others."""
    arms = {arm.condition_text for arm in measured.arms}
    same = measured.link == changed.link and measured.workload == changed.workload
    return same and {arm.condition_text for arm in changed.arms} <= arms


def test_no_two_change_one_cell():
    for cell in PRINTED:
        own = [one for one in CIRCUMSTANCES if cell.table in one.tables]
        assert sum(one.change(cell.cell).key != cell.cell.key for one in own) <= 1


def test_a_cost_is_of_pages_of_many_objects_alone():
    few, many = (next(one.cell for one in B4 if one.cell.workload.object_count == count) for count in (10, 100))
    (costing,) = (one for one in CIRCUMSTANCES if "B.10" in one.tables)
    assert costing.change(few) is few
    assert [arm.request_cost_us for arm in costing.change(many).arms] == [500, None]


def test_both_ways_stand_beside_the_ceiling():
    found = agreement([three(one, 0.2, 1.0) for one in B4])
    assert found.scripts.agreeing == found.changed == 18 and found.text.agreeing < 18
    assert found.ceiling.cells == 18 and 0.7 < found.ceiling.share < 1
    assert list(by_table([three(one) for one in PRINTED])) == list(dict.fromkeys(one.table for one in PRINTED))


def test_what_is_asked_for_is_reached_or_not():
    exact = goals([three(one) for one in PRINTED])
    assert [one.reached(circumstances.as_text) for one in exact] == [True] * 4
    assert "none" in exact[1].said(circumstances.as_text)
    lossy = goals(
        [three(one, 0.2 if one.table == "B.4" else 1.0, 1.0 if one.table == "B.4" else None) for one in PRINTED]
    )
    assert lossy[1].said(circumstances.as_text) == "B.4" and not lossy[1].reached(circumstances.as_text)
    assert lossy[1].reached(circumstances.as_scripts)
    off = goals([three(one, 1.3) for one in PRINTED])
    assert [one.reached(circumstances.as_text) for one in off[2:]] == [False, False]
    assert goals([]) == ()


B4_CHANGE = next(one for one in CIRCUMSTANCES if "B.4" in one.tables)


@pytest.fixture
def measured(monkeypatch):
    """Loads of all cells as the text says, and of table B.4's as the scripts did; whether that is confirmed."""

    def make(state_of_b4, scripts):
        known = tuple(
            Known(one, state_of_b4 if one is B4_CHANGE else "not measured yet", 3, 3) for one in CIRCUMSTANCES
        )
        text = {(one.cell.study, one.cell.key): loads(one) for one in PRINTED}
        monkeypatch.setattr(circumstances, "known", lambda data: known)
        monkeypatch.setattr(circumstances, "loads_of", lambda data, series: text)
        monkeypatch.setattr(circumstances, "arms_of", lambda data, series: scripts)
        return circumstances.three_ways.__wrapped__(SimpleNamespace())

    return make


def arms(cell, own):
    """As `arms_of` has them."""
    return {arm_key(conditions(cell) | arm_conditions(arm)): own[arm.protocol] for arm in cell.arms}


def test_a_confirmed_circumstance_changes_its_table_and_no_other(measured):
    scripts = {}
    for one in B4:
        scripts |= arms(B4_CHANGE.change(one.cell), loads(one, tcp=2.0))
    found = measured("confirmed", scripts)
    assert len(found) == 309
    assert {one.printed.table for one in found if one.changed} == {"B.4"} and sum(one.changed for one in found) == 18
    assert all((one.scripts is one.text) != one.changed for one in found)
    changed = next(one for one in found if one.changed)
    assert changed.scripts["tcp"].mean == 2 * changed.text["tcp"].mean
    assert not any(one.changed for one in measured("not confirmed", scripts))


def test_what_is_not_measured_as_the_scripts_did_is_told_and_the_texts_stands_for_it(measured):
    found = measured("confirmed", {})
    assert sum(one.missing for one in found) == 18 and not any(one.changed for one in found)


def test_arms_are_found_among_others_by_what_they_are():
    cell = B4[0].cell.with_arms("quic", request_cost_us=900)
    own = {"quic": Summary(1, 1, 20), "tcp": Summary(2, 1, 20)}
    among = arms(cell, own) | arms(
        B4[0].cell.with_arms("quic", request_cost_us=250), {"quic": Summary(3, 1, 20)} | {"tcp": own["tcp"]}
    )
    assert loads_in(among, cell) == own
    assert loads_in(among, B4[0].cell) == {"tcp": own["tcp"]}
    assert loads_in(among, B4_CHANGE.change(cell)) == {}


def test_an_arm_is_found_in_the_table_by_what_the_plan_says_of_it():
    cell = B4[0].cell.with_arms("tcp", remembered_ssthresh=7)
    same = (
        who("reference-x-20260101T000000", cell)
        | conditions(cell)
        | {"metric": "plt_ms", "n": 20, "mean": 5.0, "sd": 1.0}
    )
    table = pd.DataFrame([same | arm_conditions(arm) for arm in cell.arms], columns=columns("arms"))
    found = arms_of(SimpleNamespace(rows=lambda *asked: table), "x")
    assert set(loads_in(found, cell)) == {"quic", "tcp"}
    assert set(loads_in(found, B4[0].cell)) == {"quic"}, "TCP has a threshold"


def test_the_tables_say_what_was_found(monkeypatch):
    found = tuple(three(one, 0.2, 1.0) if one.table == "B.4" else three(one) for one in PRINTED)
    monkeypatch.setattr(circumstances, "three_ways", lambda data: found)
    text = circumstances.table(SimpleNamespace(data=None)).data
    assert "<td class=num>309</td>" in text and "not measured yet" not in text
    assert "309 (100 %)" in text, "all agree as the scripts did"
    assert "reached" in circumstances.goals_table(SimpleNamespace(data=None)).data
    monkeypatch.setattr(
        circumstances, "three_ways", lambda data: (Three(B4[0], loads(B4[0]), loads(B4[0]), False, True),)
    )
    assert "1 cells of confirmed circumstances" in circumstances.table(SimpleNamespace(data=None)).data
