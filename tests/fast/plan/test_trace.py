"""Traces of links: what a file may hold, what a link with one is, and that others stay what they were."""

import hashlib
import subprocess
import sys

import pytest

from longlook import paths
from longlook.ask.profiles import profiles
from longlook.errors import LonglookError
from longlook.link.dummynet import Dummynet
from longlook.plan.cell import Cell
from longlook.plan.conditions import rows_of
from longlook.plan.link import Link
from longlook.plan.sweep import Sweep
from longlook.plan.trace import open_trace, opportunities, opportunities_of, window, with_traces
from longlook.plan.value import PlanError
from longlook.stack.arms import complete

MS = 12.112
"""Mbit/s of a full frame in each millisecond."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of links with two traces: a packet each 2 ms, and one each 10 ms."""
    monkeypatch.setattr(paths, "LINKS", tmp_path)
    (tmp_path / "two.trace").write_text("2\n")
    (tmp_path / "slow.up").write_text("10\n20\n30")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "is empty"),
        (b"\n", "line 1: '' is no whole number of milliseconds"),
        (b"0\n0\n", "has nothing but 0, and so lasts no time"),
        (b"1\n5\n4\n", "line 3: 4 comes before 5: sort the file"),
        (b"1\nfast\n", "line 2: 'fast' is no whole number"),
        (b"-1\n", "line 1: '-1' is no whole number"),
        (b"1.5\n", "line 1: '1.5' is no whole number"),
        (b"1 2\n", "line 1: '1 2' is no whole number"),
        (b"1\n\n2\n", "line 2: '' is no whole number"),
        (b"\xff\n", "line 1: '\\ufffd' is no whole number"),
        (b"3600001\n", "line 1: '3600001' is no whole number of milliseconds up to 3600000"),
        (b"1\n" * 5_000_001, "cannot be read: it has more than 10 MB"),
    ],
)
def test_what_is_no_trace_is_told_in_one_line(folder, text, words):
    (folder / "bad.trace").write_bytes(text)
    with pytest.raises(PlanError) as told:
        open_trace("bad.trace")
    assert words in str(told.value) and "trace bad.trace" in str(told.value) and "\n" not in str(told.value)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", ".hidden", "elsewhere.trace", "", "a b"])
def test_a_name_that_leads_out_of_the_folder_is_refused(folder, name):
    (folder / "elsewhere.trace").symlink_to("/etc/passwd")
    with pytest.raises(PlanError, match=r"cannot name a trace|trace elsewhere.trace is a symbolic link"):
        open_trace(name)


def test_a_trace_that_is_not_there_is_told_with_the_nearest(folder):
    with pytest.raises(
        PlanError, match=r"no trace 'tow.trace' \(did you mean two.trace\?\) .*known: slow.up, two.trace"
    ):
        open_trace("tow.trace")


def test_a_file_that_has_changed_is_refused(folder):
    trace = open_trace("two.trace")
    assert opportunities_of(trace) == [2]
    (folder / "two.trace").write_text("3\n")
    with pytest.raises(PlanError, match=r"two.trace is not what it was"):
        opportunities_of(trace)


def test_a_window_goes_round():
    assert window([3, 3, 10], 0, 15) == [3, 3, 10, 13, 13]
    assert window([3, 3, 10], 5, 12) == [5, 8, 8]
    assert window([3, 3, 10], 25, 12) == [5, 8, 8]
    assert window([0, 4], 0, 9) == [4, 4, 8, 8]  # what comes at 0 comes with the last one of the round before


def test_a_rate_and_a_queue_are_the_traces_mean(folder):
    both = Link.parse(with_traces({"trace": "two.trace", "rtt_ms": 100}))
    assert both.bandwidth_mbps == MS / 2 and both.upload_mbps is None
    assert both.longest_queue_bytes == int(MS / 2 * 1e5 / 4)
    assert both.label == "trace two.trace (6.056 Mbit/s on average), 100 ms"
    two = Link.parse(with_traces({"trace": "two.trace", "upload_trace": "slow.up", "rtt_ms": 100}))
    down, up = two.both_ways
    assert (down.trace.name, down.bandwidth_mbps) == ("two.trace", MS / 2)
    assert (up.trace.name, up.bandwidth_mbps) == ("slow.up", pytest.approx(MS / 10))
    assert down.upload_trace is None is up.upload_trace
    assert two.label.startswith(
        "trace two.trace (6.056 Mbit/s on average) down, trace slow.up (1.2112 Mbit/s on average)"
    )
    fixed = Link.parse(with_traces({"trace": "two.trace", "upload_mbps": 1, "rtt_ms": 100}))
    assert [one.trace and one.trace.name for one in fixed.both_ways] == ["two.trace", None]
    same = Link.parse(with_traces({"trace": "two.trace", "upload_trace": "two.trace", "rtt_ms": 100}))
    assert same == both
    assert two.plain.trace is None is two.plain.upload_trace and two.plain.upload_mbps == two.upload_mbps


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"trace": "two.trace", "bandwidth_mbps": 5}, "bandwidth_mbps beside trace = 'two.trace'"),
        ({"upload_trace": "two.trace", "upload_mbps": 5, "bandwidth_mbps": 1}, "upload_mbps beside upload_trace"),
        ({"trace": "two.trace", "burst_bytes": 5000}, "burst_bytes = 5000 beside a trace"),
        ({"trace": "fast.trace"}, "less than or equal to 10000"),
        ({"trace": 5}, "trace: "),
    ],
)
def test_a_link_that_contradicts_its_trace_is_refused(folder, link, words):
    (folder / "fast.trace").write_text("1\n" * 1000)
    with pytest.raises(PlanError) as told:
        Link.parse(with_traces(link | {"rtt_ms": 36}))
    assert words in str(told.value)


