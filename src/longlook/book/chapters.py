"""Which chapters can be re-executed, and the sweeps each of them needs: read from the chapters' front matter.

---
longlook:
  name: results-quicv1
  sweeps: [figure-4.6a, figure-4.6b]
---
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from longlook import paths
from longlook.book import reads
from longlook.errors import LonglookError

KNOWN_KEYS = {"name", "sweeps"}


@dataclass(frozen=True)
class ChapterInfo:
    """One chapter that shows measurements: its name, its file and its sweeps in the order of measuring."""

    name: str
    path: Path
    sweeps: tuple[str, ...]


def front_matter(path: Path) -> dict[str, Any]:
    """The YAML between the first two `---` lines of a chapter, or nothing."""
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or lines[0].strip() != "---":
        return {}
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "---"), None)
    if end is None:
        raise LonglookError(f"{path}: its front matter has no closing '---'")
    try:
        found = _values("\n".join(lines[1:end]))
    except yaml.YAMLError as error:
        raise LonglookError(f"{path}: its front matter is not YAML: {error}") from None
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=256)
def _values(text: str) -> Any:
    """Each chapter asks for those of all."""
    return yaml.safe_load(text)


def chapters(book: Path | None = None) -> dict[str, ChapterInfo]:
    """Chapters with a `longlook` block in their front matter, by name; those that all studies share first, then by
    study."""
    reads.fronts()
    with reads.untold():
        return _found(book or paths.BOOK)


def _found(book: Path) -> dict[str, ChapterInfo]:
    found: dict[str, ChapterInfo] = {}
    for path in pages_of(book):
        block = front_matter(path).get("longlook")
        if block is None:
            continue
        info = _parse(path, block)
        if info.name in found:
            raise LonglookError(f"{path} and {found[info.name].path} are both called {info.name!r}; rename one")
        found[info.name] = info
    return found


def pages_of(book: Path) -> list[Path]:
    """The Markdown files of the book: its own, and those in the folder of each study."""
    return [*sorted(book.glob("*.md")), *sorted(book.glob("[!_]*/*.md"))]


def _parse(path: Path, block: Any) -> ChapterInfo:
    if not isinstance(block, dict) or set(block) - KNOWN_KEYS:
        known = ", ".join(sorted(KNOWN_KEYS))
        raise LonglookError(f"{path}: 'longlook' in its front matter may hold {known}; it is {block!r}")
    sweeps = block.get("sweeps") or []
    if not isinstance(sweeps, list) or not all(isinstance(name, str) for name in sweeps):
        raise LonglookError(f"{path}: 'longlook.sweeps' must be a list of sweep names; it is {sweeps!r}")
    return ChapterInfo(str(block.get("name") or path.stem), path, tuple(sweeps))


def toc_pages(toc: Path) -> list[str]:
    """The pages that `_toc.yml` asks for, in their order, without what their names end in."""

    def files(node: Any) -> list[str]:
        if isinstance(node, list):
            return [name for item in node for name in files(item)]
        if isinstance(node, dict):
            own = [str(node[key]) for key in ("root", "file") if key in node]
            return own + [name for value in node.values() if isinstance(value, list) for name in files(value)]
        return []

    return [re.sub(r"\.(md|ipynb|rst)$", "", name) for name in files(yaml.safe_load(toc.read_text(encoding="utf-8")))]


def chapter_sweeps(name: str, book: Path | None = None) -> list[str]:
    """Names of the sweeps that chapter `name` shows; an unknown name is an error that lists the known ones."""
    known = chapters(book)
    if name not in known:
        raise LonglookError(f"no chapter {name!r} with measurements; known: {', '.join(known) or 'none'}")
    return list(known[name].sweeps)


def chapter_study(name: str, book: Path | None = None) -> str:
    """Whose numbers a chapter shows: the study that its folder is called after; those of the book itself show the
    thesis's."""
    from longlook.analysis.newest import STUDY  # with pandas, which to refuse a name takes no

    folder = chapters(book)[name].path.parent
    return STUDY if folder == (book or paths.BOOK) else folder.name


def chapter_series(name: str, book: Path | None = None) -> tuple[str, ...]:
    """The series of the chapter's sweeps, each once, in their order."""
    found: dict[str, None] = {}
    for sweep in chapter_sweeps(name, book):
        found |= dict.fromkeys(_series_of(sweep))
    return tuple(found)


def _series_of(sweep: str) -> list[str]:
    """What a sweep's file measures. Its name is enough: neither stacks nor servers have to be known to show a
    figure."""
    files = sorted(paths.SWEEPS.glob(f"*/{sweep}.toml")) + sorted(paths.SWEEPS.glob(f"{sweep}.toml"))
    if not files:
        raise LonglookError(f"a chapter names the sweep {sweep!r}, which is not in {paths.SWEEPS}")
    with files[0].open("rb") as stream:
        return [block["series"] for block in tomllib.load(stream)["cells"]]
