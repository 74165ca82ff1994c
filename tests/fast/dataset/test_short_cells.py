"""A cell that came out with too few loads is measured once more; a sweep may need several stacks."""

import contextlib
import itertools
import json
from unittest.mock import Mock

import pytest
from campaigns import QUIC, STACK_DIGEST, TCP, loads_of, make_sweep, write_cell

from longlook import paths
from longlook.cli import cli
from longlook.errors import LonglookError
from longlook.experiment import cluster, distribute
from longlook.experiment import run as runner
from longlook.experiment.cluster import RunningCluster
from longlook.experiment.failure import Failure
from longlook.experiment.run import run_sweep
from longlook.host.machine import CpuTimes, Jiffies
from longlook.record.campaigns import open_campaign, read_campaigns
from longlook.testbed.description import NetnsDescription


def test_a_campaign_of_two_stacks_knows_the_digest_of_each(tmp_path):
    older = {"arms": [arm | {"stack": "gquic37"} for arm in (QUIC, TCP)], "series": "4.5a"}
    sweep = make_sweep({}, older)
    campaign = open_campaign(tmp_path, sweep, "local", "aa, bb")
    assert sweep.stacks() == ["quicv1", "gquic37"]
    assert campaign.stack_digests == {"quicv1": "aa", "gquic37": "bb"}


class Bench:
    """In place of the testbed: writes records, short ones as often as it is told."""

    def __init__(self, short: dict[int, int]):
        self.short, self.measured, self.fails_at, self.rejected = short, [], 0, 2

    def measure(self, campaign, cell):
        size_kb = cell.workload.object_bytes // 1024
        self.measured.append(size_kb)
        left = self.short.get(size_kb, 0)
        self.short[size_kb] = left - 1
        if self.fails_at == len(self.measured):
            return Failure("cell", "the link is out of tolerance")
        samples = loads_of(campaign.id, cell, [106.0, 107.0, 108.0], [180.0, 182.0, 184.0])
        if left > 0:
            for sample in [one for one in samples if one["arm"] == cell.arm_names[0] and one["index"]][
                -self.rejected :
            ]:
                sample |= {"accepted": False, "reject_reason": "disturbed", "disturbed": True}
        write_cell(campaign, cell, samples, complete=left <= 0)
        return None


@pytest.fixture
def bench(tmp_path, monkeypatch):
    made = Bench({})
    monkeypatch.setattr(paths, "RAW", tmp_path / "raw")
    monkeypatch.setattr(paths, "STATE", tmp_path / "state")
    monkeypatch.setattr(runner, "Measurer", lambda place, say: made)
    monkeypatch.setattr(
        runner, "open_stack", lambda name, full_check, needed: type("Stack", (), {"digest": STACK_DIGEST})
    )
    return made


def complete(campaign):
    """Of each finished cell whether it has the loads it asks for."""
    return [json.loads((cell / "cell.json").read_text())["complete"] for cell in campaign.finished_cells()]


def test_a_short_cell_is_measured_once_more_and_its_first_record_is_kept(bench):
    bench.short[5] = 1
    outcome = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 5]
    assert outcome.measured == 2 and outcome.campaign.is_sealed
    assert complete(outcome.campaign) == [True, True]
    kept = list((outcome.campaign.path / "interrupted").iterdir())
    assert [json.loads((folder / "cell.json").read_text())["complete"] for folder in kept] == [False]


@pytest.mark.parametrize(("stolen", "words"), [(300, "took 30% of the processors' time (steal)"), (10, None)])
def test_a_run_says_why_a_cell_came_out_short_and_once_who_took_the_processors(
    bench, monkeypatch, capfd, stolen, words
):
    bench.short[5] = 1
    clock = itertools.count()
    monkeypatch.setattr(
        runner, "cpu_times", lambda: CpuTimes({"cpu0": Jiffies(1000 * (at := next(clock)), 0, stolen * at)})
    )
    run_sweep(make_sweep(), quiet=True)
    said = capfd.readouterr().err
    assert "too few of its samples were accepted (arm quic has 1 of 3 samples, 2 rejected: disturbed 2); once" in said
    assert said.count("other virtual machines") == (words is not None) and (words or "") in said


def test_a_cell_that_stays_short_is_named_and_taken_up_by_the_next_run(bench, capfd):
    bench.short[10] = 3
    outcome = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 10]
    assert not outcome.campaign.is_sealed and outcome.measured == 2 and not outcome.failed
    (cell,) = outcome.short
    assert "10kb-x1" in cell and outcome.short[cell] == "arm quic has 1 of 3 samples, 2 rejected: disturbed 2"
    *_, last = outcome.unfinished.splitlines()
    assert last == f"  {cell}: {outcome.short[cell]}" and "run sweep figure-4.6a again" in outcome.unfinished
    capfd.readouterr()
    again = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 10, 10] and again.short, "the fourth try is the first that is whole"
    assert "0 of 2 cells to measure, about 0 min; 1 more have too few samples" in capfd.readouterr().err
    whole = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 10, 10, 10] and not whole.unfinished
    assert whole.campaign.id == outcome.campaign.id and whole.campaign.is_sealed
    assert complete(whole.campaign) == [True, True]


