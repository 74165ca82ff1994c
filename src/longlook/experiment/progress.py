"""What a run of a sweep shows and writes down while it goes on: a bar, messages, one line of the log per attempt."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import time
from collections.abc import Iterator

from tqdm import tqdm

from longlook import paths
from longlook.errors import LonglookError
from longlook.experiment.failure import Failure
from longlook.experiment.registry import estimate_s
from longlook.plan.cell import Cell
from longlook.record.campaign import Campaign
from longlook.record.durable import explain_disk_errors, parse_object, read_bytes

LOG = "log.jsonl"


class Progress:
    """The bar and the campaign's log: one line for every cell that ended, well or not."""

    def __init__(self, campaign: Campaign, bar: tqdm, screen):
        self._campaign, self._bar, self._screen = campaign, bar, screen

    def ended(self, cell: Cell, testbed: str, wall_s: float, failure: Failure | None) -> None:
        """An attempt at a cell is over; its wall time includes the notebook's kernel."""
        said = None if failure is None else str(failure)
        entry = {"cell_id": cell.id, "testbed": testbed, "wall_s": round(wall_s, 3), "error": said}
        path = self._campaign.path / LOG
        line = f"{json.dumps(entry)}\n".encode()
        with explain_disk_errors(f"write {LOG}", path), path.open("ab", buffering=0) as log:
            end = log.tell()
            if log.write(line) < len(line):  # a nearly full disk takes a part, of which nobody could read the time
                log.truncate(end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        if failure is not None:
            self.say(f"{cell.id}: {failure}")
        self._bar.update(min(estimate_s(cell), self._bar.total - self._bar.n))

    def begins(self, text: str) -> None:
        self._bar.set_description_str(f"{text} ")

    def say(self, text: str) -> None:
        self._bar.write(text, file=self._screen)

    def more(self, seconds: float) -> None:
        self._bar.total += round(seconds)


def wall_s(campaign: Campaign) -> float:
    """Time spent on the campaign's cells, over all sittings, s."""
    path = campaign.path / LOG
    try:
        return sum(float(parse_object(line)["wall_s"]) for line in read_bytes(path).splitlines())
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise LonglookError(f"{path} cannot be read: {error!r}") from None


@contextlib.contextmanager
def shown(campaign: Campaign, total_s: float, quiet: bool) -> Iterator[Progress]:
    """A bar of so many expected seconds."""
    form = "{desc}{percentage:3.0f}%|{bar}| {elapsed}<{remaining}{postfix}"
    with (
        _noise_aside() as screen,
        tqdm(total=round(total_s), unit="s", bar_format=form, disable=quiet, file=screen) as bar,
    ):
        bar._time = time.monotonic  # tqdm goes by the wall clock, which may be set, and has no word for another one
        bar.reset()
        yield Progress(campaign, bar, screen)


@contextlib.contextmanager
def _noise_aside():
    """The terminal for our own words; what kernels write to standard error meanwhile goes to .longlook/kernels.log."""
    paths.refuse_link(paths.STATE / "kernels.log")
    paths.STATE.mkdir(exist_ok=True)
    terminal = os.dup(2)
    with (paths.STATE / "kernels.log").open("ab") as log, os.fdopen(os.dup(terminal), "w") as screen:
        os.dup2(log.fileno(), 2)
        try:
            yield screen
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)
