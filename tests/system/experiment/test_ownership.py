"""Two runs on one testbed: the second is refused at once and touches nothing, and a killed owner is in nobody's way."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from driven import HELD_UP, Driven, count_loads

from longlook.errors import LonglookError
from longlook.experiment.execute import execute
from longlook.testbed import netns
from longlook.testbed.base import LOCKS
from longlook.testbed.netns import NetnsTestbed
from longlook.testbed.ownership import entitled, lock_path, owned, used

marked = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]

HOLDER = """
import sys, time
from pathlib import Path
from longlook.testbed.ownership import owned
with owned(sys.argv[1], Path(sys.argv[2]), "campaign test-20260101T000000"):
    print("up", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def hold():
    """Has another process own a testbed."""
    started = []

    def start(name, folder=LOCKS):
        holder = subprocess.Popen([sys.executable, "-c", HOLDER, name, str(folder)], stdout=subprocess.PIPE, text=True)
        started.append(holder)
        assert holder.stdout.readline() == "up\n"
        return holder

    yield start
    for holder in started:
        holder.kill()
        holder.wait()


def test_the_refused_is_told_who_owns_the_testbed_and_a_killed_owner_is_none(tmp_path, hold):
    holder = hold("bed", tmp_path)
    said = rf"testbed 'bed' is in use by process {holder.pid} \(campaign test-20260101T000000, since 2\d+-.*\): wait"
    for way in (owned("bed", tmp_path, "x"), entitled("bed", tmp_path), used("bed", tmp_path)):
        with pytest.raises(LonglookError, match=said), way:
            pass
    with owned("other", tmp_path, "x"):
        pass
    holder.kill()
    holder.wait()
    with owned("bed", tmp_path, "x"):
        pass


def test_what_the_owner_starts_may_use_it_and_nobody_else(tmp_path, monkeypatch):
    child = [sys.executable, "-c", HOLDER.replace("owned", "used").replace(', "campaign test-20260101T000000"', "")]
    child = [part.replace("time.sleep(600)", "") for part in child] + ["bed", str(tmp_path)]
    with owned("bed", tmp_path, "x") as owner:
        owner.is_for("campaign one")
        assert subprocess.run(child, capture_output=True, text=True).stdout == "up\n"
        others = {name: value for name, value in os.environ.items() if not name.startswith("LONGLOOK_TESTBED_")}
        refused = subprocess.run(child, env=others, capture_output=True, text=True)
        assert f"in use by process {os.getpid()} (campaign one, since" in refused.stderr
        expired = subprocess.run(child, env=others | {"LONGLOOK_TESTBED_BED": "0" * 32}, capture_output=True, text=True)
        assert "in use by process" in expired.stderr
    assert "LONGLOOK_TESTBED_BED" not in os.environ


def test_only_one_of_an_owners_programs_uses_it_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr("longlook.testbed.ownership.USE_WAIT_S", 0.2)
    with (
        owned("bed", tmp_path, "x"),
        used("bed", tmp_path),
        pytest.raises(LonglookError, match="still used by a program of its owner's"),
        used("bed", tmp_path),
    ):
        pass


def test_a_lock_that_cannot_be_opened_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(LonglookError, match=r"cannot open .*ll-bed\.lock"), owned("bed", tmp_path / "file", "x"):
        pass


def test_the_lock_is_of_nobody_elses_business(tmp_path):
    with owned("bed", tmp_path, "x"):
        assert lock_path("bed", tmp_path).stat().st_mode & 0o777 == 0o600


@pytest.mark.root
@pytest.mark.netns
@pytest.mark.parametrize("words", [["calibrate"], ["bench", "--seconds", "3"], ["soak"]], ids=lambda words: words[0])
def test_other_commands_are_refused_as_well(hold, words):
    holder = hold(words[0])
    said = subprocess.run([sys.executable, "-m", "longlook.cli", *words], capture_output=True, text=True, timeout=300)
    assert said.returncode == 1
    assert f"testbed {words[0]!r} is in use by process {holder.pid} (campaign test-" in said.stderr


@pytest.mark.root
@pytest.mark.netns
def test_a_testbed_of_somebody_else_is_not_cleared_away(hold, testbed_name):
    with NetnsTestbed(testbed_name) as bed:
        sleeper = bed.popen("client", ["sleep", "600"])
        script = "import sys; from longlook.experiment.places import place_of\n"
        script += "from longlook.testbed.registry import describe\n"
        script += "place_of(describe(sys.argv[1])).clean()"
        said = subprocess.run([sys.executable, "-c", script, testbed_name], capture_output=True, text=True)
        assert f"in use by process {os.getpid()}" in said.stderr
        assert sleeper.poll() is None and testbed_name in netns.leftover()


class TestRuns:
    pytestmark = marked

    @pytest.fixture
    def runs(self, tmp_path, testbed_name):
        """Two command lines on the same testbed, which have nothing else in common."""
        made = []
        for name, size in (("one", 100), ("two", 5)):
            (tmp_path / name).mkdir()
            made.append(Driven(tmp_path / name, (testbed_name,), ("--testbed", testbed_name), sizes_kb=[size]))
        yield made
        for run in made:
            run.stop()

    def wait_for_loads(self, run, count):
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline:
            if any(count_loads(partial) >= count for partial in run.raw.glob("*/*.partial")):
                return
            time.sleep(0.05)
        raise AssertionError(f"no cell under way with {count} loads after 240 s")

    def end_undisturbed(self, run, driver):
        """But for what a busy machine does: a link that misses its calibration, loads during stalls."""
        out, _ = driver.communicate(timeout=600)
        assert not re.search(r"does not answer|died|did not finish|is it still running|Traceback", out), out
        assert driver.returncode == 0 or HELD_UP in out, out
        if driver.returncode:
            run.finish()
        run.whole()

    def test_the_second_is_refused_and_the_first_goes_on_undisturbed(self, runs, testbed_name):
        one, two = runs
        first = one.start()
        self.wait_for_loads(one, 2)
        for second in [two.start() for _ in range(3)]:
            out, _ = second.communicate(timeout=300)
            assert second.returncode == 1, out
            assert re.search(rf"in use by process {first.pid} \(campaign {one.campaign().id}, since", out), out
            assert "Traceback" not in out
        assert not list(two.raw.glob("*"))
        with pytest.raises(LonglookError, match=rf"in use by process {first.pid}"), NetnsTestbed(testbed_name):
            pass
        self.end_undisturbed(one, first)

    def test_a_notebook_that_is_started_by_hand_is_refused(self, runs, testbed_name, tmp_path):
        one, _ = runs
        first = one.start()
        self.wait_for_loads(one, 1)
        failure = execute("plt.ipynb", tmp_path, {"testbed": testbed_name, "folder": str(tmp_path / "own")}, 300)
        assert f"in use by process {first.pid} (campaign {one.campaign().id}" in str(failure)
        self.end_undisturbed(one, first)

    def test_a_killed_run_frees_its_testbed(self, runs):
        one, two = runs
        first = one.start()
        self.wait_for_loads(one, 1)
        first.send_signal(signal.SIGKILL)
        first.wait()
        two.finish()
        two.whole()
