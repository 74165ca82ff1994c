"""Fixtures of tests that look at a built book: a short one, the browser and axe-core."""

import axe
import pytest
from book_browser import find_chromium
from book_sample import make_short

from longlook.errors import LonglookError
from longlook.stack.installed import ChangedError


@pytest.fixture
def short_book(tmp_path, monkeypatch):
    """A root with two short pages instead of the book's own: the index, and one that the test writes."""
    return make_short(tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def chromium():
    found = find_chromium()
    if found is None:
        pytest.skip("no Chromium: install the chromium package, or set LONGLOOK_BROWSER to one")
    return found


@pytest.fixture(scope="session")
def rules():
    """axe-core, or the reason why it cannot be had."""
    try:
        return axe.source()
    except ChangedError:
        raise
    except LonglookError as error:
        pytest.skip(f"no axe-core: {error}")
