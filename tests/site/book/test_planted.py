"""What somebody wrote into a campaign stays text: on no page of the book does it become an element or a script."""

import asyncio
import json
import shutil
from html.parser import HTMLParser

import book_sample
import pytest
from book_browser import Browser, find_chromium

from longlook import paths
from longlook.audit import run_audit
from longlook.book import audit_page
from longlook.book import data as book_data
from longlook.book.chapter import Chapter
from longlook.book.provenance import provenance
from longlook.figure.live import javascript_bundle

STAMP = "-20250903T070000"
PLANTED = (
    '</script><script>planted()</script><!--<script>{{ planted() }}<img src=x onerror=planted()>" onload="planted()" '
    "' onclick='planted()' </td></table><a href=javascript:planted()>x</a><style>*{display:none}</style>]]>&lt;"
)
COLUMNS = ("label", "title", "arm_label", "cpu_model", "kernel", "git_commit", "created", "stack", "stacks", "left_out")
ALLOWED = {
    "div",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "p",
    "span",
    "a",
    "img",
    "script",
    "noscript",
    "code",
    "br",
    "ul",
    "li",
    "strong",
    "b",
    "small",
}


def plant(tables):
    """In every text of the reader's own campaign by which nothing is looked up, and in its names."""
    for rows in tables.values():
        for row in rows:
            if row["campaign"] != book_sample.LOCAL_CAMPAIGN:
                continue
            row |= {name: PLANTED for name in COLUMNS if name in row} | {"campaign": PLANTED + STAMP}
            if "cell_id" in row:
                row["cell_id"] += PLANTED
            if row.get("reject_reason"):
                row["reject_reason"] = PLANTED
            if "stack_digest" in row:
                row["stack_digest"] = PLANTED


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Every kind of part of a page that shows something of a campaign."""
    root = tmp_path_factory.mktemp("planted")
    write = book_sample.write_tables
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(book_sample, "write_tables", lambda folder, tables: (plant(tables), write(folder, tables)))
        book_sample.write_sample(root, figures=["4.6a", "4.6d"])
    published, processed = book_sample.PUBLISHED, root / "data" / "processed"
    data = book_data.read(published, processed)
    chapter = Chapter("x", "muthuraj2024", ("4.6a", "4.6d"), data)
    roots = {"raw_root": root / "none", "processed_root": processed, "published_root": published}
    audit = audit_page.AuditPage(run_audit(verify_hashes=False, **roots), data)
    shown = [provenance(data), chapter.heatmap("4.6a"), chapter.heatmap("4.6d")]
    shown += [audit.controls(), audit.order(), audit.agreement()]
    shown += [audit.loads(), audit.floor(), audit.integrity(), audit.conclusion()]
    return [one._repr_html_() for one in shown]


class Elements(HTMLParser):
    """What a browser would make of a part."""

    def __init__(self, text):
        super().__init__()
        self.found, self.comments, self.data, self.text = [], [], [], ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def handle_comment(self, data):
        self.comments.append(data)

    def handle_data(self, data):
        inside = self.cdata_elem == "script"
        self.data += [data] if inside else []
        self.text += "" if inside else data


def test_nothing_planted_becomes_an_element(parts):
    texts = ""
    for part in parts:
        seen = Elements(part)
        assert {tag for tag, _ in seen.found} <= ALLOWED and seen.comments == []
        for tag, attributes in seen.found:
            assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
            links = [attributes.get(name) or "" for name in ("href", "src")]
            assert all(link == "" or link.startswith(("data:image/svg+xml;base64,", "data:text/csv")) for link in links)
            assert tag != "script" or attributes["type"] == "application/json"
        texts += seen.text
    assert texts.count("planted()") > 10, "nothing of it was shown"


def test_what_is_embedded_for_a_script_cannot_end_it_or_keep_it_open(parts):
    data = [text for part in parts for text in Elements(part).data]
    assert len(data) == 2
    for text in data:
        assert "<" not in text
    assert "planted()" in str([json.loads(text) for text in data])


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_nothing_planted_runs_in_a_browser(parts, tmp_path):
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("no Chromium: install the chromium package, or set LONGLOOK_BROWSER to one")
    shutil.copy(paths.BOOK / "_static" / "longlook.js", tmp_path)
    (tmp_path / "vega-bundle.js").write_text(javascript_bundle())
    page = tmp_path / "page.html"
    head = "<!doctype html><meta charset=utf-8><script>hits = 0; function planted() { hits += 1 }</script>"
    page.write_text(f"{head}{''.join(parts)}<script src=longlook.js></script>")

    async def run():
        async with Browser(chromium) as browser:
            await browser.open(page)
            await browser.wait_for("document.querySelectorAll('.ll-ready').length === 2")
            for index in range(2):
                await browser.evaluate(
                    f"""(() => {{ const list = document.querySelectorAll('.ll-choose select')[{index}];
                        list.selectedIndex = list.options.length - 1; list.dispatchEvent(new Event('change')); }})()"""
                )
            await browser.wait_for("document.querySelectorAll('.ll-strip > svg, .ll-strip .marks').length >= 2")
            assert await browser.evaluate("document.body.innerText.includes('planted()')")
            return await browser.evaluate("hits")

    assert asyncio.run(run()) == 0
