"""kill -9 of everything that takes part in a cell: nothing measured is lost, nothing partial looks finished."""

import contextlib
import os
import signal
import time

import psutil
import pytest
from driven import Driven, count_loads

from longlook.testbed import netns

pytestmark = [
    pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip


@pytest.fixture
def run(request, tmp_path, testbed_name):
    """Of one cell, or of those at the bandwidths that a test states."""
    mbps = getattr(request, "param", [50])
    made = Driven(tmp_path, (testbed_name,), ("--testbed", testbed_name), [100], mbps)
    yield made
    made.stop()


def wait_for_loads(run, count, but=()):
    """Until a cell under way, but for these, has so many loads on the disk; its folder."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        for partial in run.raw.glob("*/*.partial"):
            if partial not in but and count_loads(partial) >= count:
                return partial
        time.sleep(0.2)
    raise AssertionError(f"no cell under way with {count} loads after 240 s")


def inside(testbed, program):
    """Processes of this testbed whose command line names a program."""
    found = []
    for pid in (pid for pids in netns.processes(testbed).values() for pid in pids):
        try:
            if program in " ".join(psutil.Process(pid).cmdline()[:2]):
                found.append(pid)
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("run", [[50, 100]], indirect=True, ids=["two cells"])
def test_kill_9_of_the_driver(run):
    driver = run.start()
    partial = wait_for_loads(run, 4)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    measured = count_loads(partial)
    assert not run.campaign().finished_cells() and not run.campaign().is_sealed
    run.finish()
    campaign = run.whole()
    kept = list(campaign.path.glob("interrupted/*/samples.jsonl.zst"))
    assert max(count_loads(folder.parent) for folder in kept) >= measured >= 4


def test_ctrl_c_says_how_to_go_on(run):
    driver = run.start()
    wait_for_loads(run, 4)
    driver.send_signal(signal.SIGINT)
    out, _ = driver.communicate(timeout=300)
    assert driver.returncode == 130
    assert "run the same command to go on" in out
    assert "Traceback" not in out
    assert run.testbeds[0] not in netns.leftover()
    run.finish()
    run.whole()


@pytest.mark.parametrize("run", [[50, 75, 100]], indirect=True, ids=["three cells"])
def test_kill_9_of_a_part_is_noticed_and_the_cell_is_measured_again(run):
    driver = run.start()
    harmed = []
    for program in ("envoy", "chromium", "linkpipe"):
        harmed.append(wait_for_loads(run, 4, but=harmed))
        victims = inside(run.testbeds[0], program)
        os.kill(victims[0], signal.SIGKILL)
        for pid in victims[1:]:
            with contextlib.suppress(ProcessLookupError):  # a browser's others go with the first
                os.kill(pid, signal.SIGKILL)
    run.end_well(driver)
    campaign = run.whole()
    kept = {records.parent.name.rpartition("-")[0] for records in campaign.path.glob("interrupted/*/samples.jsonl.zst")}
    assert kept >= {partial.name.removesuffix(".partial") for partial in harmed}
