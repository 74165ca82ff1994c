"""The page of `longlook report` in a real browser: narrow, wide, dark, by axe-core, without a script or a network."""

import asyncio

import axe
import pytest
from book_browser import Browser

from longlook.book.report import page, report_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGES = "reference-yu-pages-loss-20261125T011628"
"""Of pages that are looked at: waterfalls, and strips of pictures."""
WIDTHS = "[document.documentElement.scrollWidth, window.innerWidth]"
DRAWN = """Array.from(document.querySelectorAll("[role=img] svg"))
  .every((one) => one.getBoundingClientRect().width > 250)"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page(*report_of(PAGES)), encoding="utf-8")
    return path


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1400])
def test_it_fits_breaks_no_rule_and_asks_no_host(written, chromium, rules, width, theme):
    async def run():
        async with Browser(chromium) as browser:
            await browser.of_size(width, 900)
            await browser.send(
                "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}]
            )
            await browser.open(written)
            await browser.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            sizes, drawn = await browser.evaluate(WIDTHS), await browser.evaluate(DRAWN)
            return sizes, drawn, await axe.violations(browser), browser.errors, browser.requests

    (scroll, window), drawn, wrong, errors, requests = asyncio.run(run())
    assert scroll <= window == width, "nothing is wider than the window"
    assert drawn and wrong == [] and errors == []
    assert [one for one in requests if not one.startswith(("file:", "data:"))] == []


def test_a_strip_is_reached_and_scrolled_by_keys(written, chromium):
    async def run():
        async with Browser(chromium) as browser:
            await browser.of_size(390, 900)
            await browser.open(written)
            await browser.evaluate("document.querySelector('details').nextElementSibling.nextElementSibling.focus()")
            name = await browser.evaluate("document.activeElement.getAttribute('aria-label')")
            await browser.press("ArrowRight")
            await browser.wait_for("document.activeElement.scrollLeft > 0")
            return name

    assert asyncio.run(run()).startswith("Filmstrip: ")
