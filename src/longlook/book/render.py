"""The process that builds the book: has the chapters executed that need it, and meanwhile runs Jupyter Book in the same
Python, which waits for a page's outputs and numbers before it reads the page. `python -m longlook.book.render OUT`
builds `paths.ROOT` into OUT/_build/.next, with `--fresh` every chapter is executed.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

from longlook import paths
from longlook.book import code, reads
from longlook.book.build import FRESH, KEPT, MARK, NEXT
from longlook.book.chapters import toc_pages
from longlook.errors import LonglookError

SEARCH_AFTER = 100_000
"""New objects until garbage is searched for: most of a book's millions live to its end."""
FAILED = 3
"""Status where a chapter failed; which, and how, is the end of what was printed."""


def main(out: Path, fresh: bool = False) -> int:
    """Builds, `fresh` without what is kept of earlier builds; returns the status of the process."""
    today = code.digest()
    gc.set_threshold(SEARCH_AFTER)
    with reads.recorded():  # what modules read when they are imported is part of every chapter
        from longlook.book.execute import Execution, table
        from longlook.book.kept import Kept
        from longlook.book.shown import RUNNING

    pages = [paths.ROOT / f"{name}.md" for name in toc_pages(paths.ROOT / "_toc.yml")]
    if fresh:
        shutil.rmtree(out / KEPT, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="longlook-book-") as folder:
        try:
            there = [page for page in pages if page.is_file()]
            running = Execution(there, Path(folder), Kept(out / KEPT, table, today))
            RUNNING.append(running)
            status = _render(out / NEXT)
            running.finish()
        except LonglookError as error:
            print(f"{MARK}{error}", flush=True)
            return FAILED
        return status


def _render(out: Path) -> int:
    from jupyter_book.cli.main import main as jupyter_book

    # `--all`: pages depend on data, which Sphinx does not see; a page left from the last build would be stale.
    arguments = ["build", str(paths.ROOT), "--path-output", str(out), "--all", "-W", "--keep-going"]
    try:
        jupyter_book(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except RuntimeError:  # how it says that Sphinx ended with an error; a chapter's own comes behind
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    status = main(Path(sys.argv[1]), FRESH in sys.argv[2:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # what is left is millions of objects: to free them one by one takes most of a second
