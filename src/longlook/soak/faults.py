"""What is done to a run. Each fault says whom it hit and, where something must come of it at once, whether it did."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from longlook.soak.subject import PROGRAMS, SoakedRun
from longlook.testbed.netns import namespace

STOP_S = (0.05, 0.5)
FULL_S = (0.5, 4.0)
SECOND_RUN_S = 90.0
FILLER = "filler"


@dataclass
class Hit:
    """What was done; an empty target: there was nobody to do it to."""

    target: str
    problems: list[str] = field(default_factory=list)
    said: str = ""


def _one(rng: random.Random, subject: SoakedRun) -> tuple[str, int] | None:
    """Driver, kernel, or one of the programs; each as likely as any other that is there."""
    there = {name: subject.inside(name) for name in PROGRAMS} | {"kernel": subject.kernel()}
    there["driver"] = [subject.run.pid] if subject.run is not None else []
    names = [name for name, pids in there.items() if pids]
    if not names:
        return None
    name = rng.choice(names)
    return name, rng.choice(there[name])


def kill(rng: random.Random, subject: SoakedRun) -> Hit:
    """kill -9 of anything that takes part."""
    victim = _one(rng, subject)
    if victim is None:
        return Hit("")
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim[1], signal.SIGKILL)
    return Hit(f"{victim[0]} {victim[1]}")


def stop(rng: random.Random, subject: SoakedRun) -> Hit:
    """Stopped for a moment, as by a machine that is too busy."""
    victim = _one(rng, subject)
    if victim is None:
        return Hit("")
    pause_s = rng.uniform(*STOP_S)
    with contextlib.suppress(ProcessLookupError):
        os.kill(victim[1], signal.SIGSTOP)
        time.sleep(pause_s)
        os.kill(victim[1], signal.SIGCONT)
    return Hit(f"{victim[0]} {victim[1]} for {pause_s * 1000:.0f} ms")


def cut(rng: random.Random, subject: SoakedRun) -> Hit:
    """The client's interface goes down and up again."""
    space, pause_s = namespace(subject.testbed, "client"), rng.uniform(*STOP_S)
    if not Path("/run/netns", space).exists():
        return Hit("")
    for turn, wait_s in (("down", pause_s), ("up", 0.0)):
        words = ["ip", "-n", space, "link", "set", "eth0", turn]
        subprocess.run(words, check=False, capture_output=True, timeout=10)
        time.sleep(wait_s)
    return Hit(f"client's eth0 for {pause_s * 1000:.0f} ms")


def fill(rng: random.Random, subject: SoakedRun) -> Hit:
    """The disk of the data folder is full for a while."""
    filler, pause_s = subject.folder / FILLER, rng.uniform(*FULL_S)
    try:
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                continue
        time.sleep(pause_s)
    finally:
        filler.unlink(missing_ok=True)
    return Hit(f"data folder for {pause_s:.1f} s")


def second_run(rng: random.Random, subject: SoakedRun) -> Hit:
    """Somebody starts another run on the same testbed, into the same data folder or another."""
    other = rng.choice([subject.folder, subject.folder.parent / "other"])
    other.mkdir(exist_ok=True)
    path = subject.folder.parent / "second.txt"
    first = subject.run
    with path.open("w") as file:
        run = subject.command(other, file)
    deadline = time.monotonic() + SECOND_RUN_S
    while run.poll() is None and subject.is_running and time.monotonic() < deadline:
        time.sleep(0.1)
    text = path.read_text(errors="replace")
    said = text.strip()[-300:]
    if run.poll() is None:  # the first one has ended meanwhile: there is nothing to refuse
        run.kill()
        run.wait()
        return Hit(f"data folder {other.name}", said="the first run ended before")
    refused = run.returncode == 1 and first is not None and f"in use by process {first.pid} " in text
    problems = [] if refused or not subject.is_running else [f"a second run was not refused ({run.returncode}): {said}"]
    return Hit(f"data folder {other.name}", problems, said)


def _signal(number: signal.Signals) -> Callable[[random.Random, SoakedRun], Hit]:
    def send(_rng: random.Random, subject: SoakedRun) -> Hit:
        if subject.run is None or not subject.is_running:
            return Hit("")
        subject.run.send_signal(number)
        return Hit(f"driver {subject.run.pid}")

    send.__doc__ = f"{number.name} to the driver, as of Ctrl-C or a shutdown."
    return send


FAULTS: dict[str, tuple[int, Callable[[random.Random, SoakedRun], Hit]]] = {
    "kill": (5, kill),
    "stop": (5, stop),
    "cut": (3, cut),
    "disk full": (2, fill),
    "second run": (2, second_run),
    "SIGINT": (2, _signal(signal.SIGINT)),
    "SIGTERM": (2, _signal(signal.SIGTERM)),
}
"""Name -> its weight, and what it does."""
