"""A few faults of `make soak`, and whether its checks find what they look for."""

import json
import os
import re
from types import SimpleNamespace

import pytest

from longlook.errors import LonglookError
from longlook.record.campaign import Campaign
from longlook.record.samples import SCHEMA, SamplesWriter
from longlook.soak.checks import Ledger, cell_problems, remains_problems
from longlook.soak.faults import FAULTS
from longlook.soak.soak import Soak, end_problems, soak
from longlook.testbed import netns
from longlook.testbed.ownership import owned


def sample(index, arm="quic", attempt=1, accepted=True, order=None):
    return {
        "schema": SCHEMA,
        "campaign": "c",
        "cell_id": "cell",
        "arm": arm,
        "index": index,
        "attempt": attempt,
        "order": order if order is not None else index * 10 + attempt + (5 if arm == "tcp" else 0),
        "accepted": accepted,
        "set_aside": index == 0,
        "reject_reason": None if accepted else "object_count",
        "metrics": {"plt_ms": 100.0 + index},
    }


def make_cell(folder, samples, complete=True):
    folder.mkdir(parents=True)
    for name in ("environment.json", "executed.ipynb"):
        (folder / name).write_text("{}")
    record = {"cell": {"loads": 1, "arms": [{}, {}]}, "complete": complete}
    (folder / "cell.json").write_text(json.dumps(record))
    with SamplesWriter(folder / "samples.jsonl.zst") as writer:
        for one in samples:
            writer.append(one)
    return folder


GOOD = [sample(index, arm) for arm in ("quic", "tcp") for index in (0, 1)]


@pytest.mark.parametrize(
    "samples, complete, words",
    [
        (GOOD, True, None),
        ([*GOOD[:3], sample(1, "tcp", accepted=False), sample(1, "tcp", attempt=2)], True, None),
        (GOOD[:3], False, None),
        ([sample(0, accepted=False), *GOOD[1:]], True, None),
        ([*GOOD, sample(1, "tcp", attempt=2)], True, "accepted 2 times"),
        ([*GOOD, sample(1, "tcp", accepted=False, order=99)], True, r"try .* is there 2 times"),
        (GOOD[:3], True, "says complete: True, has .* of 1 loads"),
        (GOOD, False, "says complete: False, has .* of 1 loads"),
        ([*GOOD[:3], sample(1, "tcp", order=1)], True, "same place in the order"),
    ],
)
def test_what_is_wrong_with_a_cell_is_found(tmp_path, samples, complete, words):
    folder = make_cell(tmp_path / "c" / "cell", samples, complete)
    found = list(cell_problems(folder, Campaign(tmp_path / "c", {"campaign": "c"})))
    if words is None:
        assert found == []
    else:
        assert len(found) == 1 and re.search(words, found[0]), found


def test_a_cell_that_lacks_a_file_is_not_whole(tmp_path):
    folder = make_cell(tmp_path / "c" / "cell", GOOD)
    (folder / "executed.ipynb").unlink()
    assert list(cell_problems(folder, Campaign(tmp_path / "c", {"campaign": "c"}))) == ["lacks executed.ipynb"]


def test_a_load_that_was_on_the_disk_is_missed(tmp_path):
    partial = make_cell(tmp_path / "c" / "cell.partial", GOOD)
    ledger = Ledger(tmp_path)
    ledger.look()
    partial.rename(tmp_path / "c" / "cell")
    assert (ledger.count, ledger.lost()) == (4, 0)
    (tmp_path / "c" / "cell" / "samples.jsonl.zst").unlink()
    with SamplesWriter(tmp_path / "c" / "cell" / "samples.jsonl.zst") as writer:
        writer.append(GOOD[0])
    assert ledger.lost() == 3


@pytest.mark.parametrize(
    ("code", "said", "words"),
    [
        ("0", "measured 2 cells", None),
        ("130", "interrupted", None),
        ("1", "longlook: 1 cells could not be measured", None),
        ("1", "longlook: the disk that holds x is full", None),
        ("1", "longlook: no stack 'quicv1'", "ended with 1: longlook: no stack"),
        ("-11", "", "ended with -11"),
        ("1", "Traceback (most recent call last): x is full", "a traceback"),
    ],
)
def test_a_run_ends_in_a_way_that_it_explains(code, said, words):
    found = list(end_problems(code, said))
    assert (found == []) if words is None else (len(found) == 1 and found[0].startswith(words))


def test_a_soak_that_is_interrupted_keeps_its_summary(tmp_path, monkeypatch):
    monkeypatch.setattr(Soak, "_faulty_runs", lambda self: (_ for _ in ()).throw(KeyboardInterrupt))
    made = Soak(SimpleNamespace(raw=tmp_path, scratch=tmp_path), tmp_path / "record.jsonl", 1, 60, 10)
    made.outcome.faults["kill"] += 2
    with pytest.raises(KeyboardInterrupt):
        made.go()
    (line,) = (tmp_path / "record.jsonl").read_text().splitlines()
    assert json.loads(line)["faults"] == {"kill": 2}
    assert "2 faults" in made.outcome.text()


@pytest.mark.parametrize("name", ["bed-soak", "bed"])
def test_a_soak_on_a_testbed_of_another_one_or_of_a_run_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.setattr("longlook.soak.soak.LOCKS", tmp_path)
    said = rf"{name}' is in use by process {os.getpid()} \(another, since"
    with owned(name, tmp_path, "another"), pytest.raises(LonglookError, match=said):
        soak(tmp_path / "record.jsonl", "bed", seed=1, seconds=1, faults=1)
    assert not (tmp_path / "record.jsonl").exists()


def test_a_process_that_ends_while_it_is_looked_at_is_none_of_what_was_left():
    names = iter([["7 apache2 -k"], []])
    subject = SimpleNamespace(remains=lambda: [7, 8], named=lambda pids: next(names) if pids else [], testbed="no-such")
    assert list(remains_problems(subject, was_killed=True)) == []


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_some_faults_lose_and_leave_nothing(tmp_path, testbed_name):
    record = tmp_path / "soak.jsonl"
    found = soak(record, testbed_name, seed=7, seconds=600, faults=6)
    assert found.problems == [], found.text()
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    assert {line["fault"] for line in lines if line["kind"] == "fault"} <= set(FAULTS)
    assert sum(found.faults.values()) == 6 and found.sealed >= 1 and lines[-1]["kind"] == "summary"
    assert testbed_name not in netns.leftover()
