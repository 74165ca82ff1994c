"""The chapter on settings that the paper's text leaves out: the burst, 200 KB, little loss each way."""

import pytest
from book_sample import PUBLISHED
from table_rows import rows_of
from yu2021_sample import SETTINGS, SWEEPS, write_objects

from longlook.book import data as book_data
from longlook.book.judged import judged_of
from longlook.book.value_role import numbers_of, value_of
from longlook.book.yu2021 import settings
from longlook.book.yu2021.names import (
    LARGE,
    MIDDLE,
    PAIRS,
)
from longlook.figure.live import LiveChart
from longlook.stack.arms import open_sweep

PAGE = "book/yu2021/settings"
BURST_BYTES = 12_800_000


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_objects(processed, (*SWEEPS, *SETTINGS))
    return book_data.read(PUBLISHED, processed)


def test_the_bytes_alone_take_what_the_predictions_say():
    assert settings.floor_s(LARGE) == pytest.approx(4.19, abs=0.005)
    assert settings.floor_s(MIDDLE) == pytest.approx(0.84, abs=0.005)
    of_half = {one.at_most or one.at_least for name in ("yu-burst", "yu-burst-5mb") for one in of_seconds(name)}
    assert of_half == {settings.floor_s(LARGE) / 2, settings.floor_s(MIDDLE) / 2}
    assert BURST_BYTES > 2 * LARGE


def of_seconds(name):
    return [one for one in open_sweep(name).predictions if one.unit == "s"]


def test_the_heatmap_has_the_squares_without_and_with_a_burst(data):
    shown = settings.burst(data)
    assert isinstance(shown, LiveChart) and shown.narrow is not None
    rows = shown.downloads[0].csv.splitlines()
    assert len(rows) == 1 + 15 * 2 * len(PAIRS)
    assert sum(settings.NOT_ASKED in row for row in rows) == 4 * len(PAIRS)
    assert shown.alt_text.count(" of 15 squares") == shown.alt_text.count(" of 11 squares") == len(PAIRS)
    assert "With the burst, CUBIC against BBR: quicker in 10, slower in 1 of 11 squares" in shown.alt_text


def test_tables_of_the_sample(data):
    times = rows_of(settings.times(data))
    assert len(times) == 11 and [len(row) for row in times] == [10] * 11
    assert times[6][:4] == ["5 MB, 15 ms", "4,194.3", "4,434.3", "4,434.3"]
    assert times[6][6:] == ["140.4", "140.4", "155.4", "155.4"]
    sizes = rows_of(settings.objects(data))
    assert len(sizes) == 9 and sizes[0][0] == "BBR against BBR, 15 ms"
    assert [text.split(" ")[0] for text in sizes[0][1:]] == ["−11.4", "−1.6", "−6.9"]
    ways = rows_of(settings.little(data))
    assert len(ways) == 6 and all(row[1] == row[2] for row in ways)
    assert {sweep: [one.holds for one in judged_of(sweep, data)] for sweep in SETTINGS} == {
        "yu-burst": [True] * 4, "yu-burst-5mb": [True] * 4, "yu-200kb": [True] * 4, "yu-each-way-little": [True] * 2,
    }  # fmt: skip


def test_numbers_of_the_text(data):
    own = list(numbers_of(PAGE))
    texts = {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in own}
    assert texts["burst-5mb"] == "0.1 to 0.5 s" and texts["plain-5mb"] == "4.4 to 4.7 s"
    assert texts["burst-changed"].endswith(" of 33") and texts["little-points"] == "0.0"
    assert texts["plain-mixed"] == "+19 %" and texts["small-quiet"] == "−11 %" and texts["double-quiet"] == "−6.9 %"
    assert all("data/" in value_of(name, PAGE, data).origin for name in own)
