"""One built book for all tests that look at it."""

import shutil

import pytest
from book_sample import REPOSITORY, write_sample

from longlook import paths
from longlook.book.build import build


def make_root(root):
    """A copy of what the book is made of, without any data of this machine's own."""
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy(REPOSITORY / name, root)
    shutil.copytree(REPOSITORY / "book", root / "book")
    shutil.copytree(REPOSITORY / "data" / "published", root / "data" / "published")
    return root


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
