"""`longlook pdf`: the built book, printed twice: once to learn on which page each heading lies, once with that."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import yaml
from pypdf import PdfReader, PdfWriter

from longlook import paths
from longlook.book.build import expected_pages
from longlook.book.pdf.printing import print_page
from longlook.book.pdf.whole import WholePage, numbers, whole
from longlook.errors import LonglookError
from longlook.stack.install import install_part

BROWSER = "chromium-111"
"""The part that prints, the same as measures."""
NAME = "longlook.pdf"


def make_pdf(html: Path | None = None, out: Path | None = None) -> Path:
    """Prints the built book of `html` (default: the root's own build) into `out` (a file); returns it."""
    html = html or paths.ROOT / "_build" / "html"
    out = out or html.parent / NAME
    chromium = install_part(BROWSER).program("chromium")
    title = yaml.safe_load((paths.ROOT / "_config.yml").read_text(encoding="utf-8"))["title"]
    book = whole(html, expected_pages(paths.ROOT / "_toc.yml"), title)
    pages = _pages(_printed(chromium, book, {}), book)
    printed = _printed(chromium, book, pages)
    if _pages(printed, book) != pages:
        raise LonglookError("the second print has its headings on other pages than the first: the contents would lie")
    writer = PdfWriter(clone_from=printed)
    _number(writer, chromium)
    _bookmarks(writer, book, pages)
    writer.add_metadata({"/Title": title, "/Author": "longlook authors"})
    out.parent.mkdir(parents=True, exist_ok=True)
    writer.write(out)
    return out


def _printed(chromium: Path, book: WholePage, pages: dict[str, int]) -> PdfReader:
    with tempfile.TemporaryDirectory(prefix="longlook-pdf-") as folder:
        file = Path(folder, "book.html")
        file.write_text(book.html(pages), encoding="utf-8")
        return PdfReader(io.BytesIO(print_page(chromium, file)))


def _number(writer: PdfWriter, chromium: Path) -> None:
    """Lays a page with nothing but its number over each page."""
    with tempfile.TemporaryDirectory(prefix="longlook-pdf-") as folder:
        file = Path(folder, "numbers.html")
        file.write_text(numbers(len(writer.pages)), encoding="utf-8")
        over = PdfReader(io.BytesIO(print_page(chromium, file)))
    if len(over.pages) != len(writer.pages):
        raise LonglookError(f"{len(writer.pages)} page numbers were printed on {len(over.pages)} pages")
    for page, number in zip(writer.pages, over.pages, strict=True):
        page.merge_page(number)
        page.compress_content_streams()
    writer.compress_identical_objects()  # every page number brought its font


def _pages(printed: PdfReader, book: WholePage) -> dict[str, int]:
    """Id of each heading -> its page, from 1."""
    places = {name.removeprefix("/"): place for name, place in printed.named_destinations.items()}
    missing = [heading.id for heading in book.headings if heading.id not in places]
    if missing:
        raise LonglookError(f"the printed book has no place for {', '.join(missing[:5])}")
    numbers = {heading.id: printed.get_destination_page_number(places[heading.id]) for heading in book.headings}
    return {name: number + 1 for name, number in numbers.items() if number is not None}


def _bookmarks(writer: PdfWriter, book: WholePage, pages: dict[str, int]) -> None:
    chapter = None
    for heading in book.headings:
        above = None if heading.level == 1 else chapter
        mark = writer.add_outline_item(title=heading.text, page_number=pages[heading.id] - 1, parent=above)
        chapter = mark if heading.level == 1 else chapter
