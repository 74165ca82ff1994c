"""`longlook run` of a small sweep as a user starts it, on a data folder and testbeds of its own.

What kills it needs nothing else.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from arms import is_right

from longlook.record.campaigns import read_campaigns, verify
from longlook.record.samples import read_records
from longlook.testbed import netns

SWEEP = """
name = "tiny"
study = "test"
title = "a few small cells"
stack = "quicv1"
loads = 5
seed = 5

[[cells]]
series = "tiny"
arms = [{{ protocol = "quic" }}, {{ protocol = "tcp" }}]
bandwidth_mbps = {mbps}
rtt_ms = [10]
workloads = [{workloads}]
"""
"""Its loads are short: of these none is rejected because other tests keep the machine busy (experiment/oracle.py)."""


HELD_UP = "out of tolerance"
"""What a run says that could not calibrate a link; a right one misses on a machine that is held up again and again."""


def count_loads(folder):
    """Loads on the disk; 0 while there are none, or while a frame is being written."""
    try:
        return sum(1 for _ in read_records(folder))
    except Exception:
        return 0


def patiently(run):
    """A run's process and what it said; of another run where a machine so held up that a link missed its calibration
    made it fail."""
    for _ in range(3):
        done, said = run()
        if done.returncode == 0 or HELD_UP not in said:
            break
    return done, said


def longlook(data, root, *words):
    """The command with a data folder and a project of its own, which measures what is missing."""

    def run():
        done = subprocess.run(
            [str(Path(sys.executable).with_name("longlook")), *words],
            env=os.environ | {"LONGLOOK_DATA": str(data), "LONGLOOK_ROOT": str(root)},
            capture_output=True, text=True, timeout=900,
        )  # fmt: skip
        return done, done.stderr

    return patiently(run)[0]


class Driven:
    """The command line and its data.

    `arguments` say which testbeds, `sizes_kb` are the cells of each row, `mbps` the rows. Cells may stay short: other
    tests keep the machine busy.
    """

    def __init__(self, folder, testbeds, arguments, sizes_kb, mbps=(50, 100)):
        self.raw, self.testbeds = folder / "raw", testbeds
        self.raw.mkdir(parents=True)
        self.started = []
        sweep = folder / "tiny.toml"
        workloads = ", ".join(f"{{ size_kb = {size}, count = 1 }}" for size in sizes_kb)
        sweep.write_text(SWEEP.format(workloads=workloads, mbps=list(mbps)))
        self._argv = [sys.executable, "-m", "longlook.cli", "run", str(sweep), "--accept-short", *arguments]
        self._env = os.environ | {"LONGLOOK_DATA": str(folder)}

    def start(self):
        driver = subprocess.Popen(
            self._argv,
            env=self._env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            # Tests that run in a shell's background would hand down that Ctrl-C and Ctrl-\ are ignored.
            preexec_fn=lambda: [signal.signal(one, signal.SIG_DFL) for one in (signal.SIGINT, signal.SIGQUIT)],
        )
        self.started.append(driver)
        return driver

    def finish(self):
        """Start it until it ends well; what it said."""

        def run():
            driver = self.start()
            return driver, driver.communicate(timeout=600)[0]

        driver, out = patiently(run)
        assert driver.returncode == 0, out
        return out

    def end_well(self, driver):
        """A run under way comes to its good end; one that a held-up machine made fail may be started again. What it
        said."""
        out, _ = driver.communicate(timeout=600)
        if driver.returncode:
            assert HELD_UP in out, out
            return self.finish()
        return out

    def stop(self):
        """Whatever is still there, after a test that failed."""
        for driver in self.started:
            driver.kill()
            driver.wait()
        for name in self.testbeds:
            netns.remove(name)

    def campaign(self):
        (campaign,) = read_campaigns(self.raw)
        return campaign

    def whole(self):
        """The campaign is sealed, every hash holds, and every cell has all its loads.

        A busy machine may disturb some.
        """
        campaign = self.campaign()
        assert campaign.is_sealed
        assert verify(campaign.path) == []
        for cell in campaign.finished_cells():
            right = {(row["arm"], row["index"]) for row in read_records(cell) if is_right(row)}
            assert len(right) == 12
        assert not set(self.testbeds) & set(netns.leftover())
        return campaign
