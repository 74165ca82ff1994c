"""What the book answers: verdicts of predictions, claims, numbers of its sentences, and every table of its pages.

    python tests/fast/gate/answers.py

writes down today's in `frozen/answers/`. What is meant to change afterwards is listed in `changed.toml`, with the
reason: the frozen answers stay, as those that all later ones are held against.
"""

from __future__ import annotations

import csv
import hashlib
import io
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from longlook import paths
from longlook.book.claimed import CLAIMS
from longlook.book.execute import Execution, notebook_of
from longlook.book.registry import PAGE, PREDICTIONS
from longlook.book.value import NOT_YET
from longlook.book.value_role import USED
from longlook.record.campaigns import read_campaigns
from longlook.stack import known_stacks, load_stack
from longlook.stack.arms import every_sweep

FROZEN = Path(__file__).parent / "frozen" / "answers"
HEADS = {
    "verdicts": ("item", "said", "found", "verdict"),
    "claims": ("item", "text"),
    "numbers": ("item", "text"),
    "tables": ("item", "head", "rows"),
    "stacks": ("item", "digest"),
    "sweeps": ("item", "cells", "digest"),
    "campaigns": ("item", "cells", "digest"),
}
OF_PAGES = ("verdicts", "claims", "numbers", "tables")
KEPT = ("data/", "book/shreedhar2022/", "book/years/", "book/yu2021/", "src/longlook/plan/workload.py")
"""Where what is measured is: campaigns and their tables, and what browsers and servers were asked."""
Answers = dict[str, tuple[str, ...]]
"""Item -> what is answered."""


class _Tables(HTMLParser):
    """The texts of every table in a page's HTML, row by row."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[list[list[str]]] = []
        self.files: list[list[list[str]]] = []
        self._cell: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list) -> None:
        own = dict(attrs)
        if tag == "a" and own.get("download", "").startswith(
            (PREDICTIONS, CLAIMS)
        ):  # the table beside it has a part of them
            text = unquote(own["href"].partition(",")[2])
            self.files.append(list(csv.reader(io.StringIO(text))))
        if tag == "table":
            self.found.append([])
        elif tag == "tr" and self.found:
            self.found[-1].append([])
        elif tag in ("td", "th") and self.found:
            self._cell = []
        elif tag == "br" and self._cell is not None:
            self._cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.found[-1][-1].append("".join(self._cell))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


def pages() -> list[Path]:
    """Those that have cells, or numbers in their sentences."""
    own = sorted(paths.BOOK.rglob("*.md"))
    return [page for page in own if notebook_of(page) is not None or USED.search(page.read_text(encoding="utf-8"))]


def of_pages(wanted: Sequence[Path]) -> dict[str, Answers]:
    """Kind -> the answers of these pages, which are executed together. Every number in a sentence is measured and says
    where that is kept."""
    found: dict[str, Answers] = {kind: {} for kind in OF_PAGES}
    with tempfile.TemporaryDirectory() as scratch:
        running = Execution(wanted, Path(scratch))
        running.finish()
        for page in wanted:
            name = page.relative_to(paths.ROOT).with_suffix("").as_posix()
            result = running.result(name)
            assert result is not None, name
            for one, said in result["numbers"].items():
                measured = said["text"] and said["text"] != NOT_YET and any(kept in said["origin"] for kept in KEPT)
                assert measured, f"{name}: {one}: {said}"
            own = {one: said for one, said in result["numbers"].items() if not one.startswith(f"{PAGE}:")}
            found["numbers"] |= {f"{name} {one}": (said["text"],) for one, said in own.items()}
            for item, table in _tables(name, page, result["outputs"]):
                kind, own = _answers(item, table)
                found[kind] |= own
    return found


def _tables(name: str, page: Path, outputs: list) -> Iterator[tuple[str, list[list[str]]]]:
    """(item, rows) of every table that a page's cells show, by the name that its caption has."""
    notebook = notebook_of(page)
    cells = [] if notebook is None else [cell for cell in notebook.cells if cell.cell_type == "code"]
    seen: Counter[str] = Counter()
    for number, (cell, shown) in enumerate(zip(cells, outputs, strict=True), 1):
        label = cell.metadata.get("mystnb", {}).get("figure", {}).get("name", f"cell-{number}")
        for one in shown:
            reader = _Tables()
            reader.feed("".join(one.get("data", {}).get("text/html", "")))
            for table in filter(None, reader.files or reader.found):
                seen[label] += 1
                yield f"{name} {label}" + (f" #{seen[label]}" if seen[label] > 1 else ""), table


def _answers(item: str, table: list[list[str]]) -> tuple[str, Answers]:
    head, *rows = table
    if {"found", "verdict"} <= set(head):
        told: dict[str, tuple[str, ...]] = {}
        seen: Counter[str] = Counter()
        for row in (dict(zip(head, row, strict=True)) for row in rows):
            name = f"{item.split(' ')[0]} {row['sweep']}" if "sweep" in row else item
            seen[name] += 1
            told[f"{name} {seen[name]}"] = (row["predicted"], row["found"], row["verdict"])
        return "verdicts", told
    if head[0] == "claim":
        return "claims", {
            f"{item} {row[0].splitlines()[0]} / {title}": (text,)
            for row in rows
            for title, text in zip(head, row, strict=True)
        }
    return "tables", {item: (" | ".join(head), " ".join(_digest(row, 3) for row in rows))}


def _digest(lines: Sequence[str], size: int = 16) -> str:
    return hashlib.blake2b("\n".join(lines).encode(), digest_size=size).hexdigest()


def of_plan() -> dict[str, Answers]:
    """Kind -> the digest of every stack, and of the ids, keys and seeds of the cells of every sweep and campaign."""
    return {
        "stacks": {name: (load_stack(name).digest,) for name in known_stacks()},
        "sweeps": {sweep.name: _cells(sweep.cells()) for sweep in every_sweep()},
        "campaigns": {one.id: _cells(one.planned_cells()) for one in read_campaigns(paths.RAW)},
    }


def _cells(cells: Sequence) -> tuple[str, ...]:
    return str(len(cells)), _digest([f"{cell.id} {cell.key} {cell.seed}" for cell in cells])


def frozen(kind: str) -> Answers:
    """What was answered when it was written down."""
    with (FROZEN / f"{kind}.csv").open(newline="", encoding="utf-8") as stream:
        return {row[0]: tuple(row[1:]) for row in list(csv.reader(stream))[1:]}


def freeze() -> None:
    """Writes down what is answered today."""
    FROZEN.mkdir(exist_ok=True)
    for kind, found in (of_pages(pages()) | of_plan()).items():
        with (FROZEN / f"{kind}.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerows([HEADS[kind], *((item, *text) for item, text in found.items())])


if __name__ == "__main__":
    freeze()
