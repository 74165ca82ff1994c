"""One built book for all tests that look at it, and what they look with."""

import axe
import pytest
from book_browser import find_chromium
from book_sample import make_root, make_short, write_sample

from longlook import paths
from longlook.book.build import build
from longlook.errors import LonglookError
from longlook.stack.installed import ChangedError


@pytest.fixture(scope="session")
def built_book(tmp_path_factory):
    """Folder of the HTML pages of this book, built from sample data."""
    root = make_root(tmp_path_factory.mktemp("book"))
    write_sample(root)
    return _built(root)


@pytest.fixture(scope="session")
def empty_book(tmp_path_factory):
    """The same from a copy in which nothing was measured."""
    return _built(make_root(tmp_path_factory.mktemp("empty")))


def _built(root):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "ROOT", root)
        patch.setattr(paths, "STATE", root / ".longlook")
        return build(root).parent


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
