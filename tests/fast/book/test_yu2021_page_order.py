"""The order in which a page's resources come, by kind and server."""

from __future__ import annotations

import pytest
from book_sample import PUBLISHED
from yu2021_pages_sample import write_pages

from longlook.book import data as book_data
from longlook.book.yu2021 import page_order
from longlook.book.yu2021.names import newest
from longlook.book.yu2021.page_order import KINDS, LARGE, ORDER, SERVED
from longlook.book.yu2021.pages import THREE


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    root = tmp_path_factory.mktemp("order")
    write_pages(root / "processed")
    return book_data.read(PUBLISHED, root / "processed")


def test_every_resource_has_a_kind():
    for page in THREE:
        found = page_order.kinds(page)
        assert len(found) == page.resources and set(found.values()) <= set(KINDS)
    assert page_order.kinds(LARGE)["/index.html"] == "document"
    assert list(page_order.kinds(LARGE).values()).count("above") == 5


def test_the_last_of_each_kind_is_told(data):
    own = newest(data, ORDER)
    for arm in SERVED:
        found = page_order.last_bytes(own, ORDER, LARGE, arm)
        assert set(found) == set(KINDS) and found["document"] < found["style"] < found["font"] < found["script"]
        assert found["below"] == max(found.values())
    assert page_order.last_bytes(own, ORDER, LARGE, "nobody") == {}
