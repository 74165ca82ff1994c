"""What the paper says twice: the chapter's numbers, from small results with known times."""

import pytest
from book_sample import PUBLISHED
from shreedhar_sample import write_shreedhar

from longlook.book import data as book_data
from longlook.book.value import NOT_YET
from longlook.book.value_role import numbers_of, value_of

PAGE = "book/shreedhar2022/contradictions"


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    processed = tmp_path_factory.mktemp("processed")
    write_shreedhar(processed)
    data = book_data.read(PUBLISHED, processed)
    return {name: value_of(name, PAGE, data).text.replace("\N{NO-BREAK SPACE}", " ") for name in numbers_of(PAGE)}


def test_one_difference_has_two_names(texts):
    share, over = (float(texts[name].removesuffix(" %")) / 100 for name in ("share-india", "over-india"))
    assert 0.5 < share < 0.7 and over == pytest.approx(share / (1 - share), abs=0.06)  # both are whole per cent


def test_flows_at_once_and_files_alone(texts):
    assert texts["flows-ratio"] == "2.00 times" and texts["part-100"] == "0.98 times"


def test_what_is_not_measured_is_said(texts):
    assert texts["lead-theirs"] == texts["startup-quic-10"] == texts["part-2gb"] == NOT_YET
