"""The run that is made to suffer: the command line as a user gives it, on a testbed and a (small) disk of its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from longlook.errors import LonglookError
from longlook.testbed import netns
from longlook.testbed.base import LOCKS
from longlook.testbed.ownership import owned

DISK_MB = 64
SWEEP = """
name = "soak"
study = "test"
title = "a few small cells, under faults"
stack = "quicv1"
loads = 3
seed = 5

[[cells]]
series = "soak"
arms = [{ protocol = "quic" }, { protocol = "tcp" }]
bandwidth_mbps = [20, 50]
rtt_ms = [36]
workloads = [{ size_kb = 100, count = 1 }]
"""
PROGRAMS = ("chromium", "envoy", "apache2", "linkpipe")
"""That run in the testbed's namespaces: browser, servers, emulator."""


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of DISK_MB; it takes memory only for what is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "longlook-soak", str(folder)], text=True)
    if made.returncode:
        raise LonglookError(f"cannot mount a tmpfs at {folder}: soak needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=False)


class SoakedRun:
    """Runs of one sweep into `folder`; at most one at a time, if nobody else starts some."""

    def __init__(self, folder: Path, testbed: str):
        self.folder, self.testbed = folder, testbed
        self.raw = folder / "raw"
        self.scratch = folder.parent / "tmp"
        self.scratch.mkdir(exist_ok=True)
        self.sweep = folder.parent / "soak.toml"
        self.sweep.write_text(SWEEP, encoding="utf-8")
        self.run: subprocess.Popen | None = None
        self._said = folder.parent / "said.txt"

    def start(self) -> None:
        """The same command every time: it goes on where the last one ended."""
        with self._said.open("w") as said:
            self.run = self.command(self.folder, said)

    def command(self, data: Path, said) -> subprocess.Popen:
        """`longlook run` of the sweep into a data folder."""
        return subprocess.Popen(
            [sys.executable, "-m", "longlook.cli", "run", str(self.sweep), "--testbed", self.testbed, "--accept-short"],
            env=os.environ | {"LONGLOOK_DATA": str(data), "TMPDIR": str(self.scratch)},
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # What is started in a shell's background would hand down a Ctrl-C that is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    @property
    def is_running(self) -> bool:
        return self.run is not None and self.run.poll() is None

    def said(self) -> str:
        """What the run printed last."""
        text = self.all_said()
        lines = [part for line in text.splitlines() if (part := line.split("\r")[-1].strip()) and "|" not in part]
        return "\n".join(lines[-4:])[-1500:]

    def all_said(self) -> str:
        """Everything that it printed."""
        return self._said.read_text(encoding="utf-8", errors="replace")

    def end(self) -> None:
        """Whatever is still there, when the soak itself ends; not what somebody else has on the testbed by now."""
        if self.run is not None and self.run.poll() is None:
            self.run.kill()
            self.run.wait()
        with contextlib.suppress(LonglookError), owned(self.testbed, LOCKS, "soak"):
            for pid in self.remains():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            netns.remove(self.testbed)

    def inside(self, program: str) -> list[int]:
        """Processes of a program in the testbed's namespaces."""
        found = [pid for pids in netns.processes(self.testbed).values() for pid in pids]
        return [pid for pid in found if program in _words(pid)[:200]]

    def kernel(self) -> list[int]:
        """The kernel of the notebook that measures."""
        return [pid for pid in self.remains() if "ipykernel_launcher" in _words(pid)]

    def remains(self) -> list[int]:
        """Live processes that descend from runs of this subject, by their environment, or are in its namespaces."""
        mark = f"LONGLOOK_DATA={self.folder}".encode()
        found = {pid for pids in netns.processes(self.testbed).values() for pid in pids}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.add(int(entry.name))
        return sorted(found)

    def named(self, pids: list[int]) -> list[str]:
        """For the record."""
        return [f"{pid} {_words(pid)[:100]}" for pid in pids if _words(pid)]


def _words(pid: int) -> str:
    """Command line; empty of what is dead."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
