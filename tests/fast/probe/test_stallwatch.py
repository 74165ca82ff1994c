"""The stall watch sees a machine that does not run it, and nothing where there was nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longlook.host.machine import CpuTimes, Jiffies, cpu_times
from longlook.probe.stallwatch import StallWatch
from longlook.probe.watching import SHORT_SLICE_NS, realtime


def test_a_stopped_watch_reports_the_gap_in_its_interval_only():
    with StallWatch() as watch:
        time.sleep(0.3)
        before = time.monotonic()
        os.kill(watch._process.pid, signal.SIGSTOP)
        time.sleep(0.08)
        os.kill(watch._process.pid, signal.SIGCONT)
        time.sleep(0.05)
        after = time.monotonic()
        gaps = watch.gaps_ms(before, after)
        assert max(gaps) >= 75
        assert watch.gaps_ms(after + 10, after + 20) == []


def test_a_busy_machine_is_told_from_an_idle_one():
    start = cpu_times()
    deadline = time.monotonic() + 0.4
    while time.monotonic() < deadline:
        pass
    busy = cpu_times().busy_since(start)
    assert busy * (os.cpu_count() or 1) > 0.3
    assert cpu_times().busy_since(cpu_times()) == 0.0


HELD = """
import os, time
from longlook.host.machine import CpuTimes, Jiffies, cpu_times
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
start, until = cpu_times(), time.monotonic() + 0.4
while time.monotonic() < until:
    pass
print(cpu_times().busy_since(start))
"""


def test_who_is_held_to_one_processor_is_starved_by_it():
    """As of a container or by taskset; whatever the others do."""
    busy = subprocess.run([sys.executable, "-c", HELD], capture_output=True, text=True, check=True, timeout=60).stdout
    assert float(busy) > 0.9


def test_a_processor_that_is_taken_away_or_comes_back_is_left_out():
    one, both = CpuTimes({"cpu0": Jiffies(100, 60)}), CpuTimes({"cpu0": Jiffies(200, 110), "cpu1": Jiffies(7000, 10)})
    assert both.busy_since(one) == 0.5 and one.busy_since(CpuTimes({"cpu1": Jiffies(1, 1)})) == 0.0
    assert CpuTimes({"cpu0": Jiffies(300, 110, 50)}).stolen_since(both) == 0.5


@pytest.mark.skipif("slice" not in Path("/proc/self/sched").read_text(), reason="this kernel has no slices to ask for")
def test_without_the_right_to_real_time_priority_a_watch_has_short_slices():
    asked = (
        "import os\nprint(os.sched_getscheduler(0), *(line for line in open('/proc/self/sched') if 'slice' in line))"
    )
    drop = ["setpriv", "--inh-caps=-sys_nice", "--bounding-set=-sys_nice"] if os.geteuid() == 0 else []
    if os.geteuid() == 0:
        drop = ["chrt", "--other", "0", *drop]  # tests that make no namespaces run at idle priority (conftest.py)
    elif os.sched_getscheduler(0) == os.SCHED_IDLE:
        pytest.skip("idle priority, which this user may not leave")
    command = [*drop, sys.executable, "-S", "-c", realtime(10) + asked]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    policy, _, _, slice_ns = done.stdout.split()
    if int(policy) == os.SCHED_FIFO:
        pytest.skip("this user may have real-time priority")
    assert int(slice_ns) == SHORT_SLICE_NS
