"""The order in which a page's resources come: by kind, by server, and what was predicted of it."""

from __future__ import annotations

import re
from urllib.parse import unquote

import pytest
from book_sample import PUBLISHED
from yu2021_pages_sample import write_pages

from longlook.book import data as book_data
from longlook.book.registry import predicted
from longlook.book.yu2021 import page_order
from longlook.book.yu2021.names import newest
from longlook.book.yu2021.page_order import BUFFER, BUFFERED, KINDS, LARGE, LARGER, ORDER, SERVED
from longlook.book.yu2021.pages import THREE
from longlook.stack.arms import open_sweep
from longlook.stack.spec import load_stack


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    root = tmp_path_factory.mktemp("order")
    write_pages(root / "processed")
    return book_data.read(PUBLISHED, root / "processed")


def test_the_sweep_has_the_three_pages_from_three_servers():
    cells = open_sweep(ORDER).cells()
    assert [(one.workload.size_bytes, one.workload.resources) for one in cells] == [
        (one.size_bytes, one.resources) for one in THREE
    ]
    for cell in cells:
        assert tuple(arm.name for arm in cell.arms) == tuple(SERVED)
        assert [arm.server for arm in cell.arms] == ["envoy", "apache", "nginx"]
        assert {arm.cca for arm in cell.arms} == {"bbr"}


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


def test_small_buffers_are_what_the_sweep_asks_for():
    cells = open_sweep(BUFFER).cells()
    assert [one.workload.size_bytes for one in cells] == [one.size_bytes for one in LARGER]
    for cell in cells:
        assert tuple(arm.name for arm in cell.arms) == tuple(BUFFERED)
        for arm in cell.arms:
            (template,) = (
                path.read_text()
                for name, path in load_stack(arm.stack).templates.items()
                if name.startswith(arm.server)
            )
            small = "SendBufferSize 65536" in template or "sndbuf=64k" in template
            assert small == arm.name.endswith("-64kb"), arm


def test_tables(data):
    assert page_order.delivered(data).data.count("<tr") == 1 + 3 * len(KINDS)
    assert page_order.delivered(data, BUFFER).data.count("<tr") == 1 + 2 * len(KINDS)
    assert page_order.times_with_buffers(data).data.count("<tr") == 1 + 4 * len(LARGER)
    assert page_order.times(data).data.count("<tr") == 1 + 4 * len(THREE)
    assert re.search(r"nginx lower than Apache.*?holds", unquote(predicted(ORDER, BUFFER, data=data).data), re.DOTALL)
