"""The rule by which a processor bounds an arm, held to a machine that was slowed down."""

import subprocess
import sys

import pytest
from campaigns import STACK_DIGEST, make_sample, make_sweep, write_cell

from longlook import paths
from longlook.book import slowed
from longlook.record.campaigns import open_campaign


def measured(root, name, plt_ms):
    """Each arm's cold load, one that counts, one that was disturbed, and one with a fault of its own."""
    campaign = open_campaign(root, make_sweep(name=name), "local", STACK_DIGEST)
    for cell in campaign.cells():
        loads = [
            make_sample(
                campaign.id, cell, arm, index, index, None,
                accepted=index < 2, reject_reason=(None, None, "disturbed", "object_count")[index],
                metrics={"plt_ms": plt_ms * times, "client_cpu_s": 0.1}, cpu={"machine_busy": 0.3 * index},
            )
            for arm in cell.arm_names
            for index, times in enumerate((9, 1, 2, 9))
        ]  # fmt: skip
        write_cell(campaign, cell, loads, cpus=1)
    return campaign


def test_loads_that_were_disturbed_count_and_no_others(tmp_path):
    plain, slow = (measured(tmp_path, name, plt) for name, plt in (("plain", 100.0), ("slowed", 110.0)))
    found = list(slowed.rows(plain, slow))
    assert len(found) == 4
    assert {(row[1], *row[4:]) for row in found} == {
        (1, 36.0, protocol, 2, 150.0, 2, 165.0, 0.667, 0.45) for protocol in ("quic", "tcp")
    }


def test_what_is_not_marked_hardly_moves():
    kept = slowed.kept()
    assert set(kept["processors"]) == {1, 2} and set(kept["sweep"]) == {"processors", "processors-others"}
    moves = kept.groupby("bound")["moves"]
    assert moves.median()[False] < slowed.MOVES / 2 < slowed.MOVES < moves.median()[True]
    assert kept[~kept["bound"] & (kept["processors"] == 1)]["moves"].max() < slowed.MOVES
    assert "yes" in slowed.table().data


BUSY = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass\nprint(time.process_time())"


@pytest.mark.granted("real_time")
def test_a_processor_that_is_slowed_gives_less():
    command = [sys.executable, paths.ROOT / "tools" / "slowed.py", "0.6", sys.executable, "-c", BUSY]
    found = subprocess.run(["taskset", "-c", "0", *command], capture_output=True, text=True, check=True)
    assert float(found.stdout) < 0.6


@pytest.mark.root
def test_without_real_time_priority_nothing_is_run():
    command = [sys.executable, paths.ROOT / "tools" / "slowed.py", "0.2", "echo", "run"]
    alone = ["setpriv", "--bounding-set=-sys_nice", *command]
    found = subprocess.run(alone, capture_output=True, text=True, check=False)
    assert found.returncode == 1 and not found.stdout and "real-time priority is needed" in found.stderr


def test_a_share_of_everything_is_refused():
    command = [sys.executable, paths.ROOT / "tools" / "slowed.py", "1", "true"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 1 and "SHARE above 0 and below 0.9" in found.stderr
