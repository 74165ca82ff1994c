"""The table of pages with one condition changed: only the columns that it has something for."""

import pytest
from book_sample import REPOSITORY

from longlook.book import causes
from longlook.book import data as book_data


@pytest.fixture(scope="module")
def data():
    return book_data.read(REPOSITORY / "data/published", REPOSITORY / "data/processed")


def test_published_columns_where_the_thesis_has_a_table(data):
    table = causes.varied_table(data, "4.15b", ["4.11b"], "CUBIC", "BBR")
    assert "QUIC, publ." in table and "TCP, publ." in table and "RTT, ms" not in table


def test_no_published_columns_without_one_and_the_rtt_where_it_differs(data):
    table = causes.varied_table(data, "cubic-again", ["4.14a", "4.14c"], "BBR", "CUBIC")
    assert "publ." not in table and "QUIC, BBR" in table and "RTT, ms" in table


def test_nothing_without_a_campaign(data):
    assert causes.varied_table(data, "4.99", ["4.6a"], "usual", "varied") == causes.NOTHING
