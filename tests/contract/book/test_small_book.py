"""A small book is built, opened in a real browser, and held to the rules of axe-core."""

import asyncio

import axe
import pytest
from book_browser import Browser
from book_sample import HEADER, write_sample

from longlook.book.build import build

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

SHOWS = """# Short

```{code-cell} ipython3
---
tags: [remove-input]
mystnb:
  figure:
    name: fig-4.6d
    caption: Figure 4.6d of the thesis, published and re-measured.
---
from longlook.book import data
from longlook.book.chapter import Chapter

Chapter("short", "muthuraj2024", ("4.6d",), data.load()).heatmap("4.6d")
```

At most {value}`4.6d.reference.max`.
"""
DRAWN = "document.querySelectorAll('.ll-chart.ll-ready').length === 1"
WRONG = "<img src='x.png'><p style='color: #777; background: #666'>unreadable</p>"


def test_a_small_book_is_built_and_breaks_no_rule_of_axe(short_book, chromium, rules):
    write_sample(short_book, figures=["4.6d"])
    (short_book / "book" / "short.md").write_text(HEADER + SHOWS, encoding="utf-8")
    page = build(short_book).parent / "book" / "short.html"
    assert 'class="ll-value" title="' in page.read_text(encoding="utf-8")

    async def look():
        async with Browser(chromium) as browser:
            await browser.open(page)
            await browser.wait_for(DRAWN)
            right = await axe.violations(browser)
            assert browser.errors == []  # what is wrong below has a picture that is nowhere
            await browser.evaluate(f'document.querySelector("main").insertAdjacentHTML("beforeend", "{WRONG}")')
            return right, sorted(line.split()[0] for line in await axe.violations(browser))

    right, wrong = asyncio.run(look())
    assert right == [] and {"color-contrast", "image-alt"} <= set(wrong)
