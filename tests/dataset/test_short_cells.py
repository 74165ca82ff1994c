"""A cell that came out with too few loads is measured once more; a sweep may need several stacks."""

import contextlib
import json

import pytest
from campaigns import STACK_DIGEST, loads_of, make_sweep, write_cell

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment import campaign as runner
from longlook.experiment.campaign import run_sweep
from longlook.record.campaigns import open_campaign, read_campaigns
from longlook.testbed.description import NetnsDescription


class Bench:
    """In place of the testbed: writes records, short ones as often as it is told."""

    def __init__(self, short: dict[str, int]):
        self.short, self.measured, self.fails_at = short, [], 0

    def __call__(self, campaign, cell, testbed):
        self.measured.append(cell.workload.size_kb)
        left = self.short.get(cell.workload.size_kb, 0)
        self.short[cell.workload.size_kb] = left - 1
        if self.fails_at == len(self.measured):
            return "the link is out of tolerance"
        write_cell(
            campaign,
            cell,
            loads_of(campaign.id, cell, [106.0, 107.0, 108.0], [180.0, 182.0, 184.0]),
            complete=left <= 0,
        )


@pytest.fixture
def bench(tmp_path, monkeypatch):
    made = Bench({})
    monkeypatch.setattr(paths, "RAW", tmp_path / "raw")
    monkeypatch.setattr(paths, "STATE", tmp_path / "state")
    monkeypatch.setattr(runner, "measure_cell", made)
    monkeypatch.setattr(runner, "open_stack", lambda name, full_check: type("Stack", (), {"digest": STACK_DIGEST}))
    return made


def test_a_short_cell_is_measured_once_more_and_its_first_record_is_kept(bench):
    bench.short[5] = 1
    outcome = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 5]
    assert outcome.measured == 2 and outcome.campaign.is_sealed
    assert all(json.loads((cell / "cell.json").read_text())["complete"] for cell in outcome.campaign.finished_cells())
    kept = list((outcome.campaign.path / "interrupted").iterdir())
    assert [json.loads((folder / "cell.json").read_text())["complete"] for folder in kept] == [False]


def test_a_cell_that_stays_short_is_kept_as_it_is(bench):
    bench.short[10] = 5
    outcome = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 10]
    assert outcome.campaign.is_sealed and outcome.measured == 2


def test_a_short_cell_that_cannot_be_measured_again_stays_as_it_was(bench):
    bench.short[5], bench.fails_at = 1, 3
    outcome = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 5]
    assert outcome.measured == 2 and not outcome.failed and outcome.campaign.is_sealed


def test_nothing_can_be_withdrawn_from_a_sealed_campaign(bench):
    sealed = run_sweep(make_sweep(), quiet=True).campaign
    with pytest.raises(LonglookError, match="sealed"):
        sealed.withdraw_cell(sealed.cells()[0])


def test_a_campaign_of_two_stacks_knows_the_digest_of_each(tmp_path):
    grid = make_sweep().model_dump(mode="json")["grid"]
    sweep = make_sweep(grid=[*grid, grid[0] | {"figure": "4.5a", "stack": "gquic37"}])
    campaign = open_campaign(tmp_path, sweep, "local", "aa, bb")
    assert sweep.stacks() == ["gquic37", "quicv1"]
    assert campaign.stack_digests == {"gquic37": "aa", "quicv1": "bb"}


class OnTwo:
    """Stands in for Dask: cells are measured here, one after the other."""

    def __init__(self, bench):
        self._bench = bench

    def cluster(self, testbeds):
        return contextlib.nullcontext(type("Client", (), {"dashboard_link": "none"}))

    def measure_all(self, campaign, plan, testbeds, client):
        for bed in testbeds:
            for cell in plan[bed.name]:
                yield cell, bed.name, self._bench(campaign, cell, bed)


@pytest.fixture
def two(bench, monkeypatch):
    from longlook.experiment import distribute

    instead = OnTwo(bench)
    monkeypatch.setattr(distribute, "cluster", instead.cluster)
    monkeypatch.setattr(distribute, "measure_all", instead.measure_all)
    return tuple(NetnsDescription(name=name) for name in ("shorta", "shortb"))


def test_several_testbeds_measure_a_short_cell_once_more(bench, two):
    bench.short[5] = 1
    outcome = run_sweep(make_sweep(), testbeds=two, quiet=True)
    assert sorted(bench.measured) == [5, 5, 10] and outcome.measured == 2 and outcome.campaign.is_sealed
    assert all(json.loads((cell / "cell.json").read_text())["complete"] for cell in outcome.campaign.finished_cells())


def test_several_testbeds_put_back_what_they_could_not_measure_again(bench, two):
    bench.short[5], bench.fails_at = 1, 3
    outcome = run_sweep(make_sweep(), testbeds=two, quiet=True)
    assert outcome.measured == 2 and not outcome.failed and outcome.campaign.is_sealed


def test_an_interruption_puts_back_what_was_withdrawn(bench, monkeypatch):
    bench.short[5] = 1
    measure = bench.__call__

    def interrupted(campaign, cell, testbed):
        if len(bench.measured) == 2:
            raise KeyboardInterrupt
        return measure(campaign, cell, testbed)

    monkeypatch.setattr(runner, "measure_cell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(make_sweep(), quiet=True)
    (campaign,) = read_campaigns(paths.RAW)
    assert len(campaign.finished_cells()) == 2 and not campaign.missing_cells()
