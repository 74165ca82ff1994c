"""Tables, picture and numbers of the chapter on Halme 2021, from results with known times."""

import re

import pytest
from book_sample import PUBLISHED
from downloads_sample import BESIDE, write_downloads

from longlook.book import data as book_data
from longlook.book.evidence import StudyColumn
from longlook.book.halme2021 import chart, evidence, tables
from longlook.book.judged import claim_columns, judged_of
from longlook.book.value_role import value_of
from longlook.figure.live import LiveChart
from longlook.published.halme2021 import STUDY

PAGE = "book/halme2021/downloads"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_downloads(processed)
    return book_data.read(PUBLISHED, processed)


def words(shown):
    """Cells of every row of a table."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", shown.data, re.S)
    return [
        [re.sub(r"<[^>]+>", " ", cell).strip() for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
        for row in rows
    ]


def test_durations_stand_beside_the_printed_ones(data):
    rows = words(tables.duration_table(data))
    aioquic = next(row for row in rows if row[0] == "4 (200\xa0ms,\xa00\xa0%)")
    assert aioquic[1:5] == ["aioquic", "16.70", "17.01", "17.15"]
    assert aioquic[6:9] == ["10.21", "10.21", "10.21"]
    assert aioquic[5].startswith("+62.5") and aioquic[9].startswith("+3.0")


def test_handshakes_of_capture_and_log_are_told_apart(data):
    """Two round trips, and half of one more for TCP by the thesis's definition."""
    rows = words(tables.handshake_table(data))
    (tcp,) = [row for row in rows if row[1:2] == ["TCP"]][3:]
    assert tcp[-4] == "1,000" and tcp[-2] == "800"
    ngtcp2 = [row for row in rows if row[1:2] == ["ngtcp2"]][3]
    assert ngtcp2[-4] == ngtcp2[-2] == "800"


def test_packets_and_processors_have_their_tables(data):
    assert "1,202" in [cell for row in words(tables.packet_table(data)) for cell in row]
    assert "200" in [cell for row in words(tables.cpu_table(data)) for cell in row]


def test_what_is_not_printed_has_a_row_for_every_condition(data):
    rows = words(tables.further_table(["not-printed", "small-2"], data))
    plain = [row[0].replace("\xa0", " ") for row in rows[1:]]
    assert plain == ["1 MB, 50 ms, 0 %", "1 MB, 50 ms, 1 %", "10 KB, 10 ms, 0 %", "200 KB, 10 ms, 0 %"]
    assert tables.further_table(["queue-10"], data).data == "<p>Not measured yet.</p>"


def test_scenario_three_is_in_times_of_what_each_takes_alone(data):
    beside = evidence.beside(StudyColumn(data, STUDY), "lsquic")
    assert beside.quic.value == pytest.approx(BESIDE, rel=1e-3) and beside.tcp_handshake.value == pytest.approx(3.5)
    rows = words(tables.parallel_table(data))
    assert len(rows) == 1 + 2 * 3


def test_every_claim_is_judged_by_the_tables(data):
    found = claim_columns(STUDY, data)["Re-measured (reference)"]
    assert all(len(one.parts) == one.newest.of for one in found)
    names = ("claims-hold", "claims-fail", "claims-partly")
    assert sum(int(value_of(name, PAGE, data).text) for name in names) == len(found)


def test_the_aioquic_of_then_is_judged(data):
    assert [one.holds for one in judged_of("halme-aioquic-then", data)] == [True, True, False]
    assert "+50.0" in tables.then_table(data=data).data


def test_loss_down_only_stands_beside_each_ways_and_the_printed(data):
    rows = words(tables.direction_table(data))
    assert [row[0].replace("\xa0", " ") for row in rows if row[0]][1:] == ["3 (50 ms, 2 %)", "5 (200 ms, 5 %)"]
    aioquic = rows[5]
    assert aioquic[1:5] == ["aioquic", "68.61", "10.21", "10.21"] and aioquic[5].startswith("+0.0 %")
    assert len(rows) == 1 + 2 * 4
    assert value_of("down-ratios", PAGE, data).text == "1.00\xa0times"


def test_the_predictions_on_one_direction_are_judged_by_the_tables(data):
    """Here TCP is the quickest, and every connection ends 10 ms after its last byte."""
    assert [one.holds for one in judged_of("halme-one-direction", data)] == [True, True, False, True, True]
    assert value_of("begin-late-5", PAGE, data).text == "0 of 16"
    assert value_of("lsquic-ends-late-5", PAGE, data).text == "0 of 4"


def test_the_picture_says_in_words_what_it_shows(data):
    shown = chart.picture(data)
    assert isinstance(shown, LiveChart)
    assert "table 4 (200 ms one way, no loss): aioquic 10.2 s (printed 17.0)" in shown.alt_text
    assert shown._repr_html_().count("<img") == 1
