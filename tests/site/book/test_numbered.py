"""Figures and tables have numbers, captions and names by which they are cited; what has none fails the build."""

import re

import pytest
from bs4 import BeautifulSoup

from longlook import paths
from longlook.book.build import build, expected_pages
from longlook.errors import LonglookError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
PAGES = expected_pages(paths.ROOT / "_toc.yml")


@pytest.fixture(scope="module")
def pages(built_book):
    """The article of each page, in the order of the book."""
    read = {page: BeautifulSoup((built_book / page).read_text(encoding="utf-8"), "lxml") for page in PAGES}
    return {page: soup.select_one("article.bd-article") for page, soup in read.items()}


def captions(article):
    return article.select("figure > figcaption, table > caption")


def numbered(caption):
    """(`Figure`, 12) of a caption."""
    kind, number = caption.select_one(".caption-number").get_text().split()
    return kind, int(number)


def test_every_chart_and_every_table_stands_under_a_caption_with_a_number_and_a_name(pages):
    for page, article in pages.items():
        for chart in article.select(".ll-chart"):
            assert chart.find_parent("figure", class_="ll-numbered-figure"), (page, chart.get("id"))
        for table in article.select("table"):
            assert table.find_parent("figure") or table.find("caption", recursive=False), (page, table.get_text()[:80])
        for caption in captions(article):
            kind, _ = numbered(caption)
            prefix = {"Figure": "fig-", "Table": "tab-"}[kind]
            assert caption.parent["id"].startswith(prefix), (page, caption.parent["id"])
            assert len(caption.select_one(".caption-text").get_text()) > 10 and caption.select_one("a.headerlink")
            if caption.name == "figcaption" and page != "book/provenance.html":
                assert "provenance.html" in caption.select_one("a.ll-origin")["href"], (page, caption.parent["id"])


@pytest.mark.parametrize("kind", ["Figure", "Table"])
def test_numbers_count_through_the_book(pages, kind):
    found = [numbered(one) for article in pages.values() for one in captions(article)]
    own = [number for other, number in found if other == kind]
    assert own == list(range(1, len(own) + 1)) and len(own) > 40


def test_the_same_numbers_stand_where_nothing_is_measured(pages, empty_book):
    for page, article in pages.items():
        other = BeautifulSoup((empty_book / page).read_text(encoding="utf-8"), "lxml")
        own = {one.parent["id"]: numbered(one) for one in captions(article)}
        assert own == {one.parent["id"]: numbered(one) for one in captions(other.select_one("article.bd-article"))}


def test_a_reference_says_the_number_of_what_it_leads_to(pages):
    cited = 0
    for page, article in pages.items():
        for link in article.select("a:has(.std-numref)"):
            path, _, name = link["href"].partition("#")
            target = pages[page] if not path else pages[_resolved(page, path)]
            kind, number = numbered(target.find(id=name).select_one("figcaption, caption"))
            assert link.get_text() == f"{kind} {number}"
            cited += 1
    assert cited > 20


def _resolved(page, path):
    parts = page.split("/")[:-1]
    for part in path.split("/"):
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def test_captions_state_computed_findings(pages):
    article = pages["book/muthuraj2024/results-quicv1.html"]
    caption = article.select_one("#fig-4-6a figcaption")
    assert re.search(r"Re-measured, by pairs QUIC is faster in \d+ of 21 squares", caption.get_text())
    assert "data/raw/reference-figure-4.6a" in caption.select_one(".ll-value")["title"]


CHART = 'from IPython.display import HTML\nHTML(\'<div class="ll-chart" id="x"></div>\')'
TABLE = "from IPython.display import HTML\nHTML('<table><tr><td>1</td></tr></table>')"
KERNEL = "kernelspec:\n  display_name: Python 3\n  language: python\n  name: python3\n"
HEADER = f"---\njupytext:\n  text_representation:\n    extension: .md\n    format_name: myst\n{KERNEL}---\n# Short\n\n"


def cell(code, name="", caption="Some words."):
    options = f"---\nmystnb:\n  figure:\n    name: {name}\n    caption: {caption}\n---\n" if name else ""
    return f"```{{code-cell}}\n{options}{code}\n```\n\n"


WRONG = {
    cell(CHART): "this figure has no number",
    cell(TABLE): "this table has no number",
    cell(CHART, "tab-x"): "this figure has the name 'tab-x'",
    cell(TABLE, "x"): "this table has the name 'x'",
    cell(TABLE, "tab-z", "''"): "this table has the name 'tab-z', which does not say so, or no caption",
    "| a |\n| --- |\n| b |\n": "this table has no caption or no name (tab-...): put it into",
    "```{table} Words.\n\n| a |\n| --- |\n| b |\n```\n": "this table has no caption or no name",
    "{numref}`fig-no-such`\n": "fig-no-such",
}


def test_what_has_no_number_or_leads_nowhere_fails_the_build(short_book):
    (short_book / "book" / "short.md").write_text(HEADER + "\n".join(WRONG), encoding="utf-8")
    with pytest.raises(LonglookError, match=f"{len(WRONG)} warnings, and each is an error") as error:
        build(short_book)
    for wrong in WRONG.values():
        assert wrong in str(error.value)
    assert re.search(r"short\.md:\d+: WARNING: this table has no caption", str(error.value))


def test_what_has_one_is_cited_by_it(short_book):
    body = cell(CHART, "fig-4.6z", "A *chart*.") + cell(TABLE, "tab-y") + "See {numref}`fig-4.6z`, {numref}`tab-y`.\n"
    (short_book / "book" / "short.md").write_text(HEADER + body, encoding="utf-8")
    page = BeautifulSoup((build(short_book).parent / "book/short.html").read_text(encoding="utf-8"), "lxml")
    assert [one.get_text() for one in page.select(".std-numref")] == ["Figure 1", "Table 1"]
    chart = page.select_one("figure#fig-4-6z")
    assert chart.find(True).name == "figcaption", "above what opens"
    assert chart.select_one("figcaption em") and chart.select_one(".ll-chart")
