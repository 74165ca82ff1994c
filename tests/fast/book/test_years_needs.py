"""What the axis of browsers needs: disk and time."""

import pytest
from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.book import data as book_data
from longlook.book.years import needs
from longlook.book.years.milestones import milestones


def test_each_sweep_of_the_chapter_that_is_measured_has_its_time(tmp_path):
    def loads(campaign, experiment, cell):
        return interleaved(campaign, experiment, cell, lambda *_: {"plt_ms": 100.0}, 2)

    write_sweeps(tmp_path, ["years-loss", "years-versions", "today-near"], "years", loads)
    data = book_data.read(PUBLISHED, tmp_path)
    found = needs.campaigns(data)
    assert [one["sweep"] for one in found] == ["years-versions", "years-loss"], "as the chapter has them"
    assert needs.hours(found) == pytest.approx(240 / 3600)
    shown = needs.table(data).data
    assert shown.count("<td class=num>2 min</td>") == 2 and "today-near" not in shown


def test_the_disk_is_that_of_all_browsers():
    assert needs.disk_bytes() == sum(one.spoken.disk_bytes for one in milestones()) > 1e9
