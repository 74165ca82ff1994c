"""Numbers of ARTIFACT.md, which no build renders: each stands between marks that readers do not see,

    <!-- value beyond:both-10 -->65 ms<!-- /value -->

with the chapter (of the thesis; of another study as `halme2021/downloads`) and the name that it has there. A test holds
them to the tables; `python -m longlook.book.artifact` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

from longlook import paths
from longlook.analysis.newest import STUDY
from longlook.book import data as book_data
from longlook.book.value import SPACE
from longlook.book.value_role import value_of

FILE = paths.ROOT / "ARTIFACT.md"
END = "<!-- /value -->"
MARKED = re.compile(rf"(?P<mark><!-- value (?P<chapter>[\w/-]+):(?P<name>[\w.-]+) -->)(?P<text>.*?){END}", re.S)


def restated(text: str, data: book_data.BookData) -> str:
    """The text with every marked number as it is by these tables; an unknown name is a `LonglookError`."""

    def number(found: re.Match[str]) -> str:
        chapter = found["chapter"]
        page = f"book/{chapter}" if "/" in chapter else f"book/{STUDY}/{chapter}"
        value = value_of(found["name"], page, data)
        return f"{found['mark']}{value.text.replace(SPACE, ' ')}{END}"

    return MARKED.sub(number, text)


def unmarked(text: str) -> str:
    """What is typed: the text without its marked numbers."""
    return MARKED.sub("", text)


def restate(file: Path = FILE) -> bool:
    """Writes the numbers of a file anew; whether any changed."""
    before = file.read_text(encoding="utf-8")
    after = restated(before, book_data.load())
    if after != before:
        file.write_text(after, encoding="utf-8")
    return after != before


if __name__ == "__main__":
    print(f"{FILE.name}: {'numbers written anew' if restate() else 'every number is as it was'}")