def test_a_campaign_whose_cells_stay_short_can_be_sealed(bench):
    bench.short[10] = 9
    outcome = run_sweep(make_sweep(), quiet=True, accept_short=True)
    assert outcome.campaign.is_sealed and not outcome.unfinished and complete(outcome.campaign) == [True, False]


def test_of_two_short_records_the_one_with_more_samples_stays(bench, monkeypatch):
    bench.short[5] = 9
    measure = bench.measure

    def worse(campaign, cell):
        bench.rejected = 1 if len(bench.measured) < 2 else 3
        return measure(campaign, cell)

    monkeypatch.setattr(bench, "measure", worse)
    outcome = run_sweep(make_sweep(), quiet=True)
    assert list(outcome.short.values()) == ["arm quic has 2 of 3 samples, 1 rejected: disturbed 1"]
    assert len(list((outcome.campaign.path / "interrupted").iterdir())) == 1, "and the other one is kept beside it"


def test_the_command_says_so_at_its_end_and_by_its_status(bench, monkeypatch):
    bench.short[10] = 9
    plan = make_sweep()
    for name in ("longlook.experiment.measurable.require_measurable", "longlook.doctor.require"):
        monkeypatch.setattr(name, lambda *_: None)
    monkeypatch.setattr("longlook.doctor.checks", lambda *_: [])
    monkeypatch.setattr("longlook.cli._require_measuring", lambda *_: None)
    monkeypatch.setattr("longlook.stack.arms.open_sweep", lambda name: plan)
    with pytest.raises(LonglookError, match=r"10kb-x1.*: arm quic has 1 of 3 samples, 2 rejected: disturbed 2$"):
        cli.main(["run", "whatever"], standalone_mode=False)
    assert cli.main(["run", "whatever", "--accept-short"], standalone_mode=False) is None


def test_what_no_campaign_could_say_is_refused_before_anything_is_measured(tmp_path):
    stacks = [f"s{number}x{'y' * 100}" for number in range(300)]
    arms = [QUIC | {"stack": name} for name in stacks]
    wide = make_sweep(
        *({"series": f"s{n}", "arms": [arm], "workloads": [{"size_kb": 5}]} for n, arm in enumerate(arms))
    )
    with pytest.raises(LonglookError, match=r"a campaign of sweep figure-4\.6a: stack"):
        open_campaign(tmp_path, wide, "local", ", ".join(["ab" * 32] * 300))
    assert list(tmp_path.iterdir()) == []


def test_a_short_cell_that_cannot_be_measured_again_stays_as_it_was(bench):
    bench.short[5], bench.fails_at = 1, 3
    outcome = run_sweep(make_sweep(), quiet=True)
    assert bench.measured == [5, 10, 5]
    assert outcome.measured == 2 and not outcome.failed and outcome.short and not outcome.campaign.is_sealed


def test_nothing_can_be_withdrawn_from_a_sealed_campaign(bench):
    sealed = run_sweep(make_sweep(), quiet=True).campaign
    with pytest.raises(LonglookError, match="sealed"):
        sealed.withdraw_cell(sealed.cells()[0])


class OnTwo:
    """Stands in for Dask: cells are measured here, one after the other."""

    def __init__(self, bench):
        self._bench = bench

    def cluster(self, testbeds, what):
        return contextlib.nullcontext(RunningCluster(client=Mock(), dashboard="none"))

    def measure_all(self, campaign, plan, testbeds, client):
        for bed in testbeds:
            for cell in plan[bed.name]:
                yield cell, bed.name, self._bench.measure(campaign, cell)


@pytest.fixture
def two(bench, monkeypatch):
    instead = OnTwo(bench)
    monkeypatch.setattr(cluster, "cluster", instead.cluster)
    monkeypatch.setattr(distribute, "measure_all", instead.measure_all)
    return tuple(NetnsDescription(name=name) for name in ("shorta", "shortb"))


def test_several_testbeds_measure_a_short_cell_once_more(bench, two):
    bench.short[5] = 1
    outcome = run_sweep(make_sweep(), testbeds=two, quiet=True)
    assert sorted(bench.measured) == [5, 5, 10] and outcome.measured == 2 and outcome.campaign.is_sealed
    assert complete(outcome.campaign) == [True, True]


def test_several_testbeds_put_back_what_they_could_not_measure_again(bench, two):
    bench.short[5], bench.fails_at = 1, 3
    outcome = run_sweep(make_sweep(), testbeds=two, quiet=True)
    assert outcome.measured == 2 and not outcome.failed and outcome.short and not outcome.campaign.is_sealed


def test_an_interruption_puts_back_what_was_withdrawn(bench, monkeypatch):
    bench.short[5] = 1
    measure = bench.measure

    def interrupted(campaign, cell):
        if len(bench.measured) == 2:
            raise KeyboardInterrupt
        return measure(campaign, cell)

    monkeypatch.setattr(bench, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(make_sweep(), quiet=True)
    (campaign,) = read_campaigns(paths.RAW)
    assert len(campaign.finished_cells()) == 2 and not campaign.missing_cells()
