"""kill -9 of everything that takes part in a cell: nothing measured is lost, nothing partial looks finished."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from longlook.dataset.raw import read_campaigns, read_runs, verify
from longlook.testbed import netns

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]

SWEEP = """
name = "tiny"
title = "two small cells"
stack = "quicv1"
loads = 5
seed = 5

[[grid]]
figure = "tiny"
bandwidth_mbps = [50, 100]
rtt_ms = [36]
workloads = [{ size_kb = 100, count = 1 }]
"""


class Run:
    """`longlook run tiny.toml` as a user starts it, on a data folder and a testbed of its own."""

    def __init__(self, folder, testbed):
        self.raw, self.testbed = folder / "raw", testbed
        (folder / "tiny.toml").write_text(SWEEP)
        self._argv = [sys.executable, "-m", "longlook.cli", "run", str(folder / "tiny.toml"), "--testbed", testbed]
        self._env = os.environ | {"LONGLOOK_DATA": str(folder)}

    def start(self):
        return subprocess.Popen(
            self._argv,
            env=self._env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # Tests that run in a shell's background would hand down a Ctrl-C that is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def finish(self):
        """Until it ends well, or for another reason than a machine so held up that a link misses its calibration."""
        for _ in range(3):
            process = self.start()
            out, _ = process.communicate(timeout=280)
            if process.returncode == 0 or "out of tolerance" not in out:
                break
        return process.returncode, out

    def inside(self, program):
        """Processes of this testbed whose command line names a program."""
        found = []
        for pids in netns.processes(self.testbed).values():
            for pid in pids:
                try:
                    if program in " ".join(psutil.Process(pid).cmdline()[:2]):
                        found.append(pid)
                except psutil.Error:
                    continue
        return found

    def wait_for_loads(self, count):
        """Until the cell under way has so many loads on the disk."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for partial in self.raw.glob("*/*.partial"):
                if (partial / "runs.jsonl.zst").exists() and sum(1 for _ in _loads(partial)) >= count:
                    return partial
            time.sleep(0.05)
        raise AssertionError(f"no cell under way with {count} loads after 60 s")

    def campaign(self):
        (campaign,) = read_campaigns(self.raw)
        return campaign


def _loads(folder):
    try:
        yield from read_runs(folder)
    except Exception:  # a frame that is being written
        return


@pytest.fixture
def run(tmp_path, testbed_name):
    return Run(tmp_path, testbed_name)


def whole(run):
    """The campaign is sealed, every hash holds, and every cell has all its loads (a busy machine may disturb some)."""
    campaign = run.campaign()
    assert campaign.is_sealed
    assert verify(campaign.path) == []
    for cell in campaign.finished_cells():
        right = {(row["arm"], row["load_index"]) for row in read_runs(cell) if row["accepted"] or row["reject_reason"] == "disturbed"}
        assert len(right) == 12
    assert run.testbed not in netns.leftover()
    return campaign


def test_kill_9_of_the_driver(run):
    driver = run.start()
    partial = run.wait_for_loads(4)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    measured = sum(1 for _ in read_runs(partial))
    assert not run.campaign().finished_cells() and not run.campaign().is_sealed
    code, out = run.finish()
    assert code == 0, out
    campaign = whole(run)
    kept = list(campaign.path.glob("interrupted/*/runs.jsonl.zst"))
    assert max(sum(1 for _ in read_runs(folder.parent)) for folder in kept) >= measured >= 4


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_says_how_to_go_on(run, name):
    driver = run.start()
    run.wait_for_loads(4)
    driver.send_signal(name)
    out, _ = driver.communicate(timeout=30)
    assert driver.returncode == 130
    assert "run the same command to go on" in out
    assert "Traceback" not in out
    assert run.testbed not in netns.leftover()
    code, out = run.finish()
    assert code == 0, out
    whole(run)


@pytest.mark.parametrize("program", ["envoy", "chromium", "linkpipe"])
def test_kill_9_of_a_part_is_noticed_and_the_cell_is_measured_again(run, program):
    driver = run.start()
    run.wait_for_loads(4)
    victims = run.inside(program)
    assert victims
    for pid in victims:
        os.kill(pid, signal.SIGKILL)
    out, _ = driver.communicate(timeout=280)
    code = driver.returncode
    if code and "out of tolerance" in out:
        code, out = run.finish()
    assert code == 0, out
    campaign = whole(run)
    assert list(campaign.path.glob("interrupted/*/runs.jsonl.zst"))
