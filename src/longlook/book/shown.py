"""What the chapters show, handed to MyST-NB while they are being executed.

Sphinx reads those pages first that need not be executed; before each other one it waits until that has ended. MyST-NB
asks a client for a notebook's outputs: here one that has them. Without an `Execution` (somebody else runs Jupyter Book)
it executes the chapters itself.
"""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import myst_nb.sphinx_
from myst_nb.core.execute import NotebookClientBase, create_client
from nbformat import NotebookNode
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from longlook.book.execute import Execution, fill
from longlook.book.kept import Result
from longlook.book.value import StatedNumber
from longlook.book.value_role import COMPUTED

RUNNING: list[Execution] = []
"""The one whose chapters are shown, if there is one."""
FOLD = "fold"
"""Tag of a cell whose table proves rather than tells."""
_READ: dict[str, Result | None] = {}
"""Of the page that is being read, by its file."""


class Shown(NotebookClientBase):
    """A notebook whose cells were executed elsewhere."""

    def start_client(self) -> None:
        """Puts the outputs into a copy: the notebook that is given is written into a file later, which takes no
        outputs."""
        result = self._kwargs["result"]
        filled = copy.deepcopy(self.notebook)
        fill(filled, result["outputs"] if result else [])
        for cell in filled.cells:
            if FOLD in cell.metadata.get("tags", ()):
                fold(cell)
        self._notebook: NotebookNode = filled
        self.exec_metadata = {
            "mtime": time.time(), "runtime": result and result["cpu_s"], "method": "longlook", "succeeded": True,
            "error": None, "traceback": None,
        }  # fmt: skip


def fold(cell: NotebookNode) -> None:
    """Puts what a cell shows into a section that opens on demand; its caption stays in sight."""
    for output in cell.outputs:
        if table := "".join(output.get("data", {}).get("text/html", "")):
            rows = sum(body.partition("</tbody>")[0].count("<tr") for body in table.split("<tbody>")[1:])
            html = f'<details class="ll-fold"><summary>The table, {rows} rows</summary>{table}</details>'
            output["data"]["text/html"] = html


def _client(notebook: NotebookNode, source: str, config: Any, logger: Any, read_as: Any = None) -> NotebookClientBase:
    if source in _READ:
        return Shown(notebook, Path(source), config, logger, result=_READ.pop(source))
    return create_client(notebook, source, config, logger, read_as)


def read_last(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Has those pages read last that are still being executed."""
    for running in RUNNING:
        places = {page: place for place, page in enumerate(running.pending, start=1)}
        pages.sort(key=lambda page: places.get(page, 0))


def wait_for(app: Sphinx, page: str, source: list[str]) -> None:
    """Waits until a page has been executed; one that failed ends the build."""
    for running in RUNNING:
        _READ[app.env.doc2path(page)] = result = running.result(page)
        numbers = result["numbers"] if result else {}
        COMPUTED.update({(page, name): StatedNumber(**one) for name, one in numbers.items()})


def setup(app: Sphinx) -> None:
    """Called by the book's extension."""
    myst_nb.sphinx_.create_client = _client
    app.connect("env-before-read-docs", read_last)
    app.connect("source-read", wait_for)
