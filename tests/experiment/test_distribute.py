"""A sweep over two testbeds by Dask, and what happens when a worker or the whole run is killed."""

import json
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
name = "two-rows"
title = "two rows of two cells"
stack = "quicv1"
loads = 5
seed = 5

[[grid]]
figure = "tiny"
bandwidth_mbps = [50, 100]
rtt_ms = [36]
workloads = [{ size_kb = 5, count = 1 }, { size_kb = 100, count = 1 }]
"""


class Run:
    """`longlook run two-rows.toml --testbeds beds.toml` as a user starts it."""

    def __init__(self, folder, names):
        self.raw, self.names = folder / "raw", names
        self.started = []
        (folder / "two-rows.toml").write_text(SWEEP)
        (folder / "beds.toml").write_text("".join(f'[[testbed]]\nname = "{name}"\ndriver = "netns"\n' for name in names))
        self._argv = [sys.executable, "-m", "longlook.cli", "run", str(folder / "two-rows.toml"), "--testbeds", str(folder / "beds.toml")]
        self._env = os.environ | {"LONGLOOK_DATA": str(folder)}

    def start(self):
        driver = subprocess.Popen(
            self._argv, env=self._env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        self.started.append(driver)
        return driver

    def finish(self):
        """Until it ends well, or for another reason than a machine so held up that a link misses its calibration."""
        for _ in range(3):
            process = self.start()
            out, _ = process.communicate(timeout=280)
            if process.returncode == 0 or "out of tolerance" not in out:
                break
        assert process.returncode == 0, out
        return out

    def wait_for_loads(self, count):
        """Until every testbed has a cell under way, and one of them so many loads; the folders."""
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            found = {partial: _count(partial) for partial in self.raw.glob("*/*.partial")}
            if len(found) == len(self.names) and max(found.values()) >= count and min(found.values()) > 0:
                return found
            time.sleep(0.05)
        raise AssertionError("no two cells under way after 90 s")

    def running(self):
        """What runs in the testbeds' namespaces now, but for Apache's children, orphans that the next run ends."""
        found = []
        for name in self.names:
            for pid in (pid for pids in netns.processes(name).values() for pid in pids):
                try:
                    words = psutil.Process(pid).cmdline()
                    if words and "apache2" not in words[0]:
                        found.append(" ".join(words)[:120])
                except psutil.Error:
                    continue
        return found

    def whole(self):
        (campaign,) = read_campaigns(self.raw)
        assert campaign.is_sealed and verify(campaign.path) == []
        for cell in campaign.finished_cells():
            right = {(row["arm"], row["load_index"]) for row in read_runs(cell) if row["accepted"] or row["reject_reason"] == "disturbed"}
            assert len(right) == 12
        assert not set(self.names) & set(netns.leftover())
        return campaign


def _count(folder):
    try:
        return sum(1 for _ in read_runs(folder))
    except Exception:  # not there yet, or a frame that is being written
        return 0


def _is_worker(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


@pytest.fixture
def run(tmp_path, testbed_name):
    names = (f"{testbed_name}a", f"{testbed_name}b")
    made = Run(tmp_path, names)
    yield made
    for driver in made.started:
        driver.kill()
        driver.wait()
    for name in names:
        netns.remove(name)


def beds_by_row(campaign):
    """Bandwidth (a row) -> the testbeds that its cells' records name."""
    found = {}
    for cell in campaign.finished_cells():
        bandwidth = json.loads((cell / "cell.json").read_text())["cell"]["link"]["bandwidth_mbps"]
        found.setdefault(bandwidth, set()).add(json.loads((cell / "environment.json").read_text())["testbed"]["name"])
    return found


def test_two_testbeds_share_the_rows_of_one_campaign(run):
    out = run.finish()
    assert "on 2 testbeds" in out and "dashboard: http://127.0.0.1:" in out
    campaign = run.whole()
    rows = beds_by_row(campaign)
    assert sorted(map(sorted, rows.values())) == [[run.names[0]], [run.names[1]]]
    log = [json.loads(line) for line in (campaign.path / "log.jsonl").read_text().splitlines()]
    assert {entry["testbed"] for entry in log} == set(run.names)


def test_a_killed_worker_is_replaced_and_its_cell_measured_again(run):
    driver = run.start()
    before = run.wait_for_loads(3)
    workers = [child for child in psutil.Process(driver.pid).children(recursive=True) if _is_worker(child)]
    assert workers
    for worker in workers:
        worker.kill()
    out, _ = driver.communicate(timeout=280)
    if driver.returncode:
        assert "out of tolerance" in out, out
        run.finish()
    campaign = run.whole()
    kept = [_count(folder.parent) for folder in campaign.path.glob("interrupted/*/runs.jsonl.zst")]
    assert sum(kept) >= sum(before.values())


def test_a_killed_run_leaves_nothing_and_goes_on(run):
    """The scheduler lives in the run: with it everything ends, and the same command goes on."""
    driver = run.start()
    before = run.wait_for_loads(3)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    deadline = time.monotonic() + 30
    while run.running() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert run.running() == []
    run.finish()
    campaign = run.whole()
    assert sorted(map(sorted, beds_by_row(campaign).values())) == [[run.names[0]], [run.names[1]]]
    kept = [_count(folder.parent) for folder in campaign.path.glob("interrupted/*/runs.jsonl.zst")]
    assert sum(kept) >= sum(before.values())


def test_ctrl_c_ends_all_testbeds_and_says_how_to_go_on(run):
    driver = run.start()
    run.wait_for_loads(2)
    driver.send_signal(signal.SIGINT)
    out, _ = driver.communicate(timeout=60)
    assert driver.returncode == 130 and "run the same command to go on" in out and "Traceback" not in out
    deadline = time.monotonic() + 15
    while set(run.names) & set(netns.leftover()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not set(run.names) & set(netns.leftover())
