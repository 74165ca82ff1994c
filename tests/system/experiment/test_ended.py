"""A command that is ended at any moment leaves nothing: no process, namespace, temporary file or listener, no cell that
looks whole; and it says how to go on."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from driven import Driven, count_loads

from longlook.testbed import netns

pytestmark = [pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]
MOST_S = 300
"""For what hangs; on an idle machine it is two."""


@pytest.fixture
def scratch(monkeypatch):
    """Where the command's temporary files go, a name of few letters. By it its processes are told from others: it is
    among the few variables that programs inherit (host/process.py)."""
    with tempfile.TemporaryDirectory(prefix="t-") as folder:
        Path(folder).chmod(0o711)
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


@pytest.fixture
def heeded(number):
    """A signal that this process ignores, as under `nohup`, the command would ignore as well."""
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)
    yield
    signal.signal(number, before)


def marked(scratch):
    """Processes that have inherited the environment of the command."""
    found = {}
    for entry in Path("/proc").iterdir():
        try:
            variables = (entry / "environ").read_bytes().split(b"\0") if entry.name.isdigit() else []
            mark = f"TMPDIR={scratch}".encode()
            if any(one.startswith(mark) for one in variables) and int(entry.name) != os.getpid():
                found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
    return found


def until(what, condition, driver, within_s=150):
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if condition():
            return
        assert driver.poll() is None, driver.communicate()[0]
        time.sleep(0.02)
    raise AssertionError(f"no {what} within {within_s} s")


def loads(run, cells):
    partials = list(run.raw.glob("*/*.partial"))
    return len(partials) >= cells and any(count_loads(one) >= 2 for one in partials)


MOMENTS = {
    "at once": lambda run, scratch: bool(marked(scratch)),
    "versions": lambda run, scratch: any("longlook-version-" in words for words in marked(scratch).values()),
    "workers": lambda run, scratch: any("spawn_main" in words for words in marked(scratch).values()),
    "kernel": lambda run, scratch: any("ipykernel" in words for words in marked(scratch).values()),
    "calibration": lambda run, scratch: any("linkpipe" in words for words in marked(scratch).values()),
    "loads": lambda run, scratch: loads(run, len(run.testbeds)),
}
TRIALS = [
    (1, "at once", signal.SIGTERM), (1, "versions", signal.SIGTERM), (1, "versions", signal.SIGINT),
    (1, "kernel", signal.SIGTERM), (1, "calibration", signal.SIGQUIT), (1, "loads", signal.SIGHUP),
    (2, "workers", signal.SIGTERM), (2, "kernel", signal.SIGINT), (2, "calibration", signal.SIGTERM),
    (2, "loads", signal.SIGTERM), (2, "loads", signal.SIGINT),
]  # fmt: skip


@pytest.mark.parametrize(("beds", "moment", "number"), TRIALS)
@pytest.mark.usefixtures("heeded")
def test_a_run_that_is_ended_leaves_nothing(beds, moment, number, scratch, tmp_path, testbed_name):
    names = [f"{testbed_name}{letter}" for letter in "ab"[:beds]]
    where = ("--testbed", names[0])
    if beds > 1:
        file = tmp_path / "beds.toml"
        file.write_text("".join(f'[[testbed]]\nname = "{name}"\ndriver = "netns"\n' for name in names))
        where = ("--testbeds", str(file))
    run = Driven(tmp_path / "data", names, where, [100])
    try:
        driver = run.start()
        until(moment, lambda: MOMENTS[moment](run, scratch), driver)
        driver.send_signal(number)
        out, _ = driver.communicate(timeout=MOST_S)
        until_gone = time.monotonic() + MOST_S  # Python's own helper ends by itself
        while (left := marked(scratch)) and time.monotonic() < until_gone:
            time.sleep(0.01)
        assert left == {} and os.listdir(scratch) == [], out
        assert not set(names) & set(netns.leftover())
        assert "Traceback" not in out and "Exception" not in out and "Warning" not in out, out
        assert moment == "at once" or (driver.returncode == 130 and "run the same command to go on" in out), out
    finally:
        run.stop()


def test_bench_that_is_ended_while_it_meters(scratch, testbed_name):
    argv = [sys.executable, "-m", "longlook.cli", "bench", "--seconds", "6", "--testbed", testbed_name]
    path = [one for one in os.get_exec_path() if not Path(one, "cargo").exists()]  # with it another emulator is built
    driver = subprocess.Popen(
        argv, env=os.environ | {"PATH": ":".join(path)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        until("iperf3", lambda: any("iperf3 -c" in words for words in marked(scratch).values()), driver)
        time.sleep(1)  # the meter waits for its second
        driver.send_signal(signal.SIGINT)
        out, _ = driver.communicate(timeout=MOST_S)
        left = netns.leftover()
    finally:
        driver.kill()
        driver.wait()
        netns.remove(testbed_name)
    assert driver.returncode == 130 and "Traceback" not in out and "Exception" not in out, out
    assert marked(scratch) == {} and os.listdir(scratch) == []
    assert testbed_name not in left
