"""The wall clock set while a campaign is measured: its order and durations are the monotonic clock's, and it counts."""

import os
import time
from datetime import datetime, timedelta
from types import SimpleNamespace

import plans
import pytest

from longlook.dataset.process import make_tables
from longlook.experiment.interleaved import run_interleaved
from longlook.experiment.side import Side
from longlook.host import clock
from longlook.record.campaign import CELL_NAME, NOTEBOOK_NAME
from longlook.record.campaigns import find_campaign, open_campaign
from longlook.record.durable import read_json
from longlook.record.samples import read_records
from longlook.stack import open_stack
from longlook.testbed import netns


@pytest.fixture
def wall(monkeypatch):
    """`wall.ahead_s`: by how much whoever set the clock has set it so far."""
    found = SimpleNamespace(ahead_s=0.0)
    monkeypatch.setattr(clock, "wall_s", lambda: time.time() + found.ahead_s)
    return found


def test_a_clock_goes_on_whatever_the_wall_clock_does(wall):
    one = clock.Clock()
    before = one.now()
    assert one.look() == 0 and one.steps == []
    wall.ahead_s = -3600
    assert one.look() == pytest.approx(-3600, abs=0.002) and one.look() == 0
    wall.ahead_s += 2
    took_s = (one.now() - before).total_seconds()
    assert 0 <= took_s < 10
    assert [step_s for _, step_s in one.steps] == [pytest.approx(-3600, abs=0.002)]
    assert [step["step_s"] for step in one.record()["steps"]] == pytest.approx([-3600, 2], abs=0.002)
    assert one.ahead_of_this_s(one.text()) == pytest.approx(-3598, abs=0.004)


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.timeout(300)
def test_a_campaign_during_which_the_clock_is_set_counts(wall, monkeypatch, tmp_path):
    """Back by 2 s during a load, by an hour between two cells, forward by a minute between two loads."""
    sweep = plans.sweep({"workloads": [{"size_kb": 5}, {"size_kb": 10}]}, loads=2)
    raw, name = tmp_path / "raw", f"c{os.getpid() % 100000}"
    campaign = open_campaign(raw, sweep, "local", open_stack("quicv1").digest)
    fetch, loads = Side._fetch, []

    def stepped(side, index):
        loads.append(index)
        if len(loads) == 4:
            wall.ahead_s -= 2
        seen = fetch(side, index)
        log = seen.artefact["log"]
        for one in (log["page"], *log["entries"]):  # whoever sets the clock sets the browser's too
            asked = datetime.fromisoformat(one["startedDateTime"]) + timedelta(seconds=wall.ahead_s)
            one["startedDateTime"] = asked.isoformat(timespec="milliseconds")
        return seen

    def progress(*_):
        if len(loads) == 2:
            wall.ahead_s += 60

    monkeypatch.setattr(Side, "_fetch", stepped)
    try:
        for cell in campaign.missing_cells():
            partial = campaign.begin_cell(cell)
            run_interleaved(cell, partial, campaign.id, name, progress=progress)
            (partial / NOTEBOOK_NAME).write_text("{}")
            campaign.finish_cell(partial)
            wall.ahead_s -= 3600
    finally:
        netns.remove(name)
    campaign.seal()
    campaign.close()
    made = make_tables(raw)
    assert made.left_out == {} and {*made.tables["samples"]["cell_id"].to_pylist()} == set(campaign.info["cells"])
    first, second = campaign.finished_cells()
    set_by = [step["step_s"] for step in read_json(first / CELL_NAME)["clock"]["steps"]]
    assert set_by == pytest.approx([60, -2], abs=0.005) and read_json(second / CELL_NAME)["clock"]["steps"] == []
    told = [step["step_s"] for step in find_campaign(raw, campaign.id).info["clock"]["steps"]]
    assert told == pytest.approx([60, -2, -3600, -3600], abs=0.01)
    records = list(read_records(first))
    (spoilt,) = [one for one in records if one["clock_step_s"]]
    assert not spoilt["accepted"] and spoilt["clock_step_s"] == pytest.approx(-2, abs=0.005)
    if spoilt["reject_reason"] == "disturbed":
        assert "the wall clock was set back by 2.0" in spoilt["reject_detail"]
    assert records == sorted(records, key=lambda one: one["started_at"])
