"""What must hold after every run, however it ended: nothing is lost, doubled, half done and yet whole, or left."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from longlook.errors import LonglookError
from longlook.record.campaign import CELL_NAME, INTERRUPTED, PARTIAL, WHOLE, Campaign
from longlook.record.campaigns import read_campaigns, verify
from longlook.record.samples import SAMPLES_NAME, read_records
from longlook.soak.subject import SoakedRun
from longlook.testbed import netns

DYING_S = 30.0


class Ledger:
    """Every load that was ever seen on the disk: it must be there ever after."""

    def __init__(self, raw: Path):
        self._raw = raw
        self._seen: set[str] = set()

    def look(self, where: str = f"*{PARTIAL}") -> set[str]:
        """What is there now, by default in cells under way; remembered."""
        found = set()
        for path in self._raw.glob(f"*/{where}/{SAMPLES_NAME}"):
            try:
                found |= {_identity(record) for record in read_records(path.parent, torn_ok=True)}
            except LonglookError:  # moved just now
                continue
        self._seen |= found
        return found

    @property
    def count(self) -> int:
        return len(self._seen)

    def lost(self) -> int:
        """How many of them are gone; nobody may be writing."""
        before = set(self._seen)
        return len(before - self.look("**"))


def _identity(record: dict) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


def data_problems(raw: Path) -> Iterator[str]:
    """Of every campaign: one line for each thing that is wrong."""
    try:
        yield from _data_problems(raw)
    except LonglookError as error:
        yield f"cannot be read: {error}"


def _data_problems(raw: Path) -> Iterator[str]:
    for campaign in read_campaigns(raw):
        for cell in campaign.finished_cells():
            yield from (f"{cell.parent.name}/{cell.name}: {what}" for what in cell_problems(cell, campaign))
        if campaign.is_sealed:
            yield from verify(campaign.path)
            if left := [path.name for path in campaign.path.glob("*" + PARTIAL)]:
                yield f"{campaign.id}: sealed with {', '.join(left)}"


def cell_problems(cell: Path, campaign: Campaign) -> Iterator[str]:
    """Of a cell that is taken for whole."""
    if lacking := [name for name in WHOLE if not (cell / name).is_file()]:
        yield f"lacks {', '.join(lacking)}"
        return
    record = json.loads((cell / CELL_NAME).read_text(encoding="utf-8"))
    samples = list(read_records(cell))
    accepted = Counter((one["arm"], one["index"]) for one in samples if one["accepted"])
    tries = Counter((one["arm"], one["index"], one["attempt"]) for one in samples)
    counted = Counter(one["arm"] for one in samples if one["accepted"] and not one["set_aside"])
    loads, arms = record["cell"]["loads"], len(record["cell"]["arms"])
    yield from (f"load {key} is accepted {count} times" for key, count in accepted.items() if count > 1)
    yield from (f"try {key} is there {count} times" for key, count in tries.items() if count > 1)
    if len({one["order"] for one in samples}) < len(samples):
        yield "two loads have the same place in the order"
    if record["complete"] != (len(counted) == arms and min(counted.values()) >= loads):
        yield f"says complete: {record['complete']}, has {dict(counted)} of {loads} loads for each of {arms} arms"
    if {(one["campaign"], one["cell_id"]) for one in samples} != {(campaign.id, cell.name)}:
        yield "has loads of another cell"


def remains_problems(subject: SoakedRun, was_killed: bool) -> Iterator[str]:
    """What a run left running; one that was not killed must have taken its namespaces away too."""
    deadline = time.monotonic() + DYING_S
    while (found := _own(subject, was_killed)) and time.monotonic() < deadline:
        time.sleep(0.1)
    yield from (f"still runs: {one}" for one in subject.named(found))
    if not was_killed and subject.testbed in netns.leftover():
        yield "its namespaces are still there"


def _own(subject: SoakedRun, was_killed: bool) -> list[int]:
    """After kill -9 of the driver, Apache's children are orphans that the next run ends."""
    named = {pid: "".join(subject.named([pid])) for pid in subject.remains()}  # once: one may end in between
    return [pid for pid, name in named.items() if name and not (was_killed and "apache2" in name)]


def interrupted_count(raw: Path) -> int:
    """Folders of interrupted tries, which are kept."""
    return sum(1 for _ in raw.glob(f"*/{INTERRUPTED}/*"))


def scratch_count(subject: SoakedRun) -> int:
    """Files and folders that killed runs left in their folder for temporary files."""
    return len(os.listdir(subject.scratch))
