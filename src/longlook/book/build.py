"""Builds the book and checks it: warnings are errors, every page exists, nothing points outside, time and weight are
bounded.

Jupyter Book runs as a process of its own; its whole output is kept in `.longlook/book-build.log`. What the chapters
showed is kept from build to build (`kept`), the pages are not: each is written anew.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from longlook import paths
from longlook.book.chapters import ChapterInfo, chapter_sweeps, chapters, toc_pages
from longlook.book.links import external_references
from longlook.errors import LonglookError
from longlook.host.command import unheeded

__all__ = ["ChapterInfo", "build", "chapter_sweeps", "chapters"]

LOG = "book-build.log"
TIMEOUT_S = 1200
"""A build that takes longer is stuck: the chapters' own time limit is well below."""
MAX_EXECUTION_S = 400.0
"""All chapters that are executed must be so within this much of processor time: twice what all of them took on a busy
machine."""
KEPT = "_build/.executed"
"""The folder for what chapters showed, in the one that is built into."""
NEXT = "_build/.next"
"""The folder of a build that is not whole yet."""
FRESH = "--fresh"
"""Said to `render`: execute every chapter."""
GIVES_BACK = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "262144"}
"""For glibc: memory of so many bytes is the system's again once it is free. By itself it raises the first to 32 MB, and
a process that executes a chapter holds up to 150 MB that it does not use."""
PAGE_BYTES = 3_000_000
"""A page and all that is inside it may weigh this much: it is read on phones too."""
EXECUTION = "execution.json"
"""Written beside the HTML folder: seconds and success of each page with cells; no seconds where it was not executed."""
TAIL_LINES = 20
MARK = "longlook: "
"""Before what `render` prints of a chapter that failed."""
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def build(out: Path | None = None, fresh: bool = False) -> Path:
    """Builds the book of `paths.ROOT` into `out`/_build/html (default: the root itself); returns its index.html.
    One that is there stays as it was until the new one is whole.
    `fresh`: every chapter is executed, also one that was and of which nothing changed since.

    Raises LonglookError when a chapter fails, a warning occurs, a page is missing or weighs more than `PAGE_BYTES`,
    anything refers to a host, or the chapters took longer than `MAX_EXECUTION_S` in all.
    """
    out = Path(out) if out is not None else paths.ROOT
    _require(paths.ROOT / "_config.yml", paths.ROOT / "_toc.yml")
    html = out / "_build" / "html"
    for place in (html, paths.STATE / LOG, *paths.BOOK.rglob("*")):
        paths.refuse_link(place)
    shutil.rmtree(out / NEXT, ignore_errors=True)  # of a build that was killed
    try:
        log, code = _run(out, fresh)
        if code != 0:
            raise LonglookError(explain(log.read_text(encoding="utf-8", errors="replace"), log))
        made = out / NEXT / "_build"
        check(made / "html")
        # Page by page nothing is exchanged: one left from an earlier build would look like one of this build.
        with unheeded():  # between two names there is no book
            if html.exists():
                html.rename(made / "before")
            for part in ("html", EXECUTION):
                (made / part).replace(html.with_name(part))
    finally:
        shutil.rmtree(out / NEXT, ignore_errors=True)
    return html / "index.html"


def _require(*files: Path) -> None:
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        raise LonglookError(
            f"cannot build the book: {', '.join(missing)} not found; run it in a whole clone of the repository"
        )


def _run(out: Path, fresh: bool) -> tuple[Path, int]:
    """Executes and renders in a process of its own; returns the file with its output, and its exit code."""
    paths.STATE.mkdir(parents=True, exist_ok=True)
    log = paths.STATE / LOG
    command = [sys.executable, "-m", "longlook.book.render", str(out), *([FRESH] if fresh else [])]
    environment = {**os.environ, "LONGLOOK_ROOT": str(paths.ROOT), "NO_COLOR": "1"} | GIVES_BACK
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
    told = [line for line in lines if ("WARNING:" in line or "ERROR:" in line or "SEVERE:" in line)]
    chapter = next((place for place, line in enumerate(lines) if line.startswith(MARK)), None)
    if chapter is not None:
        what, shown = lines[chapter].removeprefix(MARK), lines[chapter + 1 :]
    elif told:
        what, shown = f"{len(told)} warnings, and each is an error", told[:TAIL_LINES]
    else:
        what, shown = "Jupyter Book failed", [line for line in lines if line][-TAIL_LINES:]
    return f"the book was not built: {what}. All output is in {log}.\n" + "\n".join(f"  {line}" for line in shown)


def check(html: Path) -> None:
    """Checks a finished build; raises LonglookError with everything that is wrong with it."""
    problems = [
        f"page {page} was not written" for page in expected_pages(paths.ROOT / "_toc.yml") if not (html / page).exists()
    ]
    problems += [f"{page.relative_to(html)} refers to {target}" for page, target in external_references(html)]
    problems += [
        f"{page.relative_to(html)} weighs {weight / 1e6:.1f} MB, more than {PAGE_BYTES / 1e6:.0f} MB"
        for page in sorted(html.rglob("*.html"))
        if (weight := page.stat().st_size) > PAGE_BYTES
    ]
    total, failed = _execution(html.with_name(EXECUTION))
    problems += [f"chapter {name} did not execute to its end" for name in failed]
    if total > MAX_EXECUTION_S:
        problems.append(f"the chapters took {total:.0f} s to execute, more than {MAX_EXECUTION_S:.0f} s")
    if problems:
        raise LonglookError("the built book is not right:\n" + "\n".join(f"  {problem}" for problem in problems[:20]))


def expected_pages(toc: Path) -> list[str]:
    """Paths of the HTML pages that `_toc.yml` asks for."""
    return [f"{name}.html" for name in toc_pages(toc)]


def _execution(record: Path) -> tuple[float, list[str]]:
    """Seconds of execution in all, and the pages that failed."""
    if not record.exists():
        return 0.0, []
    pages = json.loads(record.read_text(encoding="utf-8"))
    return sum(page["runtime_s"] or 0 for page in pages.values()), [
        name for name, page in pages.items() if not page["succeeded"]
    ]
