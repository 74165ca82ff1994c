"""A limited program gets its share of a CPU and no more."""

import os
import subprocess
import sys
import time

import pytest

from longlook.host.cpulimit import PERIOD_US, CpuLimit
from longlook.host.process import cpu_seconds
from longlook.plan.arm import USUAL_PERIOD_US

pytestmark = pytest.mark.root


@pytest.mark.granted("cpu_limits")
@pytest.mark.parametrize("period", [None, 5000])
def test_a_busy_program_and_its_children_share_the_limit(period):
    source = "import os\nos.fork()\nwhile True: pass"
    with CpuLimit(f"longlook-test-{os.getpid()}", 20, period) as limit:
        busy = subprocess.Popen(
            [sys.executable, "-c", f"import sys; sys.stdin.read()\n{source}"], stdin=subprocess.PIPE
        )
        try:
            limit.add(busy.pid)
            busy.stdin.close()
            time.sleep(0.2)
            before, began = cpu_seconds(busy.pid), time.monotonic()
            time.sleep(1.0)
            share = (cpu_seconds(busy.pid) - before) / (time.monotonic() - began)
        finally:
            subprocess.run(["pkill", "-9", "-P", str(busy.pid)], check=False)
            busy.kill()
            busy.wait()
        time.sleep(0.1)
    assert 0.05 < share < 0.35


def test_the_usual_period_is_what_the_plan_takes_for_it():
    assert PERIOD_US == USUAL_PERIOD_US
