"""The table of squares with one condition changed, and the tables of causes: only the columns that they have something
for."""

import re
from urllib.parse import unquote

import pandas as pd
import pytest

from longlook.book import data as book_data
from longlook.book.chapter import Chapter
from longlook.book.muthuraj2024 import causes
from longlook.book.varied import square_at
from longlook.errors import LonglookError

STUDY = "muthuraj2024"


@pytest.fixture(scope="module")
def paper():
    return Chapter("x", STUDY, ("4.6a", "4.6d"), book_data.load())


def test_published_means_count_where_the_thesis_has_a_table(paper):
    text = paper.varied({"4.15b": ["4.11b"]}, "CUBIC", "BBR").data
    assert "QUIC faster" in text and "BBR / CUBIC, mean" in text and " of 42" in text
    assert 'download="varied-4.15b.csv"' in text and "QUIC, published" in unquote(text)
    assert re.search(r"<td class=num>–</td>", paper.varied({"cubic-again": ["4.14a", "4.14c"]}, "BBR", "CUBIC").data)


def test_each_changed_series_is_a_row_and_what_is_not_measured_none(paper):
    text = paper.varied({"4.9b": ["4.6b"], "4.99": ["4.6a"], "4.9d": ["4.6e"]}, "N = 2", "N = 1").data
    assert text.count("<tr><td>") == 2 and "<td>4.6b</td>" in text and "<td>4.6e</td>" in text


def test_a_square_that_is_there_twice_is_an_error():
    frame = pd.DataFrame({"series": ["a", "a"], "workload": ["5kb-x1"] * 2, "n": [1, 2]})
    with pytest.raises(LonglookError, match="series a: 2 cells at workload = 5kb-x1"):
        square_at(frame, {"workload": "5kb-x1"})
    assert square_at(frame, {"n": 2})["n"] == 2 and square_at(frame, {"n": 3}) is None


def test_limits_of_cpu_come_from_the_conditions(paper):
    client = causes.slow_client(paper).data
    assert [client.index(f"held to {limit} %") for limit in (100, 50, 25)] == sorted(
        client.index(f"held to {limit} %") for limit in (100, 50, 25)
    )
    server = causes.slow_server(paper, ["slow-server-10", "slow-server-20"], ["4.6d", "4.6f"]).data
    assert server.index("<th class=num>20 %") < server.index("<th class=num>10 %")


def test_leads_with_equal_windows_are_those_within_a_cell(paper):
    """143 and 202 ms, or 144 and 202 ms: the loads that took turns are the second pair."""
    text = causes.windows(paper).data
    row = next(line for line in text.split("<tr") if "100\N{NO-BREAK SPACE}KB" in line and "<td>100</td>" in line)
    assert row.split("class=num>")[-4:][0].split("<")[:1] + [
        part.split("<")[0] for part in row.split("class=num>")[-3:]
    ] == ["144", "202", "57", "+39"]


def test_offsets_are_medians_by_kind_of_page(paper):
    text = causes.offsets(paper).data
    assert "one object of at most 100 KB" in text and "100 or 200 objects" in text and "−13.6" in text
