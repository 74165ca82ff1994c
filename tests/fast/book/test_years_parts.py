"""What the time of a small page is made of: of known loads, and of tables as `longlook process` makes them."""

import pytest
from book_sample import PUBLISHED, write_sweeps
from book_sample import interleaved as loads_of

from longlook.book import data as book_data
from longlook.book.years import parts
from longlook.book.years.milestones import milestones

PAGE = (0.0, 114.0, 115.0)
MEASURED = [one.number for one in milestones() if one.stack]


@pytest.mark.parametrize(
    ("objects", "browser"),
    [
        ([PAGE, (122.0, 164.0, 165.0)], 170 - 115 - 43),
        ([PAGE, (110.0, 164.0, 165.0)], 170 - 165),  # asked for before the page has ended
        ([PAGE, (122.0, 164.0, 165.0), (130.0, 150.0, 160.0)], 170 - 115 - 43),  # the second within the first
        ([PAGE, (122.0, 164.0, 165.0), (122.0, 166.0, 168.0)], 170 - 115 - 46),
        ([PAGE], 170 - 115),
    ],
)
def test_the_browsers_time_is_that_in_which_nothing_is_under_way(objects, browser):
    own = parts.parts_of(objects, whole=170.0, rtt=36.0)
    assert (own.set_up, own.browser, own.whole) == (114 - 36, browser, 170)


def test_a_page_that_is_asked_for_late_is_not_set_up():
    assert parts.parts_of([(5.0, 50.0, 51.0)], whole=60.0, rtt=36.0) == parts.Parts(9.0, 60.0 - 46.0, 60.0)


def test_the_table_has_a_row_for_each_browser_of_its_own_loads(tmp_path):
    def loads(campaign, experiment, cell):
        """100 ms over QUIC and 200 over TCP, of which a third is the page's (book_sample.seen)."""
        times = {"quic": 100.0, "tcp": 200.0}
        return loads_of(campaign, experiment, cell, lambda *of: {"plt_ms": times[of[1].protocol]}, 3)

    write_sweeps(tmp_path, ["years"], "years", loads)
    data = book_data.read(PUBLISHED, tmp_path)
    found = parts.found(data)
    assert set(found) == {(number, protocol) for number in MEASURED for protocol in ("quic", "tcp")}
    assert {round(one.set_up, 3) for (_, protocol), one in found.items() if protocol == "quic"} == {30 - 36}
    assert {round(one.set_up, 3) for (_, protocol), one in found.items() if protocol == "tcp"} == {60 - 36}
    shown = parts.table(data).data
    assert shown.count("<tr>") == 2 + len(MEASURED) and "QUIC, ms" in shown and "24.0" in shown
