"""What goes wrong on real testbeds, done to the stand-in while a cell is under way.

Each time: no accepted load is lost, no partial cell looks finished, the run goes on, what was left running is cleaned
up, and the message names host and remedy.
"""

import subprocess
import threading
import time

import pytest
from test_cells import sweep

from longlook.experiment.run import run_sweep
from longlook.record.campaigns import read_campaigns, verify
from longlook.record.samples import read_records

pytestmark = [
    pytest.mark.root, pytest.mark.netns, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900),
]  # fmt: skip


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """A stand-in's node is back within seconds: it is asked more often than a real one."""
    monkeypatch.setattr("longlook.experiment.places.POLL_S", 0.5)


class Harm:
    """Does something to the stand-in once the cell under way has so many loads on the client's disk."""

    def __init__(self, standin, action, loads=3):
        self._standin, self._action, self._loads = standin, action, loads
        self.loads_before = 0
        self._thread = threading.Thread(target=self._wait_and_act, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._thread.join(300)
        assert self.loads_before, "the cell ended before the harm could be done"

    def _wait_and_act(self):
        cells = self._standin.folder / "client" / "var" / "longlook" / "cells"
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline:
            for folder in cells.glob("*/*/"):
                try:
                    count = sum(1 for _ in read_records(folder))
                except Exception:  # not there yet, or a frame being written
                    continue
                if count >= self._loads:
                    self._action()
                    self.loads_before = count
                    return
            time.sleep(0.2)


def kept_loads(campaign):
    """Loads in the records that interrupted tries left."""
    return max(
        (
            sum(1 for _ in read_records(folder.parent))
            for folder in campaign.path.glob("interrupted/*/samples.jsonl.zst")
        ),
        default=0,
    )


def whole(campaign):
    assert campaign.is_sealed and verify(campaign.path) == []
    (cell,) = campaign.finished_cells()
    assert {(row["arm"], row["index"]) for row in read_records(cell)} >= {
        (arm, index) for arm in ("quic", "tcp") for index in range(6)
    }


def measured(standin, harm, capfd):
    with harm:
        outcome = run_sweep(sweep(loads=5), testbeds=(standin.description(),), quiet=True, accept_short=True)
    assert outcome.failed == {}
    whole(outcome.campaign)
    assert kept_loads(outcome.campaign) >= harm.loads_before > 0
    return capfd.readouterr().err + (outcome.campaign.path / "log.jsonl").read_text() + said(standin)


def said(standin):
    from longlook import paths

    log = paths.STATE / "kernels.log"
    return log.read_text(errors="replace") if log.exists() else ""


def test_the_connection_to_the_server_is_cut(standin, bench, capfd):
    text = measured(standin, Harm(standin, lambda: standin.cut("server")), capfd)
    assert "server node" in text and standin.address("server") in text and "Run the same command" in text
    assert standin.left("server", "envoy") == []


def test_the_connection_to_the_client_is_cut(standin, bench, capfd):
    text = measured(standin, Harm(standin, lambda: standin.cut("client")), capfd)
    assert "client node" in text and standin.address("client") in text
    assert standin.left("client", "chromium") == []


@pytest.mark.parametrize("role", ["server", "client"])
def test_a_node_is_rebooted(standin, bench, capfd, role):
    def reboot():
        standin.crash(role)
        threading.Timer(1, lambda: standin.boot(role)).start()

    text = measured(standin, Harm(standin, reboot), capfd)
    assert f"{role} node" in text and standin.address(role) in text


def test_the_bridge_is_reconfigured_behind_our_back(standin, bench, capfd):
    meddle = ("pipe", "60111", "config", "bw", "20000000bit/s", "delay", "5ms", "plr", "0", "queue", "90000bytes")
    text = measured(standin, Harm(standin, lambda: standin.ipfw(*meddle)), capfd)
    assert "bandwidth_mbps: 50 set, 20.0 in force" in text and standin.address("bridge") in text


def test_the_clients_disk_is_full(standin, bench, capfd):
    """The cell fails and is not finished; once there is space again the same command measures it."""
    cells = standin.folder / "client" / "var" / "longlook" / "cells"
    cells.mkdir(parents=True, exist_ok=True)
    inside = ["nsenter", f"--mount=/proc/{standin._daemons['client'].pid}/ns/mnt"]
    subprocess.run([*inside, "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/var/tmp/longlook/cells"], check=True)
    try:
        seen = f"/proc/{standin._daemons['client'].pid}/root/var/tmp/longlook/cells"

        def fill():
            subprocess.run(
                ["sh", "-c", f"head -c 2000000 /dev/zero > {seen}/ballast"], check=False, capture_output=True
            )

        harm = Harm(standin, fill)
        harm._standin = type("Seen", (), {"folder": _At(seen)})
        with harm:
            outcome = run_sweep(sweep(loads=5), testbeds=(standin.description(),), quiet=True, accept_short=True)
        (error,) = outcome.failed.values()
        assert "space" in error and "client node" in error and standin.address("client") in error
        assert not outcome.campaign.is_sealed and outcome.campaign.finished_cells() == []
        subprocess.run([*inside, "rm", "-f", "/var/tmp/longlook/cells/ballast"], check=True)
        again = run_sweep(sweep(loads=5), testbeds=(standin.description(),), quiet=True, accept_short=True)
        assert again.campaign.id == outcome.campaign.id
        whole(again.campaign)
        assert kept_loads(again.campaign) >= harm.loads_before
    finally:
        subprocess.run([*inside, "umount", "-l", "/var/tmp/longlook/cells"], check=False)


class _At:
    """A folder whose client's cells are at another path."""

    def __init__(self, cells):
        self._cells = cells

    def __truediv__(self, part):
        from pathlib import Path

        return Path(self._cells) if part == "cells" else self


def test_a_killed_run_is_cleaned_up_and_goes_on(standin, bench, tmp_path):
    """kill -9 of `longlook run` leaves the notebook on the client node running; the next connection ends it."""
    import os
    import signal
    import sys

    from longlook.testbed.description import format_testbeds

    (tmp_path / "beds.toml").write_text(format_testbeds((standin.description(),)))
    text = (
        'name="tiny"\nstudy="test"\ntitle="t"\nstack="quicv1"\nloads=5\nseed=5\n'
        '[[cells]]\nseries="tiny"\narms=[{protocol="quic"},{protocol="tcp"}]\n'
        "bandwidth_mbps=[50]\nrtt_ms=[10]\nworkloads=[{size_kb=100}]\n"
    )
    (tmp_path / "tiny.toml").write_text(text)
    (tmp_path / "raw").mkdir()
    argv = [
        sys.executable,
        "-m",
        "longlook.cli",
        "run",
        str(tmp_path / "tiny.toml"),
        "--testbeds",
        str(tmp_path / "beds.toml"),
    ]
    environment = os.environ | {"LONGLOOK_DATA": str(tmp_path)}
    run = subprocess.Popen(argv, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with Harm(standin, lambda: run.send_signal(signal.SIGKILL)) as harm:
        run.wait()
    assert standin.running("client", "longlook.experiment.on_node"), "nothing was left to be cleaned up"
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    (campaign,) = read_campaigns(tmp_path / "raw")
    whole(campaign)
    assert kept_loads(campaign) >= harm.loads_before
    assert standin.left("client", "longlook.experiment.on_node") == []
