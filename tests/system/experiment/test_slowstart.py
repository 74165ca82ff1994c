"""A slow start threshold that the server's kernel remembers: set, read back, in force for the next connection."""

import contextlib
import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest

from longlook.errors import LonglookError
from longlook.experiment import slowstart
from longlook.experiment.slowstart import SlowStart
from longlook.plan.arm import Arm
from longlook.plan.link import Link
from longlook.testbed.opening import open_link

TCP = {"stack": "quicv1", "protocol": "tcp", "server": "apache", "client": "chromium"}
HELD = """import socket, sys
listener = socket.create_server((sys.argv[1], 7791))
print("ready", flush=True)
one, _ = listener.accept()
one.sendall(b"x" * 100)
sys.stdin.read()
"""
HOLD = """import socket, sys
one = socket.create_connection((sys.argv[1], 7791), 5)
print(len(one.recv(100)), flush=True)
sys.stdin.read()
"""


def remembering(entries):
    """Hosts whose server's kernel remembers that."""
    client = SimpleNamespace(address="10.0.0.2")
    return SimpleNamespace(hosts={"client": client}, run=answer(entries))


def answer(entries):
    return lambda role, argv, timeout_s: json.dumps(entries)


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([], "no slow start threshold, 9 packets were set"),
        ([{"dst": "10.0.0.2", "cwnd": 10}], "no slow start threshold"),
        ([{"dst": "10.0.0.2", "ssthresh": 20}], "a threshold of 20, 9 packets"),
        ([{"dst": "10.0.0.3", "ssthresh": 9}], "no slow start threshold"),
    ],
)
def test_another_threshold_than_the_one_that_was_set_ends_the_cell(entries, says):
    with pytest.raises(LonglookError, match=says):
        slowstart.require(remembering(entries), SlowStart(None, 9))


def test_a_threshold_that_an_ending_connection_left_is_set_again(monkeypatch):
    said = iter([7, 300])
    bed = remembering([])
    bed.set_slow_start = lambda *_: setattr(bed, "run", answer([{"dst": "10.0.0.2", "ssthresh": next(said)}]))
    monkeypatch.setattr(slowstart, "_one_connection", lambda bed: None)
    slowstart.set_slow_start(bed, SlowStart(None, 300))
    assert next(said, None) is None


def test_the_right_one_and_none_asked_for_are_well():
    slowstart.require(remembering([{"dst": "10.0.0.2", "ssthresh": 9, "cwnd": 10}]), SlowStart(None, 9))
    slowstart.require(remembering([]), SlowStart(None, None))


def test_it_is_tcps_and_no_condition_where_there_is_none():
    arm = Arm.parse(TCP | {"remembered_ssthresh": 9})
    assert arm.conditions()["remembered_ssthresh"] == 9
    assert "remembered_ssthresh" not in Arm.parse(TCP).conditions()
    assert arm.label == "TCP CUBIC, remembered threshold 9"
    with pytest.raises(LonglookError, match="QUIC's servers remember none"):
        Arm.parse(TCP | {"protocol": "quic", "server": "envoy", "remembered_ssthresh": 9})
    with pytest.raises(LonglookError, match="BBR begins without a threshold"):
        Arm.parse(TCP | {"cca": "bbr", "remembered_ssthresh": 9})
    with pytest.raises(LonglookError, match="remembered_ssthresh"):
        Arm.parse(TCP | {"remembered_ssthresh": 1})


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.quiet
def test_the_next_connection_begins_with_it_and_with_none_where_none_is_asked_for(testbed_name):
    with contextlib.ExitStack() as owned:
        bed, link = open_link(owned, testbed_name)
        link.configure(Link(bandwidth_mbps=100, rtt_ms=36), seed=1)
        bed.set_cca("server", "cubic")
        found = []
        for threshold in (7, 300, None, 7):
            slowstart.set_slow_start(bed, SlowStart(None, threshold))
            found.append(thresholds(bed))
            slowstart.require(bed, SlowStart(None, threshold))
        assert found == [["7"], ["300"], [], ["7"]]


def thresholds(bed):
    """Of the server's side of one connection that has carried a little."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    address = bed.hosts["server"].address
    server = bed.popen("server", [sys.executable, "-c", HELD, address], **pipes)
    assert server.stdout.readline() == "ready\n"
    client = bed.popen("client", [sys.executable, "-c", HOLD, address], **pipes)
    assert client.stdout.readline() == "100\n"
    shown = bed.run("server", ["ss", "-Htin", "sport = :7791"], timeout_s=5)
    for program in (client, server):
        program.communicate(timeout=10)
    return re.findall(r" ssthresh:(\d+)", shown)
