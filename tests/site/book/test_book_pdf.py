"""The book as one PDF: whole, with bookmarks, page numbers and links that lead where they say."""

import re
import unicodedata
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader

from longlook import paths
from longlook.book.build import expected_pages
from longlook.book.pdf.book import make_pdf
from longlook.book.pdf.whole import whole
from longlook.errors import LonglookError

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1500)]
CHAPTERS = expected_pages(paths.ROOT / "_toc.yml")


@pytest.fixture(scope="module")
def printed(built_book, tmp_path_factory):
    """The PDF of the sample book, and the text of each of its pages."""
    reader = PdfReader(make_pdf(built_book, tmp_path_factory.mktemp("pdf") / "longlook.pdf"))
    return SimpleNamespace(reader=reader, texts=[page.extract_text() for page in reader.pages])


def outline(reader):
    """(title, page from 1, level) of every bookmark."""

    def flat(items, level):
        for item in items:
            if isinstance(item, list):
                yield from flat(item, level + 1)
            else:
                yield str(item.title), reader.get_destination_page_number(item) + 1, level

    return list(flat(reader.outline, 1))


def words(text):
    """Letters and digits alone; a PDF has ligatures."""
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", text)).lower()


def test_every_chapter_has_a_bookmark_that_leads_to_it(printed):
    marks = outline(printed.reader)
    assert sum(level == 1 for _, _, level in marks) == len(CHAPTERS)
    assert len(marks) > 3 * len(CHAPTERS) and [page for _, page, _ in marks] == sorted(page for _, page, _ in marks)
    for title, page, _ in marks:
        assert words(title) in words(printed.texts[page - 1]), (title, page)


def test_pages_are_numbered_and_the_contents_tell_the_numbers(printed):
    for number, text in enumerate(printed.texts, start=1):
        assert text.split()[-1] == str(number)
    chapters = [(title, page) for title, page, level in outline(printed.reader) if level == 1]
    contents = words("".join(printed.texts[: chapters[0][1] - 1]))
    for title, page in chapters:
        assert f"{words(title)}{page}" in contents


def test_links_inside_the_book_stay_inside_and_none_leads_to_a_file(printed):
    inside, outside = 0, set()
    names = set(printed.reader.named_destinations)
    for page in printed.reader.pages:
        for one in page.get("/Annots", []):
            link = one.get_object()
            if "/URI" in link.get("/A", {}):
                outside.add(str(link["/A"]["/URI"]))
            elif link.get("/Subtype") == "/Link":
                aim = link["/Dest"] if "/Dest" in link else link["/A"]["/D"]
                assert not isinstance(aim, str) or {aim, f"/{aim}"} & names, aim
                inside += 1
    assert inside > 200 and all(re.match("https?:|mailto:", aim) for aim in outside), outside


def test_figures_are_there_and_nothing_that_only_a_screen_can_do(built_book, printed):
    charts = sum(page.read_text(encoding="utf-8").count('class="ll-static"') for page in built_book.rglob("*.html"))
    text = words(" ".join(printed.texts))
    legends = text.count(words("white, slanted = not shown"))  # only the pictures say so
    assert 10 < legends <= charts
    for absent in ("Click a square", "Scripts are off", "undefined"):
        assert words(absent) not in text
    assert not re.search(r"Data:\s+[\w.-]+\.csv", " ".join(printed.texts))


def test_figures_and_tables_have_the_numbers_of_the_screen(built_book, printed):
    text = words(" ".join(printed.texts))
    pages = [BeautifulSoup((built_book / page).read_text(encoding="utf-8"), "lxml") for page in CHAPTERS]
    captions = [one for page in pages for one in page.select("article figcaption, article table > caption")]
    assert len(captions) > 100
    for caption in captions:
        number = caption.select_one(".caption-number").get_text()
        said = caption.select_one(".caption-text").get_text()
        assert words(number + said[:60]) in text, (number, said)


def test_a_book_that_lacks_a_page_is_not_printed(tmp_path):
    with pytest.raises(LonglookError, match=r"lacks book/index\.html, .*build the book first"):
        whole(tmp_path, CHAPTERS, "x")


PAGE = (
    '<html><body><article class="bd-article"><section id="{id}"><h1>{id}</h1>{body}</section></article></body></html>'
)


def test_ids_that_two_chapters_share_do_not_meet(tmp_path):
    (tmp_path / "book").mkdir()
    for name, body in {
        "a": '<section id="s"><h2>One</h2><a href="b.html#s">there</a><a href="#s">here</a></section>',
        "b": '<section id="s"><h2>Two</h2><a href="a.html">a</a><a href="gone.html">gone</a>'
        '<a href="a.html#no">?</a></section>',
    }.items():
        (tmp_path / f"book/{name}.html").write_text(PAGE.format(id=name, body=body))
    book = whole(tmp_path, ["book/a.html", "book/b.html"], "Both")
    assert [(one.text, one.id, one.level) for one in book.headings] == [
        ("a", "a", 1), ("One", "a--s", 2), ("b", "b", 1), ("Two", "b--s", 2)
    ]  # fmt: skip
    soup = BeautifulSoup(book.html({"a": 1, "a--s": 1, "b": 2, "b--s": 2}), "lxml")
    aims = {link.get_text(): link["href"] for link in soup.select("section a")}
    assert aims == {"there": "#b--s", "here": "#a--s", "a": "#a", "?": "#a"}, "and no link to what is gone"
    assert [entry.get_text() for entry in soup.select("nav li > a")] == ["a1", "One1", "b2", "Two2"]
