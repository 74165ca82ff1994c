"""Builds the book and checks it: warnings are errors, every page exists, nothing points outside, time is bounded.

Jupyter Book runs as a process of its own; its whole output is kept in `.longlook/book-build.log`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from longlook import paths
from longlook.book.chapters import ChapterInfo, chapter_sweeps, chapters
from longlook.book.links import external_references
from longlook.book.thumbnail import make_thumbnail
from longlook.errors import LonglookError

__all__ = ["ChapterInfo", "build", "chapter_sweeps", "chapters", "make_thumbnail"]

TIMEOUT_S = 900
"""A build that takes longer is stuck: the chapters' own time limit is well below."""
MAX_EXECUTION_S = 480.0
"""All chapters together must execute within this, on a busy machine too: beside another build they took 288 s."""
TAIL_LINES = 20
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_CHAPTER = re.compile(r"ExecutionError: (\S+\.(?:md|ipynb))$")
_CELL = "CellExecutionError: An error occurred while executing the following cell:"


def build(out: Path | None = None) -> Path:
    """Builds the book of `paths.ROOT` into `out`/_build/html (default: the root itself); returns its index.html.

    Raises LonglookError when a chapter fails, a warning occurs, a page is missing, anything refers to a host,
    or the chapters took longer than `MAX_EXECUTION_S` in all.
    """
    out = Path(out) if out is not None else paths.ROOT
    _require(paths.ROOT / "_config.yml", paths.ROOT / "_toc.yml")
    html = out / "_build" / "html"
    # A page left from an earlier build would look like one of this build.
    shutil.rmtree(html, ignore_errors=True)
    log, code = _run(out)
    if code != 0:
        raise LonglookError(explain(log.read_text(encoding="utf-8", errors="replace"), log))
    check(html)
    return html / "index.html"


def _require(*files: Path) -> None:
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        raise LonglookError(
            f"cannot build the book: {', '.join(missing)} not found; run it in a whole clone of the repository"
        )


def _run(out: Path) -> tuple[Path, int]:
    """Runs Jupyter Book; returns the file with its output, and its exit code."""
    paths.STATE.mkdir(parents=True, exist_ok=True)
    log = paths.STATE / "book-build.log"
    # `--all`: pages depend on data, which Sphinx does not see; a page left from the last build would be stale.
    command = [
        sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", str(paths.ROOT),
        "--path-output", str(out), "--all", "-W", "--keep-going",
    ]  # fmt: skip
    environment = {**os.environ, "LONGLOOK_ROOT": str(paths.ROOT), "NO_COLOR": "1"}
    with log.open("wb") as stream:
        try:
            done = subprocess.run(
                command, cwd=paths.ROOT, env=environment, stdout=stream, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise LonglookError(
                f"building the book took more than {TIMEOUT_S} s and was ended; its output is in {log}"
            ) from None
    return log, done.returncode


def explain(output: str, log: Path) -> str:
    """What went wrong in a failed build: the failing chapter with its cell and the last lines of its traceback,
    or the warnings that Sphinx gave, or else the last lines of all."""
    lines = [_ANSI.sub("", line).rstrip() for line in output.splitlines()]
    failed = sorted({match.group(1) for line in lines if (match := _CHAPTER.search(line))})
    told = [line for line in lines if ("WARNING:" in line or "ERROR:" in line or "SEVERE:" in line)]
    if failed:
        what, shown = f"chapter {', '.join(failed)} failed", _cell_and_traceback(lines)
    elif told:
        what, shown = f"{len(told)} warnings, and each is an error", told[:TAIL_LINES]
    else:
        what, shown = "Jupyter Book failed", [line for line in lines if line][-TAIL_LINES:]
    return f"the book was not built: {what}. All output is in {log}.\n" + "\n".join(f"  {line}" for line in shown)


def _cell_and_traceback(lines: list[str]) -> list[str]:
    """The cell that failed, and the last lines of its own traceback (not of the programs that ran it)."""
    begin = next((number for number, line in enumerate(lines) if line.endswith(_CELL)), None)
    if begin is None:
        return [line for line in lines if line][-TAIL_LINES:]
    end = next((n for n in range(begin, len(lines)) if lines[n].startswith("The above exception was")), len(lines))
    body = [line for line in lines[begin + 1 : end] if line]
    rules = [number for number, line in enumerate(body) if line.startswith("-----")]
    cell = body[rules[0] + 1 : rules[1]] if len(rules) >= 2 else []
    return [
        "in the cell:",
        *(f"    {line}" for line in cell),
        "it says:",
        *(f"    {line}" for line in body[-TAIL_LINES:]),
    ]


def check(html: Path) -> None:
    """Checks a finished build; raises LonglookError with everything that is wrong with it."""
    problems = [
        f"page {page} was not written" for page in expected_pages(paths.ROOT / "_toc.yml") if not (html / page).exists()
    ]
    problems += [f"{page.relative_to(html)} refers to {target}" for page, target in external_references(html)]
    total, failed = _execution(html.with_name("execution.json"))
    problems += [f"chapter {name} did not execute to its end" for name in failed]
    if total > MAX_EXECUTION_S:
        problems.append(f"the chapters took {total:.0f} s to execute, more than {MAX_EXECUTION_S:.0f} s")
    if problems:
        raise LonglookError("the built book is not right:\n" + "\n".join(f"  {problem}" for problem in problems[:20]))


def expected_pages(toc: Path) -> list[str]:
    """Paths of the HTML pages that `_toc.yml` asks for."""

    def files(node) -> list[str]:
        if isinstance(node, list):
            return [name for item in node for name in files(item)]
        if isinstance(node, dict):
            own = [str(node[key]) for key in ("root", "file") if key in node]
            return own + [name for value in node.values() if isinstance(value, list) for name in files(value)]
        return []

    return [
        re.sub(r"\.(md|ipynb|rst)$", "", name) + ".html"
        for name in files(yaml.safe_load(toc.read_text(encoding="utf-8")))
    ]


def _execution(record: Path) -> tuple[float, list[str]]:
    """Seconds of execution in all, and the pages that failed."""
    if not record.exists():
        return 0.0, []
    pages = json.loads(record.read_text(encoding="utf-8"))
    return sum(page["runtime_s"] or 0 for page in pages.values()), [
        name for name, page in pages.items() if not page["succeeded"]
    ]


def execution_time_s(index: Path) -> float:
    """Seconds that the chapters of a built book took to execute, from its index page."""
    return _execution(index.parent.with_name("execution.json"))[0]
