"""All pages of a built book as one HTML page for print: contents first, links inside the book as links inside the page.

Pure but for reading the built pages. Figures are their static pictures; what only a screen can do is left out.
"""

from __future__ import annotations

import copy
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

from longlook.errors import LonglookError

JOINT = "--"
"""Between a chapter's name and an id within it, which are unique in their own page only."""
DROPPED = (
    "script, noscript, .ll-live, .ll-detail, .ll-screen, .ll-choose, .headerlink, .ll-origin, details.hide, "
    "a[download], button, .toctree-wrapper"
)
REFERRING = ("for", "aria-labelledby", "aria-describedby", "aria-controls")
LAYOUT = """
@page { size: A4; margin: 18mm 16mm 20mm 16mm; }
html { font-size: 9.5pt; }
body { background: white; color: #111; }
article.bd-article { max-width: none; padding: 0; }
section.ll-chapter { break-before: page; }
h1, h2, h3 { break-after: avoid; break-inside: avoid; }
tr, .ll-numbered-figure, img, li { break-inside: avoid; }
figcaption { break-after: avoid; break-inside: avoid; }
.ll-static { max-width: 100%; height: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; }
nav.ll-contents ol { list-style: none; padding-left: 0; }
nav.ll-contents ol ol { padding-left: 1.5em; font-size: 0.92em; }
nav.ll-contents li > a { display: flex; color: inherit; text-decoration: none; }
nav.ll-contents li > a > i { flex: 1; border-bottom: 1px dotted #999; margin: 0 0.4em 0.3em; }
"""
NUMBERS = """
@page { size: A4; margin: 0; }
body { margin: 0; font: 8pt sans-serif; color: #555; }
div { height: 296mm; padding-top: 283mm; box-sizing: border-box; text-align: center; break-after: page; }
div:last-child { break-after: auto; }
"""


@dataclass(frozen=True)
class Heading:
    """A chapter, or a section of one, and its id in the whole page."""

    text: str
    id: str
    level: int
    """1 or 2."""


@dataclass(frozen=True)
class WholePage:
    """The page, and what its contents list."""

    soup: BeautifulSoup
    headings: tuple[Heading, ...]

    def html(self, pages: Mapping[str, int] | None = None) -> str:
        """With the page numbers of its headings, by id, in the contents; without them where they are not known yet."""
        page = copy.copy(self.soup)
        _one(page, "nav.ll-contents").append(_contents(page, self.headings, pages or {}))
        return str(page)


def whole(html: Path, pages: Sequence[str], title: str) -> WholePage:
    """The built pages of `html` in the order of `pages` (`book/index.html`). LonglookError where one is missing."""
    missing = [page for page in pages if not (html / page).is_file()]
    if missing:
        raise LonglookError(f"{html} lacks {', '.join(missing)}: build the book first (longlook book)")
    read = {page: BeautifulSoup((html / page).read_text(encoding="utf-8"), "lxml") for page in pages}
    frame = _frame(read[pages[0]], html / pages[0], title)
    into = _one(frame, "article")
    headings: list[Heading] = []
    for page, soup in read.items():
        chapter = _chapter(frame, soup, page, read.keys())
        headings += _headings(chapter)
        into.append(chapter)
    _mend_links(into)
    return WholePage(frame, tuple(headings))


def _frame(first: BeautifulSoup, file: Path, title: str) -> BeautifulSoup:
    """A page with the styles of the book, its title and room for the contents."""
    styles = [str(link["href"]) for link in first.select('link[rel~="stylesheet"]')]
    absolute = [(file.parent / urlsplit(style).path).resolve().as_uri() for style in styles]
    links = "".join(f'<link rel="stylesheet" href="{style}">' for style in absolute)
    return BeautifulSoup(
        f'<!DOCTYPE html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>{title}"
        f'</title>{links}<style>{LAYOUT}</style></head><body><article class="bd-article"><header><h1>{title}</h1>'
        '</header><nav class="ll-contents"></nav></article></body></html>',
        "lxml",
    )


