"""The table of squares with one condition changed: only the rows that it has something for."""

import pandas as pd
import pytest

from longlook.book import data as book_data
from longlook.book.chapter import Chapter
from longlook.book.varied import square_at
from longlook.errors import LonglookError

STUDY = "muthuraj2024"


@pytest.fixture(scope="module")
def paper():
    return Chapter("x", STUDY, ("4.6a", "4.6d"), book_data.load())


def test_each_changed_series_is_a_row_and_what_is_not_measured_none(paper):
    text = paper.varied({"4.9b": ["4.6b"], "4.99": ["4.6a"], "4.9d": ["4.6e"]}, "N = 2", "N = 1").data
    assert text.count("<tr><td>") == 2 and "<td>4.6b</td>" in text and "<td>4.6e</td>" in text


def test_a_square_that_is_there_twice_is_an_error():
    frame = pd.DataFrame({"series": ["a", "a"], "workload": ["5kb-x1"] * 2, "n": [1, 2]})
    with pytest.raises(LonglookError, match="series a: 2 cells at workload = 5kb-x1"):
        square_at(frame, {"workload": "5kb-x1"})
    assert square_at(frame, {"n": 2})["n"] == 2 and square_at(frame, {"n": 3}) is None
