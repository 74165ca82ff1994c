"""10 MB, by every browser and under loss by six: the table of means."""

from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.book import data as book_data
from longlook.book.years import tables
from longlook.book.years.milestones import milestones
from longlook.figure import style

SIX = (64, 76, 85, 92, 111, 153)


def test_the_table_has_a_row_for_each_browser(tmp_path):
    def loads(campaign, experiment, cell):
        return interleaved(campaign, experiment, cell, lambda *of: {"plt_ms": 9001.0 + 10 * of[2]}, 4)

    write_sweeps(tmp_path, ["years-large", "years-large-loss"], "years", loads)
    data = book_data.read(PUBLISHED, tmp_path)
    shown = tables.large_table(data).data
    every = [one for one in milestones() if one.stack]
    assert shown.count("<tr>") == 2 + len(every) and "100 Mbit/s, 1 % loss, s" in shown
    assert shown.count("9.03 ± 0.01") == 2 * len(every) + 4 * len(SIX)
    assert shown.count(style.DASH) == 4 * (len(every) - len(SIX))
