"""The built book: complete, readable without a network, honest without data, and clear about what fails."""

import json
import re

import pytest
from book_sample import HEADER
from bs4 import BeautifulSoup

from longlook import paths
from longlook.book import build as builder
from longlook.book.links import external_references
from longlook.errors import LonglookError

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
STUDY = "muthuraj2024"
PUBLISHED = {
    *(f"fig-4-{number}{part}" for number, parts in ((5, "abcdef"), (6, "abcdef"), (11, "abcd")) for part in parts),
    "tab-4-1", "tab-4-2", "tab-claims", "tab-slow-client", "tab-baxter-claims", "tab-baxter-slopes",
    "tab-halme-claims", "tab-halme-durations", "tab-halme-handshakes", "tab-halme-packets", "tab-halme-parallel",
    "tab-shreedhar-claims", "tab-shreedhar-undecided", "tab-shreedhar-connection", "tab-shreedhar-rates",
    "tab-shreedhar-flows", "tab-shreedhar-video-printed", "tab-shreedhar-video-startup", "tab-shreedhar-video-claims",
    "tab-yu-claims", "tab-yu-not-judged", "tab-yu-allowed", "tab-yu-page-claims", "tab-yu-page-not-judged",
    "tab-priorities-claim",
}  # fmt: skip
WITHOUT_A_LINK = {
    "tab-matrix-without", "tab-slowed", "tab-shreedhar-syscalls", "tab-shreedhar-syscall-times", "fig-shreedhar-still",
    "tab-yu-pages", "tab-priorities-said", "tab-today-flights", "tab-years-servers", "tab-years-flags",
}  # fmt: skip
"""What programs, pages and the film are; what was counted beside the campaigns."""
WITHOUT_A_ROW = {"tab-predictions", "tab-campaigns", "tab-years-milestones"}


def short(root, body):
    (root / "book" / "short.md").write_text(HEADER + body, encoding="utf-8")


def test_every_page_is_there_and_fetches_nothing(built_book):
    for page in builder.expected_pages(paths.ROOT / "_toc.yml"):
        assert (built_book / page).exists(), page
    assert list(external_references(built_book)) == []
    assert (built_book / "_static" / "vega-bundle.js").stat().st_size > 500_000


def test_no_page_names_a_script_host(built_book):
    for page in built_book.rglob("*.html"):
        text = page.read_text(encoding="utf-8").lower()
        for word in ("cdn.", "unpkg", "jsdelivr", "cdnjs", "googleapis", "mathjax@", "require.min.js"):
            assert word not in text, f"{word} in {page}"


def test_each_figure_is_a_live_chart_with_a_static_picture(built_book):
    text = (built_book / "book" / STUDY / "results-quicv1.html").read_text(encoding="utf-8")
    assert (
        text.count('class="ll-chart"')
        == text.count('class="ll-static"')
        == text.count("this is the static picture of the chart.")
        == 6
    )
    sources = (built_book / "_downloads" / "book" / "provenance" / "every-campaign.csv").read_text(encoding="utf-8")
    assert "provenance.html" in text and "reference-figure-4.6a-20250801T101500" in sources
    assert "not measured yet" not in text.lower().split("where the two disagree")[0]


def test_a_charts_files_lie_beside_its_page(built_book):
    page = built_book / "book" / STUDY / "results-quicv1.html"
    links = re.findall(r'<a download="([^"]+)" href="([^"]+)"', page.read_text(encoding="utf-8"))
    assert len(links) == 2 * 6 and not any(target.startswith("data:") for _, target in links)
    for name, target in links:
        file = page.parent / target
        assert file.name == name and file.read_text(encoding="utf-8").startswith(("workload,", "campaign,"))


def test_chapters_execute_within_the_limit(built_book):
    pages = json.loads((built_book.parent / builder.EXECUTION).read_text())
    assert {f"book/{STUDY}/results-quicv1", "book/audit"} <= set(pages)
    assert sum(one["runtime_s"] or 0 for one in pages.values()) < builder.MAX_EXECUTION_S


