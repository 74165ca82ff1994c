"""Executes the chapters of the book: all of them, or those of which nothing is kept that is right today (`kept`), so
that a page can never be older than its data.

Each chapter runs in a process of its own, forked from one that has read the tables and libraries already: nothing that
one chapter does is seen by another, and none waits for what all of them need. Meanwhile Sphinx reads the pages that
need not be executed, and then waits for the others one by one (`shown`).
"""

from __future__ import annotations

import contextlib
import gc
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from myst_nb.core.read import is_myst_markdown_notebook, read_myst_markdown_notebook

from longlook import paths
from longlook.analysis.ceiling import ceilings
from longlook.book import chapters, reads, value_role
from longlook.book import data as book_data
from longlook.book.kept import Kept, KeptPage, Result
from longlook.book.value_role import USED
from longlook.dataset.tables import BY_SERIES, TABLES
from longlook.errors import LonglookError
from longlook.published.registry import published_cells

AT_ONCE = 2
CHAPTER_TIMEOUT_S = 600
"""By the clock on the wall, to end one that waits for ever: what takes 15 s by itself took more than 120 at idle
priority beside three busy workers on a slow machine."""
TAIL_LINES = 20
"""Of what a cell that failed printed."""
READ_ONCE = tuple(name for name in TABLES if name not in BY_SERIES)
"""Processed tables that are read once for all chapters."""
CELL = "{code-cell}"
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True)
class Failed:
    """A cell that raised: its source and the end of what it printed, traceback included."""

    source: str
    said: str


@dataclass(frozen=True)
class _Running:
    """What executes the chapters, and where it tells of each that has ended."""

    process: BaseProcess
    told: Connection


class Execution:
    """Those of some pages (source files) that have cells or numbers in their sentences: they are executed, from when
    this object is made, while this process goes on.

    `scratch`: a folder for what passes between processes. What is `kept` and right is not executed, and has no time;
    what is executed and succeeds is kept.
    """

    def __init__(self, pages: Sequence[Path], scratch: Path, kept: Kept | None = None) -> None:
        self._chapters = {_name(page): page for page in pages if has_cells(page) or _used(page)}
        self._scratch = scratch
        earlier = _found(list(self._chapters.values()), kept) if kept else {}
        self._right = {page: one for page, one in earlier.items() if not one.changed}
        left = [page for page in self._chapters.values() if page not in self._right]
        self._left = sorted(left, key=lambda page: _likely_s(page, earlier.get(page)))
        self._untold = {_name(page) for page in left}
        self._running: _Running | None = None
        if left:
            tables = _tables_of([earlier.get(page) for page in left])
            read = partial(_read_once, tables, len(left) == len(self._chapters))
            self._running = _begin(self._left, scratch, kept, read)
        elif kept:
            kept.close()

    @property
    def pending(self) -> list[str]:
        """The pages (`book/index`) that have not ended yet, those first that are likely to end first."""
        return [_name(page) for page in self._left]

    def result(self, name: str) -> Result | None:
        """What a page shows, as soon as it has ended; None of one that has neither cells nor numbers. What is wrong
        with a number that is missing is told where it stands. A `LonglookError` where the page failed, with its
        cell."""
        page = self._chapters.get(name)
        if page is None:
            return None
        if page in self._right:
            return self._right[page].result() | {"cpu_s": None}
        while self._running is not None and page in self._left:
            self._hear(self._running)
        found = _result(page, self._scratch)
        self._untold.discard(name)
        return found

    def finish(self) -> None:
        """Returns when all have ended, and what is to be kept is. A `LonglookError` names the first page, in their
        order, that failed, with its cell."""
        while self._running is not None:
            self._hear(self._running)
        for name in self._chapters:
            if name in self._untold:
                self.result(name)

    def _hear(self, running: _Running) -> None:
        """Of the next that has ended; or that there is none any more, or nobody who would tell."""
        try:
            told = running.told.recv()
        except EOFError:
            running.process.join()
            self._running = None
            if running.process.exitcode and not self._left:
                raise LonglookError(
                    f"what executes the chapters ended with status {running.process.exitcode}"
                ) from None
            return
        if isinstance(told, LonglookError):
            raise told
        self._left.remove(told)


def table(name: str, where: Mapping[str, str]) -> pd.DataFrame:
    """A processed table as the chapters have it, at least the rows with these values; what is read for it besides, each
    chapter is made of."""
    with reads.recorded():
        if name in BY_SERIES and set(where) == {"study", "series"}:
            return book_data.load().at(name, where["study"], [where["series"]])
        return book_data.load().table(name)


