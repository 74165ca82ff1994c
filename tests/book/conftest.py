"""One built book for all tests that look at it."""

import pytest
from book_sample import make_root, write_sample

from longlook import paths
from longlook.book.build import build


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
