"""Finds whatever a built page would fetch from a host: the book must work from a file system alone.

Links that a reader follows (`<a href>`) are not fetched by the page and may point anywhere.
"""

from __future__ import annotations

import multiprocessing
import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from html.parser import HTMLParser
from pathlib import Path

AT_ONCE = 2
"""Pages that are looked through."""
FETCHED = {
    "script": ("src",), "link": ("href",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "audio": ("src",), "object": ("data",), "embed": ("src",),
    "image": ("href", "xlink:href"), "use": ("href", "xlink:href"), "input": ("src",),
    "track": ("src",), "form": ("action",),
}  # fmt: skip
# Relations of <link> that name an address without fetching it.
NOT_FETCHED = {"canonical", "author", "license", "me"}
_REMOTE = re.compile(r"^\s*(?:https?:|wss?:|ftp:)?//", re.IGNORECASE)
_CSS_REMOTE = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])((?:https?:)?//[^\"')\s]+)", re.IGNORECASE)
_SCRIPT_REMOTE = re.compile(
    r"(?:\bfrom\s*|\bimport\s*\(?\s*|\bfetch\(\s*|importScripts\(\s*)[\"'`]((?:https?:)?//[^\"'`\s]+)", re.IGNORECASE
)


class _Collector(HTMLParser):
    """Collects the remote addresses of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._inside = tag
        self._css(values.get("style", ""))
        if tag == "link" and NOT_FETCHED & set(values.get("rel", "").lower().split()):
            return
        for name in FETCHED.get(tag, ()):
            self.found += [one for one in re.split(r",\s+|\s+", values.get(name, "")) if _REMOTE.match(one)]

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "style":
            self._css(data)
        elif self._inside == "script":
            self.found += _SCRIPT_REMOTE.findall(data)

    def _css(self, text: str) -> None:
        self.found += _CSS_REMOTE.findall(text)


def page_references(text: str) -> list[str]:
    """Remote addresses that a page with this HTML would fetch."""
    collector = _Collector()
    collector.feed(text)
    collector.close()
    return collector.found


def _of_page(page: Path) -> list[str]:
    return page_references(page.read_text(encoding="utf-8", errors="replace"))


def external_references(html: Path) -> Iterator[tuple[Path, str]]:
    """(file, address) for everything that any page or style sheet under `html` would fetch from a host."""
    pages = sorted(html.rglob("*.html"))
    with ProcessPoolExecutor(AT_ONCE, multiprocessing.get_context("fork")) as pool:
        for page, found in zip(pages, pool.map(_of_page, pages), strict=True):
            yield from ((page, target) for target in found)
    for sheet in sorted(html.rglob("*.css")):
        for target in _CSS_REMOTE.findall(sheet.read_text(encoding="utf-8", errors="replace")):
            yield sheet, target
