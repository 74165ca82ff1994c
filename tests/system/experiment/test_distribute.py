"""A sweep over two testbeds by Dask, and what happens when a worker or the whole run is killed."""

import json
import signal
import time

import psutil
import pytest
from driven import Driven, count_loads
from strangers import is_loopback, listeners, network, take_work

from longlook.testbed import netns

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def run(request, tmp_path, testbed_name):
    """Of one cell for each testbed, or of those of the sizes that a test states."""
    names = (f"{testbed_name}a", f"{testbed_name}b")
    (tmp_path / "beds.toml").write_text("".join(f'[[testbed]]\nname = "{name}"\ndriver = "netns"\n' for name in names))
    made = Driven(tmp_path, names, ("--testbeds", str(tmp_path / "beds.toml")), getattr(request, "param", [100]))
    yield made
    made.stop()


def wait_for_loads(run, count):
    """Until every testbed has begun its cell, and one has so many loads; loads of those under way, by folder. A link
    that is calibrated again may leave one testbed far behind."""
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        found = {partial: count_loads(partial) for partial in run.raw.glob("*/*.partial")}
        begun = len(found) + len(run.campaign().finished_cells()) if found else 0
        if begun == len(run.testbeds) and max(found.values()) >= count:
            return found
        time.sleep(0.2)
    raise AssertionError(f"no cell under way with {count} loads, and one begun on each testbed, after 240 s")


def unfinished(before):
    """Loads of the cells that did not come to their end in the moment before the kill."""
    return sum(loads for partial, loads in before.items() if not partial.with_suffix("").is_dir())


def running(run):
    """What runs in the testbeds' namespaces now, but for Apache's children, orphans that the next run ends."""
    found = []
    for pid in (pid for name in run.testbeds for pids in netns.processes(name).values() for pid in pids):
        try:
            words = psutil.Process(pid).cmdline()
            if words and "apache2" not in words[0]:
                found.append(" ".join(words)[:120])
        except psutil.Error:
            continue
    return found


def _is_worker(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


def beds_by_row(campaign):
    """Bandwidth (a row) -> the testbeds that its cells' records name."""
    found = {}
    for cell in campaign.finished_cells():
        bandwidth = json.loads((cell / "cell.json").read_text())["cell"]["link"]["bandwidth_mbps"]
        found.setdefault(bandwidth, set()).add(json.loads((cell / "environment.json").read_text())["testbed"]["name"])
    return found


@pytest.mark.parametrize("run", [[5, 100]], indirect=True, ids=["four cells"])
def test_two_testbeds_share_the_rows_of_one_campaign_and_work_for_nobody_else(run):
    """It runs as root: what it listens on is on this machine only, and turns away this machine's other users too, who
    have not its certificate."""
    driver = run.start()
    deadline = time.monotonic() + 240
    while not any(count_loads(partial) for partial in run.raw.glob("*/*.partial")) and time.monotonic() < deadline:
        time.sleep(0.2)
    found = listeners([driver.pid], within=network())
    assert len(found) >= 5  # scheduler, two nannies, two workers
    taken = take_work(found)
    shown = "\n".join(f"{ip}:{port} {what}" for (ip, port), what in sorted(found.items()))
    assert taken == [], f"{taken}\n{shown}"
    assert [ip for ip, _ in found if not is_loopback(ip)] == [], shown
    out = run.end_well(driver)
    assert "on 2 testbeds" in out and "dashboard: http://127.0.0.1:" in out
    campaign = run.whole()
    rows = beds_by_row(campaign)
    assert sorted(map(sorted, rows.values())) == [[run.testbeds[0]], [run.testbeds[1]]]
    log = [json.loads(line) for line in (campaign.path / "log.jsonl").read_text().splitlines()]
    assert {entry["testbed"] for entry in log} == set(run.testbeds)


def test_a_killed_worker_is_replaced_and_its_cell_measured_again(run):
    driver = run.start()
    before = wait_for_loads(run, 3)
    workers = [child for child in psutil.Process(driver.pid).children(recursive=True) if _is_worker(child)]
    assert workers
    for worker in workers:
        worker.kill()
    harmed = unfinished(before)
    run.end_well(driver)
    campaign = run.whole()
    kept = [count_loads(folder.parent) for folder in campaign.path.glob("interrupted/*/samples.jsonl.zst")]
    assert sum(kept) >= harmed


def test_a_killed_run_leaves_nothing_and_goes_on(run):
    """The scheduler lives in the run: with it everything ends, and the same command goes on."""
    driver = run.start()
    before = wait_for_loads(run, 3)
    driver.send_signal(signal.SIGKILL)
    driver.wait()
    harmed = unfinished(before)
    deadline = time.monotonic() + 120
    while running(run) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert running(run) == []
    run.finish()
    campaign = run.whole()
    assert sorted(map(sorted, beds_by_row(campaign).values())) == [[run.testbeds[0]], [run.testbeds[1]]]
    kept = [count_loads(folder.parent) for folder in campaign.path.glob("interrupted/*/samples.jsonl.zst")]
    assert sum(kept) >= harmed