def _chapter(frame: BeautifulSoup, soup: BeautifulSoup, page: str, known) -> Tag:
    """What a page says, its ids and links made those of the whole."""
    chapter = frame.new_tag("section", attrs={"class": "ll-chapter", "id": name_of(page)})
    article = _one(soup, "article.bd-article")
    for dropped in article.select(DROPPED):
        dropped.decompose()
    for folded in article.find_all("details"):  # what is printed cannot be opened on demand, nor linked to where closed
        folded["open"] = ""
    for note in article.select(".ll-note"):
        for text in note.find_all(string=re.compile(r"Data:\W*$|^[\s,.]*$")):
            text.replace_with(re.sub(r"\s*Data:\W*$|^[\s,.]*$", "", text))  # what stood before and between the files
    for tag in article.find_all(id=True):
        tag["id"] = _id(page, str(tag["id"]))
    for attribute in REFERRING:
        for tag in article.select(f"[{attribute}]"):
            tag[attribute] = " ".join(_id(page, one) for one in str(tag[attribute]).split())
    for link in article.find_all("a", href=True):
        link["href"] = _target(str(link["href"]), page, known)
    for picture in article.find_all("img", src=True):
        if not re.match(r"[a-z]+:", str(picture["src"])):
            raise LonglookError(f"{page} has a picture in a file of its own: {picture['src']}")
    for part in list(article.children):
        chapter.append(part.extract())
    return chapter


def numbers(count: int) -> str:
    """A page for print that has as many pages, each with its number at the foot and no ground."""
    pages = "".join(f"<div>{number}</div>" for number in range(1, count + 1))
    head = f'<head><meta charset="utf-8"><style>{NUMBERS}</style></head>'
    return f'<!DOCTYPE html><html lang="en">{head}<body>{pages}</body></html>'


def name_of(page: str) -> str:
    """`book/muthuraj2024/beyond.html` -> `muthuraj2024-beyond`."""
    return page.removeprefix("book/").removesuffix(".html").replace("/", "-")


def _id(page: str, own: str) -> str:
    return f"{name_of(page)}{JOINT}{own}"


def _target(href: str, page: str, known) -> str:
    """A link into the book as one into the whole page; others stay."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return href
    aim = posixpath.normpath(posixpath.join(posixpath.dirname(page), unquote(parts.path))) if parts.path else page
    if aim not in known:
        return ""
    return f"#{_id(aim, unquote(parts.fragment))}" if parts.fragment else f"#{name_of(aim)}"


def _mend_links(article: Tag) -> None:
    """A link to nowhere becomes its text; one to an id that a page does not have leads to its chapter."""
    ids = {str(tag["id"]) for tag in article.find_all(id=True)}
    for link in article.find_all("a", href=True):
        aim = str(link["href"])
        if aim == "":
            link.unwrap()
        elif aim.startswith("#") and aim[1:] not in ids:
            link["href"] = "#" + aim[1:].split(JOINT)[0]


def _headings(chapter: Tag) -> list[Heading]:
    found = [Heading(_text(_one(chapter, "h1")), str(chapter["id"]), 1)]
    for section in chapter.find_all("section", id=True):
        heading = section.find("h2", recursive=False)
        if heading is not None:
            heading["id"] = section["id"]  # a section may begin at the foot of the page before its heading's
            del section["id"]
            found.append(Heading(_text(heading), str(heading["id"]), 2))
    return found


def _text(heading: Tag) -> str:
    return " ".join(heading.get_text(" ", strip=True).split())


def _contents(page: BeautifulSoup, headings: Sequence[Heading], pages: Mapping[str, int]) -> Tag:
    """A list of lists; every entry is a link, which is what makes Chromium keep the heading's place."""
    outer = page.new_tag("ol")
    inner: Tag | None = None
    for heading in headings:
        entry = page.new_tag("li")
        link = page.new_tag("a", href=f"#{heading.id}")
        link.append(heading.text)
        link.append(page.new_tag("i"))
        link.append(str(pages.get(heading.id, "000")))
        entry.append(link)
        if heading.level == 1:
            outer.append(entry)
            inner = None
            latest = entry
        else:
            if inner is None:
                inner = page.new_tag("ol")
                latest.append(inner)
            inner.append(entry)
    return outer


def _one(soup: BeautifulSoup | Tag, selector: str) -> Tag:
    found = soup.select_one(selector)
    if found is None:
        raise LonglookError(f"a built page has no {selector}: it is not of this book's theme")
    return found
