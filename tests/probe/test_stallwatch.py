"""The stall watch sees a machine that does not run it, and nothing where there was nothing."""

import os
import signal
import time

from longlook.host.machine import cpu_times
from longlook.probe.stallwatch import StallWatch


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
