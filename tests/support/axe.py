"""axe-core in a page of the built book: which of its rules the page breaks, and where."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache

from book_browser import Browser

from longlook.stack.install import install_part

PART = "axe-core-4.14"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental"]
"""Every rule but those of level AAA, and whatever impact a violation has."""
MOST_PLACES = 3
COLOUR = "cat.color"
RUN = """axe.run(document, {{runOnly: {{type: 'rule', values: axe.getRules({kinds}).filter((rule) =>
    rule.tags.some((tag) => {tags}.includes(tag))).map((rule) => rule.ruleId)}}, resultTypes: ['violations'],
  preload: false}}).then((found) =>
  found.violations.map((rule) => [rule.id, rule.impact, rule.nodes.length,
    rule.nodes.slice(0, {most}).map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary.slice(0, 240))]))"""


@cache
def source() -> str:
    """The library as one script, installed at first use."""
    return (install_part(PART).folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


async def violations(browser: Browser, kinds: Sequence[str] = TAGS) -> list[str]:
    """A line for each rule that the open page breaks, with the first places; `kinds` are tags."""
    await browser.evaluate(f"{source()}; 0")
    asked = RUN.format(kinds=json.dumps(list(kinds)), tags=json.dumps(TAGS), most=MOST_PLACES)
    broken = await browser.evaluate(asked)
    return [f"{rule} ({impact}), {count} times: {'; '.join(places)}" for rule, impact, count, places in broken]
