"""The page "What if" in a real browser: choosing, by keys too, wrong numbers, links, without scripts, on a phone."""

import asyncio
import json
import re

import axe
import pytest
from book_browser import Browser

from longlook.book import whatif
from longlook.experiment.floor import floor

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1500)]

PHONE = (390, 800)
PAGE = "book/what-if.html"
SET = """Object.entries({}).forEach(([name, value]) => {{
  const input = document.querySelector(`.ll-whatif [name=${{name}}]`);
  input.value = value; input.dispatchEvent(new Event("input", {{ bubbles: true }})); }})"""
SAID = "document.querySelector('.ll-whatif [role=status]').textContent"
FLOORS = """Array.from(document.querySelector(".ll-whatif table").tBodies[0].rows).map((row) =>
  Array.from(row.cells).map((cell) => cell.textContent))"""
TABLES = "Array.from(document.querySelectorAll('.ll-whatif table')).map((one) => one.innerText)"


def visit(chromium, book, look, theme="light", size=(1300, 900)):
    """What `look(browser)` finds on the page; it must ask no host and raise nothing."""

    async def run():
        async with Browser(chromium) as browser:
            await browser.in_theme(theme)
            await browser.of_size(*size)
            await browser.open(book / PAGE)
            found = await look(browser)
            assert browser.errors == []
            assert [one for one in browser.requests if not one.startswith(("file:", "data:"))] == []
            return found

    return asyncio.run(run())


async def choose(browser, **values):
    """Sets fields and waits until the panel has followed."""
    before = await browser.evaluate(SAID)
    await browser.evaluate(SET.format(json.dumps(values)))
    await browser.wait_for(f"{SAID} !== {json.dumps(before)}")
    return await browser.evaluate(SAID)


def test_the_panel_shows_the_floors_of_what_is_chosen(built_book, chromium):
    where = whatif.Condition(50, 112, 10, 100)

    async def look(browser):
        said = await choose(browser, bandwidth_mbps=50, rtt_ms=112, size_kb=10, count=100, handshake="1rtt")
        return said, await browser.evaluate(FLOORS)

    said, rows = visit(chromium, built_book, look)
    least = {}
    for name in ("QUIC, 1-RTT", "TCP"):
        cell = whatif.cell_of(where, whatif.ARMS[name])
        least[name] = floor(cell, cell.arms[0])
    assert [row[0] for row in rows] == ["handshake", "requests", "slow start", "serialisation", "floor"]
    for column, one in enumerate(least.values(), start=1):
        parts = (one.handshake_ms, one.requests_ms, one.slow_start_ms, one.serialisation_ms, one.total_ms)
        assert [row[column] for row in rows] == [f"{part:,.{1 if part < 1000 else 0}f}" for part in parts]
    assert said.startswith(f"Floor: QUIC {rows[-1][1]} ms, TCP {rows[-1][2]} ms.")


def test_loss_moves_the_cells_and_not_the_floor(built_book, chromium):
    async def look(browser):
        first = await choose(browser, bandwidth_mbps=10, rtt_ms=36, size_kb=5, count=1)
        return first, await choose(browser, loss_pct=1)

    first, second = visit(chromium, built_book, look)
    assert "5 KB × 1, 10 Mbit/s, 36 ms, QUIC v1, at a distance of 0.0" in first
    assert "5 KB × 1, 10 Mbit/s, 36 ms, 1 % loss, QUIC v1, at a distance of 0.0" in second
    assert "Loss does not change it." in second
    assert first.partition(" Nearest")[0] == second.partition(" Loss")[0]


def test_a_wrong_number_is_named_and_shows_nothing(built_book, chromium):
    async def look(browser):
        said = await choose(browser, rtt_ms=-5)
        wrong = "Array.from(document.querySelectorAll('.ll-whatif [aria-invalid=true]')).map((one) => one.name)"
        found = said, await browser.evaluate(wrong), await browser.evaluate(TABLES)
        return *found, await choose(browser, rtt_ms=5), len(await browser.evaluate(TABLES))

    said, wrong, tables, again, count = visit(chromium, built_book, look)
    assert said == "RTT, ms: a number from 1 to 10000." and wrong == ["rtt_ms"] and tables == []
    assert again.startswith("Floor: ") and count == 2


def test_keys_are_enough(built_book, chromium):
    async def look(browser):
        before = await browser.evaluate(SAID)
        await browser.evaluate("document.querySelector('.ll-whatif [name=size_kb]').focus()")
        await browser.press("Tab")
        names = [await browser.evaluate("document.activeElement.labels[0].textContent")]
        await browser.press("ArrowUp")
        await browser.wait_for(f"{SAID} !== {json.dumps(before)}")
        return names, await browser.evaluate("document.activeElement.value")

    assert visit(chromium, built_book, look) == (["Objects"], "11")


def test_every_link_leads_to_a_heatmap(built_book, chromium):
    async def look(browser):
        await choose(browser, bandwidth_mbps=10, rtt_ms=36, size_kb=5, count=1)
        return await browser.evaluate(
            "Array.from(document.querySelectorAll('.ll-whatif td a')).map((one) => one.getAttribute('href'))"
        )

    found = visit(chromium, built_book, look)
    assert len(found) == 6
    for address in set(found) | {whatif.pages()[one] for one in ("4.5a", "4.5f", "4.6f")}:
        page, _, place = address.partition("#")
        assert f'id="{place}"' in (built_book / "book" / page).read_text(encoding="utf-8"), address


def test_without_scripts_there_is_the_static_table(built_book):
    text = re.sub(r"<script.*?</script>", "", (built_book / PAGE).read_text(encoding="utf-8"), flags=re.S)
    assert "Scripts are off" in text and "<fieldset" not in text
    assert text.count("<td>QUIC, 0-RTT</td>") == len(whatif.EXAMPLES)


def test_without_a_campaign_the_panel_says_so(empty_book, chromium):
    async def look(browser):
        return await browser.evaluate(SAID), len(await browser.evaluate(TABLES))

    said, tables = visit(chromium, empty_book, look)
    assert "nothing measured beside it" in said and tables == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1300, 900), PHONE])
def test_the_panel_breaks_no_rule_of_axe_and_fits(built_book, chromium, rules, theme, size):
    async def look(browser):
        right = await axe.violations(browser)
        await choose(browser, count=0)
        wide = await browser.evaluate("document.documentElement.scrollWidth")
        return right, await axe.violations(browser), wide <= size[0]

    assert visit(chromium, built_book, look, theme, size) == ([], [], True)
