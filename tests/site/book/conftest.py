"""One built book for all tests that look at it, whichever worker they are of."""

import fcntl
import os
import shutil

import pytest
from book_sample import make_root, write_sample

from longlook import paths
from longlook.book.build import build


@pytest.fixture(scope="session")
def built_book(shared_folder):
    """Folder of the HTML pages of this book, built from sample data."""
    return _built(shared_folder / "book", write_sample)


@pytest.fixture(scope="session")
def empty_book(shared_folder):
    """The same from a copy in which nothing was measured."""
    return _built(shared_folder / "empty", lambda root: None)


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """One for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def _built(root, fill):
    """By the worker that comes first; the others wait, and build it anew where that failed."""
    pages = root / "_build" / "html"
    with root.with_suffix(".lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not pages.exists():
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir()
            fill(make_root(root))
            patch.setattr(paths, "ROOT", root)
            patch.setattr(paths, "STATE", root / ".longlook")
            assert build(root).parent == pages
    return pages