def test_without_data_the_book_builds_and_says_so(empty_book):
    text = (empty_book / "book" / STUDY / "results-quicv1.html").read_text(encoding="utf-8")
    assert "Not measured yet: 4.6a" in text and 'results-quicv1</span> <span class="pre">--quick' in text
    assert text.count('class="ll-chart"') == 6, "the published heatmaps stand there all the same"
    assert "make reproduce" in (empty_book / "book" / "audit.html").read_text(encoding="utf-8")


def test_without_data_every_figure_table_and_number_says_so_but_for_what_no_campaign_measures(empty_book):
    shown, measured = set(), []
    for page in sorted(empty_book.rglob("*.html")):
        parsed = BeautifulSoup(page.read_text(encoding="utf-8"), "lxml")
        for figure in parsed.select("figure.ll-numbered-figure, figure.ll-numbered-table"):
            figure.figcaption.extract()
            if not re.search("not measured yet|make reproduce", figure.get_text(), re.I):
                shown.add(figure["id"])
        numbers = {one["title"]: one.text for one in parsed.select("span.ll-value")}
        measured += [text for origin, text in numbers.items() if "data/raw" in origin and re.search(r"\d", text)]
    assert shown == PUBLISHED | WITHOUT_A_LINK | WITHOUT_A_ROW and measured == []


def test_a_failing_chapter_is_named_with_the_end_of_its_traceback(short_book):
    short(
        short_book,
        "# Short\n\n```{code-cell}\nvalue = 1\nraise ValueError(f'the table is {value} column short')\n```\n",
    )
    with pytest.raises(LonglookError) as error:
        builder.build(short_book)
    text = str(error.value)
    assert "short.md failed" in text and "ValueError: the table is 1 column short" in text
    assert "nbclient" not in text


def test_a_warning_is_fatal_and_so_is_an_unknown_number(short_book):
    short(short_book, "# Short\n\n{doc}`no-such-page`\n\nIt takes {value}`no-such-number`.\n")
    with pytest.raises(LonglookError, match="2 warnings, and each is an error") as error:
        builder.build(short_book)
    assert "no-such-page" in str(error.value)
    assert "value no-such-number: no number of this name" in str(error.value)


def test_numbers_in_sentences_say_where_they_come_from(built_book):
    text = (built_book / "book" / STUDY / "results-quicv1.html").read_text(encoding="utf-8")
    said = re.findall(r'class="ll-value" title="[^"]*(?:data/|is not measured")', text)
    assert text.count('class="ll-value"') == len(said) > 20
    assert "glue" not in text


def test_output_on_stderr_is_fatal(short_book):
    short(short_book, "# Short\n\n```{code-cell}\nimport sys\nprint('a warning of a library', file=sys.stderr)\n```\n")
    with pytest.raises(LonglookError, match="not built"):
        builder.build(short_book)


def test_a_remote_script_is_found(short_book):
    short(short_book, '# Short\n\n<img src="https://host.example/x.png">\n')
    with pytest.raises(LonglookError, match=r"refers to https://host.example/x.png"):
        builder.build(short_book)


def test_the_next_build_sees_a_changed_table_and_leaves_no_old_page(short_book, monkeypatch):
    table = short_book / "data" / "value.txt"
    many = "many words " * 4000
    short(short_book, f"# Short\n\n```{{code-cell}}\nprint(open({str(table)!r}).read())\n```\n\n{many}\n")
    old = short_book / "_build" / "html" / "old.html"
    old.parent.mkdir(parents=True)
    old.write_text("old")
    table.write_text("first value")
    page = builder.build(short_book).parent / "book" / "short.html"
    assert "first value" in page.read_text(encoding="utf-8") and not old.exists()
    table.write_text("second value")
    builder.build(short_book)
    assert "second value" in page.read_text(encoding="utf-8")
    table.write_text("third value")
    monkeypatch.setattr(builder, "PAGE_BYTES", 40_000)
    with pytest.raises(LonglookError, match=r"book/short\.html weighs 0\.\d MB, more than"):
        builder.build(short_book)
    assert "second value" in page.read_text(encoding="utf-8"), "the last whole book stays where it was"
    assert sorted(one.name for one in (short_book / "_build").iterdir()) == [".executed", "execution.json", "html"]


def test_a_copy_without_the_books_files_is_a_clear_error(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    with pytest.raises(LonglookError, match=r"_config.yml.*not found"):
        builder.build()
