"""What a run shows while it goes on."""

import time
from types import SimpleNamespace

from tqdm import std

from longlook.experiment import progress


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
