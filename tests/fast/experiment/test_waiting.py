"""What a program waited for a processor: by which of its threads, and whether it counts."""

import os
import subprocess
import sys
import threading

import pytest

from longlook.experiment.told import waited_s
from longlook.host.process import Waiting, schedule
from longlook.plan.arm import Arm

MS = 1_000_000
QUIC = Arm.parse(
    {"name": "quic", "stack": "quicv1", "protocol": "quic", "server": "envoy", "client": "chromium"}
    | {"emulated_connections": 2}
)


@pytest.mark.parametrize(
    ("after", "seconds", "threads"),
    [
        ({1: (90 * MS, 10 * MS)}, 0.01, 1.0),
        ({1: (30 * MS, 20 * MS), 2: (10 * MS, 40 * MS), 3: (50 * MS, 0)}, 0.06, 3.0),
        ({1: (90 * MS, 10 * MS), 2: (0, 0), 3: (0, 0)}, 0.01, 1.0),
        ({1: (60 * MS, 40 * MS), 2: (5 * MS, 5 * MS)}, 0.045, 110**2 / (100**2 + 10**2)),
        ({}, 0.0, 1.0),
    ],
)
def test_what_threads_waited_is_divided_among_those_that_were_busy(after, seconds, threads):
    found = Waiting.between({}, after)
    assert (found.seconds, found.threads) == (pytest.approx(seconds), pytest.approx(threads))


def test_only_what_was_waited_in_between_counts():
    before = {1: (100 * MS, 100 * MS), 2: (5 * MS, 5 * MS)}
    found = Waiting.between(before, {1: (100 * MS, 103 * MS), 3: (1 * MS, 2 * MS)})
    assert found.seconds == pytest.approx(0.005) and found.threads == pytest.approx(2.0)


def test_every_thread_of_a_program_and_of_its_children_is_asked():
    stop = threading.Event()
    idle = [threading.Thread(target=stop.wait) for _ in range(2)]
    with subprocess.Popen([sys.executable, "-c", "print(1, flush=True); input()"], stdin=-1, stdout=-1) as child:
        for thread in idle:
            thread.start()
        child.stdout.readline()
        try:
            found = schedule([os.getpid()])
        finally:
            stop.set()
            child.stdin.close()
    assert {thread.native_id for thread in idle} | {threading.get_native_id(), child.pid} <= set(found)
    assert found[child.pid][0] > 0, "it ran"
    assert schedule([child.pid]) == {}, "gone is fine"


@pytest.mark.parametrize(
    ("cpu", "waited"),
    [
        ({"client_wait_s": 0.4, "server_wait_s": 0.3}, {"client": 0.4, "server": 0.3}),
        ({"client_wait_s": 0.4, "server_wait_s": 0.3, "server_threads": None}, {"client": 0.4, "server": 0.3}),
        ({"client_wait_s": 0.4, "server_wait_s": 0.3, "server_threads": 6.0}, {"client": 0.4, "server": 0.05}),
        ({"client_wait_s": None, "server_wait_s": None}, {}),
    ],
)
def test_a_server_that_has_several_threads_waits_for_itself(cpu, waited):
    assert waited_s(QUIC, cpu) == pytest.approx(waited)


def test_what_is_throttled_waits_by_design():
    throttled = QUIC.model_copy(update={"server_cpu_pct": 12.0})
    assert waited_s(throttled, {"client_wait_s": 0.4, "server_wait_s": 0.3}) == {"client": 0.4}