def test_a_trace_of_another_rate_than_a_record_says_is_refused(folder):
    link = Link.parse(with_traces({"trace": "two.trace", "rtt_ms": 100}))
    with pytest.raises(PlanError, match=r"bandwidth_mbps = 5.0 beside trace, whose mean is 6.056"):
        Link.parse(link.model_dump() | {"bandwidth_mbps": 5.0})
    assert Link.parse(link.model_dump(mode="json")) == link


def test_a_round_trip_may_wait_for_both_directions_longest_pauses(folder):
    (folder / "gaps.trace").write_text("30\n30\n70\n")
    link = Link.parse(with_traces({"trace": "gaps.trace", "upload_trace": "slow.up", "rtt_ms": 100}))
    assert (link.trace.longest_pause_ms, link.slowest_ms) == (40, 150.0)
    (folder / "gaps.trace").write_text("300\n310\n")  # after 310 comes 300 of the next round
    assert open_trace("gaps.trace").longest_pause_ms == 300
    assert Link(bandwidth_mbps=5, rtt_ms=36, jitter_ms=10).slowest_ms == 46


def test_every_seed_has_its_offset(folder):
    link = Link.parse(with_traces({"trace": "slow.up", "rtt_ms": 100}))
    offsets = [link.trace_offset_ms(seed) for seed in range(200)]
    assert set(offsets) == set(range(30)) and offsets == [link.trace_offset_ms(seed) for seed in range(200)]
    assert Link(bandwidth_mbps=5, rtt_ms=36).trace_offset_ms(1) is None


def sweep(block):
    arms = [{"protocol": "quic"}, {"protocol": "tcp"}]
    cells = {"series": "s", "arms": arms, "rtt_ms": 70, "workloads": [{"size_kb": 10, "count": 1}]}
    return Sweep.parse(complete({"name": "t", "study": "s", "title": "t", "stack": "quicv1", "cells": [cells | block]}))


def test_a_changed_file_is_a_changed_cell(folder):
    def cell():
        (found,) = sweep({"trace": "two.trace", "upload_trace": "slow.up"}).cells()
        return found

    before = cell()
    digest = hashlib.sha256(b"2\n").hexdigest()
    assert before.link.trace.sha256 == digest
    assert f"trace-two-{digest[:8]}" in before.id
    assert Cell.parse(before.model_dump(mode="json")).key == before.key
    (row, _) = rows_of(before)
    assert row["trace"] == f"two.trace@{digest[:8]}" and row["upload_trace"].startswith("slow.up@")
    assert (row["bandwidth_mbps"], row["upload_mbps"]) == (6.056, 1.2112)
    (folder / "two.trace").write_text("2\n4\n")  # the same opportunities
    assert cell().key != before.key


def test_a_sweep_is_read_back_from_its_definition(folder):
    own = sweep({"trace": "two.trace"})
    assert [one.key for one in Sweep.parse(own.definition()).cells()] == [one.key for one in own.cells()]


def test_a_sweep_without_a_rate_is_told_so():
    with pytest.raises(PlanError, match="bandwidth_mbps: Field required"):
        sweep({})


def test_only_linkpipe_has_traces(folder):
    link = Link.parse(with_traces({"trace": "two.trace", "upload_trace": "slow.up", "rtt_ms": 36}))
    with pytest.raises(LonglookError, match="the dummynet link has no trace, upload_trace: only linkpipe does"):
        Dummynet.require_plain(Dummynet.__new__(Dummynet), link)


def test_the_profile_is_what_the_script_prints():
    made = subprocess.run(
        [sys.executable, paths.ROOT / "tools/markov_trace.py"], capture_output=True, check=True
    ).stdout
    assert (paths.LINKS / "markov.trace").read_bytes() == made
    link = profiles()["markov"].link
    assert link.trace == open_trace("markov.trace") and link.bandwidth_mbps == link.trace.mean_mbps
    assert len(opportunities(made, "made")) == link.trace.opportunities


def test_a_profile_whose_trace_is_not_there_is_named(folder):
    (folder / "odd.toml").write_text('title = "o"\nsource = "o"\ndate = "d"\n[link]\ntrace = "none"\nrtt_ms = 1\n')
    with pytest.raises(LonglookError, match=r"odd.toml: there is no trace 'none'"):
        profiles()
