"""What a run shows while it goes on."""

import resource
import time
from types import SimpleNamespace

import plans
import pytest
from tqdm import std

from longlook.errors import LonglookError
from longlook.experiment import progress

CELL = plans.sweep().cells()[0]


def test_the_bar_goes_by_no_wall_clock(monkeypatch, tmp_path, capfd):
    """Set back, it stopped the bar and told negative times; set forward, it made an hour of a minute."""
    ahead_s = [0.0]
    monkeypatch.setattr(std, "time", lambda: time.time() + ahead_s[0])
    monkeypatch.setattr(progress.paths, "STATE", tmp_path)
    with progress.shown(SimpleNamespace(path=tmp_path), 100.0, quiet=False) as shown:
        for step_s in (-3600.0, 7200.0):
            ahead_s[0] += step_s
            shown.begins("a cell")
    lines = capfd.readouterr().err.replace("\r", "\n").split("\n")
    told = [line.rpartition("| ")[2].partition("<")[0] for line in lines if "a cell" in line]
    assert len(told) >= 2 and set(told) <= {"00:00", "00:01"}


def test_a_line_for_which_the_disk_has_no_room_is_not_there_in_part(tmp_path):
    """Else the campaign's time could not be read, and nothing would ever seal it."""
    log = tmp_path / progress.LOG
    bar = SimpleNamespace(update=lambda _: None, total=0, n=0)
    shown = progress.Progress(SimpleNamespace(path=tmp_path), bar, None)
    shown.ended(CELL, "default", 2.0, None)
    whole, limits = log.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) + 20, limits[1]))
    try:
        with pytest.raises(LonglookError, match=r"could not write log\.jsonl"):
            shown.ended(CELL, "default", 3.0, None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert log.read_bytes() == whole
    shown.ended(CELL, "default", 4.0, None)
    assert progress.wall_s(SimpleNamespace(path=tmp_path)) == 6.0
