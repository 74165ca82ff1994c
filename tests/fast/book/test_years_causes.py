"""From Chromium 72 to 76: the table of means."""

from book_sample import PUBLISHED, interleaved, write_sweeps

from longlook.book import data as book_data
from longlook.book.years import causes

MEANS = {"c72": 340.0, "c76": 440.0, "c76nocache": 400.0, "c76blinkcors": 400.0, "c76neither": 360.0}
"""Of a hundred objects on the fast link, over both protocols, ms."""


def test_the_table_has_a_row_for_each_browser(tmp_path):
    def loads(campaign, experiment, cell):
        return interleaved(
            campaign,
            experiment,
            cell,
            lambda _, arm, index: {"plt_ms": MEANS[arm.stack] + 10 * index, "client_cpu_s": 0.2},
            4,
        )

    write_sweeps(tmp_path, ["years-causes"], "years", loads)
    data = book_data.read(PUBLISHED, tmp_path)
    shown = causes.table(data).data
    assert shown.count("<tr>") == 2 + len(causes.NAMES) and "without a disk cache" in shown
    assert shown.count("0.20 ± 0.00") == 2 * len(causes.NAMES)