def _found(pages: Sequence[Path], kept: Kept) -> dict[Path, KeptPage]:
    """What is kept of these pages; says which are executed, and why."""
    results = {page: kept.find(page) for page in pages}
    for page, one in results.items():
        if one.changed:
            print(f"{_name(page)} is executed: {one.changed}", flush=True)
    print(f"{sum(not one.changed for one in results.values())} of {len(pages)} chapters are what they were", flush=True)
    return results


def _tables_of(found: Sequence[KeptPage | None]) -> Sequence[str]:
    """Those that chapters asked for when they were executed last; of one that never was, what most ask for."""
    known = [one.tables for one in found if one is not None and one.sealed]
    asked = set(READ_ONCE) if len(known) < len(found) else {name for tables in known for name in tables}
    return [name for name in READ_ONCE if name in asked]


def _keep(page: Path, scratch: Path, kept: Kept | None) -> None:
    """Keeps what a page's process told, unless something failed or went to where nothing should go."""
    file = scratch / _result_name(page)
    if kept is None or not file.is_file():
        return
    told = json.loads(file.read_text(encoding="utf-8"))
    if not told["whole"]:
        return
    result = {name: told[name] for name in ("outputs", "numbers", "cpu_s")}
    if why := kept.keep(page, result, reads.Reads.of_json(told["reads"])):
        print(f"{_name(page)} is not kept: {why}", flush=True)


def _result(page: Path, scratch: Path) -> Result:
    """What a page's process told; a `LonglookError` where it failed."""
    file = scratch / _result_name(page)
    if not file.is_file():
        raise LonglookError(f"chapter {page.name} failed: its process ended without a result")
    told = json.loads(file.read_text(encoding="utf-8"))
    if "failed" in told:
        raise LonglookError(_told(page, Failed(**told["failed"])))
    return told


def has_cells(page: Path) -> bool:
    """Whether a page is a notebook that has any, as far as a quick look tells."""
    text = page.read_text(encoding="utf-8")
    return CELL in text and is_myst_markdown_notebook(text)


def notebook_of(page: Path) -> nbformat.NotebookNode | None:
    """A page's text as a notebook; None where it is none."""
    text = page.read_text(encoding="utf-8")
    if not is_myst_markdown_notebook(text):
        return None
    notebook = read_myst_markdown_notebook(text)
    return notebook if _code_cells(notebook) else None


def _code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _read_once(tables: Sequence[str], with_ceilings: bool) -> None:
    """What every chapter would import and read; no thread and no JavaScript may run before the last fork."""
    import altair.utils.schemapi
    import IPython.core.interactiveshell  # noqa: F401

    altair.utils.schemapi.disable_debug_mode()  # tests validate charts; here it is a third of all the time
    with reads.recorded():
        import longlook.book.chapter
        import longlook.book.value_role  # noqa: F401
    with reads.untold():
        chapters.chapters()
    for name in tables:
        with contextlib.suppress(LonglookError):  # the chapter that asks for the table says so
            if {"study", "series"} <= set(table(name, {})):
                book_data.load().at(name, "", [""])
    if with_ceilings:
        ceilings(published_cells(paths.PUBLISHED))  # drawn once for the five pages that ask for any


def _likely_s(page: Path, found: KeptPage | None) -> float:
    """How long a page is likely to take: as long as last time, or a second for each cell."""
    if found is not None and found.cpu_s is not None:
        return found.cpu_s
    return float(page.read_text(encoding="utf-8").count(CELL))


def _begin(pages: Sequence[Path], scratch: Path, kept: Kept | None, read: Callable[[], None]) -> _Running:
    """Executes them from a process of its own, which tells of each page that has ended. It reads the tables: this one
    needs none of them."""
    gc.freeze()  # what is there stays: nobody need look for garbage in it, and copy it for that
    told, tells = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=_run_all, args=(pages, scratch, kept, read, told, tells))
    process.start()
    tells.close()
    return _Running(process, told)


