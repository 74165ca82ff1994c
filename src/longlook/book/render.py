"""The process that builds the book: executes the chapters, then runs Jupyter Book in the same Python, which has the
numbers of their sentences by then. `python -m longlook.book.render OUT` builds `paths.ROOT` into OUT/_build.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from longlook import paths
from longlook.book.build import MARK
from longlook.book.chapters import toc_pages
from longlook.book.execute import execute
from longlook.book.sphinx_ext import EXECUTED
from longlook.book.value_role import COMPUTED
from longlook.errors import LonglookError

FAILED = 3
"""Status where a chapter failed; which, and how, is the end of what was printed."""


def main(out: Path) -> int:
    """Builds; returns the status of the process."""
    pages = [paths.ROOT / f"{name}.md" for name in toc_pages(paths.ROOT / "_toc.yml")]
    with tempfile.TemporaryDirectory(prefix="longlook-book-") as folder:
        cache, scratch = Path(folder, "cache"), Path(folder, "scratch")
        scratch.mkdir()
        try:
            COMPUTED.update(execute([page for page in pages if page.is_file()], cache, scratch))
        except LonglookError as error:
            print(f"{MARK}{error}", flush=True)
            return FAILED
        os.environ[EXECUTED] = str(cache)
        return _render(out)


def _render(out: Path) -> int:
    from jupyter_book.cli.main import main as jupyter_book

    # `--all`: pages depend on data, which Sphinx does not see; a page left from the last build would be stale.
    arguments = ["build", str(paths.ROOT), "--path-output", str(out), "--all", "-W", "--keep-going"]
    try:
        jupyter_book(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
