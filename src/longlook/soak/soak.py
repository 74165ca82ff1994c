"""The soak itself: runs of a sweep, faults at random moments from a seed, checks after every run, a record of all."""

from __future__ import annotations

import contextlib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longlook.record.campaign import iso_now
from longlook.record.campaigns import read_campaigns
from longlook.soak.checks import Ledger, data_problems, interrupted_count, remains_problems, scratch_count
from longlook.soak.faults import FAULTS
from longlook.soak.subject import SoakedRun, small_disk
from longlook.testbed.base import LOCKS
from longlook.testbed.ownership import owned

GAP_S = (0.3, 5.0)
"""Between two faults; a run of the sweep takes about half a minute."""
FAULTY_RUNS = 5
"""So many runs on end with faults; the next is left alone and must seal the campaign."""
WARM = 0.8
"""In so many runs the first fault is not before the first programs are up."""
ENDS = ("0", "1", "130", "-9", "-2", "-15")
"""Exits: well; with a message; by a signal, also before or after the part of a run that takes one for Ctrl-C."""
EXCUSES = ("could not be measured", " is full", "in use by process")
"""Some of which a run must say that ends with a message."""
LOOK_S = 0.25
RUN_LIMIT_S = 600.0
QUIET_TRIES = 3


@dataclass
class SoakOutcome:
    """What a soak came to."""

    seconds: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    exits: Counter[str] = field(default_factory=Counter)
    loads_seen: int = 0
    sealed: int = 0
    interrupted: int = 0
    scratch_left: int = 0
    problems: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The summary."""
        faults = ", ".join(f"{name} {count}" for name, count in sorted(self.faults.items()))
        exits = ", ".join(f"{code}: {count}" for code, count in sorted(self.exits.items()))
        return (
            f"{sum(self.faults.values())} faults in {self.seconds / 60:.0f} min ({faults})\n"
            f"{sum(self.exits.values())} runs, by exit ({exits}); {self.sealed} campaigns sealed, "
            f"{self.interrupted} interrupted cells kept, {self.loads_seen} loads seen on the disk\n"
            + "\n".join(self.problems or ["no problem: nothing lost, doubled, half done or left running"])
        )


class Soak:
    """`faults` or `seconds`, whichever comes first, and then one run that is left alone."""

    def __init__(self, subject: SoakedRun, record: Path, seed: int, seconds: float, faults: int):
        self._subject, self._record, self._rng = subject, record, random.Random(seed)
        self._ends, self._most = time.monotonic() + seconds, faults
        self._ledger = Ledger(subject.raw)
        self._was_killed = False
        self.outcome = SoakOutcome()

    def go(self) -> SoakOutcome:
        """All of it."""
        began = time.monotonic()
        try:
            self._faulty_runs()
            self._must_seal()
        finally:  # also when it is interrupted
            self._sum_up(time.monotonic() - began)
        return self.outcome

    def _faulty_runs(self) -> None:
        faulty = 0
        while not self._is_over():
            faulty = 0 if faulty == FAULTY_RUNS else faulty + 1
            self._one_run(with_faults=faulty > 0)

    def _sum_up(self, seconds: float) -> None:
        own = self.outcome
        own.seconds, own.loads_seen = round(seconds, 1), self._ledger.count
        own.sealed = sum(one.is_sealed for one in read_campaigns(self._subject.raw))
        own.interrupted, own.scratch_left = interrupted_count(self._subject.raw), scratch_count(self._subject)
        self._write("summary", **vars(own))

    def _is_over(self) -> bool:
        return time.monotonic() > self._ends or sum(self.outcome.faults.values()) >= self._most

    def _must_seal(self) -> None:
        """Left alone it comes to its end; on a busy machine a link may miss its calibration, and a run is repeated."""
        for _ in range(QUIET_TRIES):
            self._one_run(with_faults=False)
            if any(one.is_sealed for one in read_campaigns(self._subject.raw)[-1:]):
                return
        self._problem("the last runs were left alone, and yet their campaign is not sealed")

    def _one_run(self, with_faults: bool) -> None:
        subject, limit = self._subject, time.monotonic() + RUN_LIMIT_S
        subject.start()
        first, killed = sum(self.outcome.faults.values()), False
        if self._rng.random() < WARM:
            self._until_programs_are_up()
        while subject.is_running and time.monotonic() < limit:
            pause = time.monotonic() + self._rng.uniform(*GAP_S)
            while subject.is_running and time.monotonic() < pause:
                time.sleep(LOOK_S)
                self._ledger.look()
            if with_faults and subject.is_running and not self._is_over():
                killed |= self._fault()
        if subject.is_running:
            self._problem(f"a run was not done after {RUN_LIMIT_S:.0f} s")
            subject.end()
        self._after_run(first, killed)

    def _until_programs_are_up(self) -> None:
        subject, limit = self._subject, time.monotonic() + RUN_LIMIT_S
        while subject.is_running and time.monotonic() < limit and not subject.inside("envoy"):
            time.sleep(LOOK_S)

    def _fault(self) -> bool:
        """One of them; whether it was kill -9 of the driver."""
        weights = [weight for weight, _ in FAULTS.values()]
        (name,) = self._rng.choices(list(FAULTS), weights)
        hit = FAULTS[name][1](self._rng, self._subject)
        if not hit.target:
            return False
        self.outcome.faults[name] += 1
        self._write("fault", number=sum(self.outcome.faults.values()), fault=name, **asdict(hit))
        for problem in hit.problems:
            self._problem(problem)
        return name == "kill" and hit.target.startswith("driver")

    def _after_run(self, first: int, killed: bool) -> None:
        subject, total = self._subject, sum(self.outcome.faults.values())
        code = str(subject.run.wait()) if subject.run else ""
        self.outcome.exits[code] += 1
        said = subject.said()
        if "campaign" not in subject.all_said():  # it ended before it cleared away what a killed one had left
            killed |= self._was_killed
        self._was_killed = killed
        problems = list(remains_problems(subject, killed))
        if lost := self._ledger.lost():
            problems.append(f"{lost} loads that were on the disk are lost")
        problems += data_problems(subject.raw)
        problems += end_problems(code, subject.all_said())
        self._write("run", exit=code, faults=total - first, said=said, loads=self._ledger.count, problems=problems)
        for problem in problems:
            self._problem(problem)

    def _problem(self, text: str) -> None:
        print(f"soak: {text}", file=sys.stderr, flush=True)
        self.outcome.problems.append(text)

    def _write(self, kind: str, **fields: Any) -> None:
        """One line, at once: a soak that is ended keeps its record."""
        with self._record.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"time": iso_now(), "kind": kind, **fields}) + "\n")


def end_problems(code: str, said: str) -> Iterator[str]:
    """A run may end in so many ways, and says why; never by a traceback."""
    if "Traceback" in said:
        yield f"a traceback: {said.strip()[-300:]}"
    elif code not in ENDS or (code == "1" and not any(words in said for words in EXCUSES)):
        yield f"ended with {code}: {said.strip()[-300:]}"


def soak(record: Path, testbed: str, seed: int, seconds: float, faults: int) -> SoakOutcome:
    """In a folder for temporary files; the record is appended to. Refused at once where another soak, or a run, has the
    testbed."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(owned(f"{testbed}-soak", LOCKS, "soak", hand_down=False))
        with owned(testbed, LOCKS, "soak"):  # its runs will own it
            record.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="longlook-soak-")))
        disk = stack.enter_context(small_disk(folder / "disk"))
        folder.chmod(0o755)  # servers give up root, and read their site there
        subject = SoakedRun(disk, testbed)
        stack.callback(subject.end)
        return Soak(subject, record, seed, seconds, faults).go()