def _run_all(
    pages: Sequence[Path],
    scratch: Path,
    kept: Kept | None,
    read: Callable[[], None],
    told: Connection,
    tells: Connection,
) -> None:
    """Runs the pages in processes of their own, `AT_ONCE` of them, the last ones first: those that take longest, since
    the last one to end has nobody beside it. To tell fails where nobody listens any more."""
    told.close()
    left = list(pages)
    running: dict[BaseProcess, Path] = {}
    try:
        read()
        gc.freeze()
        while left or running:
            while left and len(running) < AT_ONCE:
                page = left.pop()
                process: BaseProcess = _FORK.Process(target=_child, args=(page, scratch / _result_name(page)))
                process.start()
                running[process] = page
            wait([one.sentinel for one in running])
            for over in [one for one in running if not one.is_alive()]:
                over.join()
                tells.send(page := running.pop(over))
                _keep(page, scratch, kept)
        if kept:
            kept.close()
    except LonglookError as error:  # of tables that cannot be read, or changed meanwhile
        tells.send(error)
    finally:
        for left_over in running:
            left_over.kill()


def _result_name(page: Path) -> str:
    return page.as_posix().replace("/", "-") + ".json"


def _child(page: Path, result: Path) -> None:
    """In a process of its own: the outputs of a page's cells, or how it failed, as JSON in a file."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(CHAPTER_TIMEOUT_S)
    os.chdir(page.parent)
    with reads.recorded() as seen:
        notebook = notebook_of(page)
        found = [] if notebook is None else _outputs([cell.source for cell in _code_cells(notebook)])
        content: dict[str, Any] = (
            {"failed": vars(found)} if isinstance(found, Failed) else {"outputs": found, "numbers": _numbers(page)}
        )
    content |= {"cpu_s": time.process_time(), "reads": seen.to_json(), "whole": _is_whole(page, content)}
    half = result.with_suffix(".half")
    half.write_text(json.dumps(content), encoding="utf-8")
    half.rename(result)


def _name(page: Path) -> str:
    return page.relative_to(paths.ROOT).with_suffix("").as_posix()


def _used(page: Path) -> set[str]:
    """Names of the numbers in a page's sentences."""
    return set(USED.findall(page.read_text(encoding="utf-8")))


def _numbers(page: Path) -> dict[str, dict[str, str]]:
    """Those of a page's sentences that can be computed."""
    found = {}
    for name in sorted(_used(page)):
        with contextlib.suppress(Exception):  # it is asked for again where it stands, and the build fails there
            found[name] = vars(value_role.value_of(name, _name(page), book_data.load()))
    return found


def _is_whole(page: Path, content: Mapping[str, Any]) -> bool:
    """Whether nothing failed: neither a cell nor a number, and nothing went to stderr, which fails the build too."""
    if "failed" in content or any(one.get("name") == "stderr" for shown in content["outputs"] for one in shown):
        return False
    return set(content["numbers"]) == _used(page)


def _too_long(number: int, frame: object) -> None:
    raise TimeoutError(f"the chapter took more than {CHAPTER_TIMEOUT_S} s")


def _outputs(sources: Sequence[str]) -> list[list[dict[str, Any]]] | Failed:
    """What each cell shows, as nbformat has it; how the first failed, if one did."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from traitlets.config import Config

    shown: list[dict[str, Any]] = []

    class KeptValue(DisplayHook):
        """Keeps a cell's value, which IPython would print."""

        def write_output_prompt(self) -> None:
            """None."""

        def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
            shown.append(nbformat.v4.new_output("display_data", data=format_dict, metadata=md_dict or {}))

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    shell = InteractiveShell.instance(config=config, displayhook_class=KeptValue)
    found = []
    for source in sources:
        shown.clear()
        with capture_output() as captured:
            ran = shell.run_cell(source)
        if not ran.success:
            return Failed(source, captured.stdout + captured.stderr)
        streams = {"stdout": captured.stdout, "stderr": captured.stderr}
        printed = [nbformat.v4.new_output("stream", name=name, text=text) for name, text in streams.items() if text]
        displayed = [nbformat.v4.new_output("display_data", data=one.data) for one in captured.outputs]
        found.append([*printed, *displayed, *shown])
    return found


def fill(notebook: nbformat.NotebookNode, outputs: Sequence[Sequence[dict[str, Any]]]) -> None:
    """Puts the outputs of its cells into a notebook, as if it had been executed."""
    for number, (cell, shown) in enumerate(zip(_code_cells(notebook), outputs, strict=True), start=1):
        cell.outputs = [nbformat.from_dict(one) for one in shown]
        cell.execution_count = number


def _told(page: Path, failed: Failed) -> str:
    lines = [
        f"chapter {page.name} failed",
        "in the cell:",
        *(f"    {line}" for line in failed.source.splitlines()),
        "it says:",
        *(f"    {line}" for line in [line for line in failed.said.splitlines() if line.strip()][-TAIL_LINES:]),
    ]
    return "\n".join(lines)
