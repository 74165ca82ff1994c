"""The built book for those who do not see it, use no mouse, or hold a phone: axe-core, keys, narrow and dark pages."""

import asyncio
from collections import Counter

import axe
import pytest
from book_browser import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1500)]

RESULTS = "book/muthuraj2024/results-quicv1.html"
FIGURE = "#figure-4-6d"
SQUARE = "10kb-x100_50mbps_36ms_0pct_0msjitter"
DRAWN = "document.querySelectorAll('.ll-chart').length === document.querySelectorAll('.ll-ready').length"
FOCUSED = "document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
PHONE = (390, 800)
LEAST_TEXT_PX = 9
# Of every text that is drawn: its size on the screen. Pictures without scripts are another matter.
TEXTS = """Array.from(document.querySelectorAll('main *')).filter((one) =>
    one.checkVisibility() && !one.closest('.ll-said, .ll-squares, script, style')
    && Array.from(one.childNodes).some((node) => node.nodeType === 3 && node.textContent.trim()))
  .map((one) => {
    const svg = one.closest('svg.marks');
    const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    return [Math.round(parseFloat(getComputedStyle(one).fontSize) * scale * 100) / 100, one.textContent.slice(0, 40)];
  })"""


def visit(chromium, pages, look, theme="light", size=(1300, 900)):
    """What `look(browser)` finds on each of the pages, by their names; pages where it finds nothing are left out."""

    stems = Counter(page.stem for page in pages)

    async def run():
        found = {}
        async with Browser(chromium) as browser:
            await browser.in_theme(theme)
            await browser.of_size(*size)
            for page in pages:
                await browser.open(page)
                await browser.wait_for(DRAWN)
                if told := await look(browser):
                    name = page.stem if stems[page.stem] == 1 else f"{page.parent.name}/{page.stem}"
                    assert name not in found
                    found[name] = told
            assert browser.errors == []
        return found

    return asyncio.run(run())


def pages_of(book):
    """Every page but the one at the root, which only leads to the front page: what is looked at there may be either."""
    found = sorted(page for page in book.rglob("*.html") if "_static" not in page.parts and not leads_away(page))
    assert len(found) > 20 and book / "index.html" not in found and book / "book/index.html" in found
    return found


def leads_away(page):
    return 'http-equiv="refresh"' in page.read_text(encoding="utf-8").lower()


# A table wider than its column is cut off, and where a script looks it is cards.
TOO_WIDE = """Array.from(document.querySelectorAll('main table')).filter((one) => one.checkVisibility())
  .map((one) => [one, one.parentElement])
  .filter(([one, box]) => one.offsetWidth > box.clientWidth || box.scrollWidth > box.clientWidth)
  .map(([one, box]) => [one.offsetWidth, box.scrollWidth, box.clientWidth, one.innerText.slice(0, 60)])"""
CARDS = "document.querySelectorAll('main table.ll-cards').length"
# All that opens on demand is open, and tables have been looked at since.
OPENED = """(async () => {
  document.querySelectorAll('main details').forEach((one) => { one.open = true; });
  for (let frame = 0; frame < 4; frame++) await new Promise(requestAnimationFrame);
})()"""
CHARTS = """Array.from(document.querySelectorAll('.ll-chart')).map((root) => [
  root.querySelector('.ll-live [role=img]').getAttribute('aria-label'),
  root.querySelector('.ll-live summary').getAttribute('aria-label'),
  root.querySelector('.ll-live svg.marks').closest('[aria-hidden=true]') !== null])"""
# The other theme's colours at once: they are the style sheet's, and no script's.
DARK = """(() => { const root = document.documentElement;
  document.head.insertAdjacentHTML('beforeend', '<style>* { transition: none !important; }</style>');
  root.dataset.theme = root.dataset.mode = 'dark'; return getComputedStyle(root).colorScheme; })()"""


@pytest.fixture(scope="module")
def seen(built_book, chromium, rules):
    """What every page shows in a wide window, each opened once: `axe`, `dark` (in the dark the page is the same in
    other colours, of which the other rules know nothing), `tables`, `charts`; of each what was found, by page."""

    async def look(browser):
        told = {"axe": await axe.violations(browser)}
        tables = await browser.evaluate(TOO_WIDE) + ["cards"] * await browser.evaluate(CARDS)
        told |= {"tables": tables, "charts": await browser.evaluate(CHARTS)}
        assert await browser.evaluate(DARK) == "dark"
        return told | {"dark": await axe.violations(browser, [axe.COLOUR])}

    found = visit(chromium, pages_of(built_book), look)
    assert len(found) == len(pages_of(built_book))
    return {
        what: {page: told[what] for page, told in found.items() if told[what]}
        for what in ("axe", "dark", "tables", "charts")
    }


def test_no_page_breaks_a_rule_of_axe(seen):
    assert seen["axe"] == {}


def test_in_the_dark_no_page_breaks_one_about_colours(seen):
    assert seen["dark"] == {}


def test_in_a_window_of_1300_px_every_table_fits_its_column(seen):
    assert seen["tables"] == {}


def test_every_chart_says_its_result_and_its_menu_has_a_name(seen):
    assert len(seen["charts"]) >= 4
    for charts in seen["charts"].values():
        for alternative, menu, hidden in charts:
            assert any(letter.isdigit() for letter in alternative), alternative
            assert "undefined" not in alternative and menu == "Save this chart" and hidden


@pytest.mark.parametrize("theme", ["light", "dark", "light, then dark"])
def test_axe_finds_what_is_wrong(built_book, chromium, rules, theme):
    """A negative control."""

    wrong = "<img src='x.png'><p style='color: #777; background: #666'>unreadable</p>"

    async def run():
        async with Browser(chromium) as browser:
            await browser.in_theme(theme.partition(",")[0])
            await browser.open(built_book / RESULTS)
            await browser.wait_for(DRAWN)
            await browser.evaluate(f'document.querySelector("main").insertAdjacentHTML("beforeend", "{wrong}")')
            if theme == "light, then dark":
                await browser.evaluate(DARK)
            return [await axe.violations(browser), await axe.violations(browser, [axe.COLOUR])]

    every, colours = ([line.split()[0] for line in lines] for lines in asyncio.run(run()))
    assert sorted(every) == ["color-contrast", "image-alt"] and colours == ["color-contrast"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_square_is_reached_opened_and_closed_by_keys(built_book, chromium, rules, theme):
    async def look(browser):
        stops = f"{FIGURE} .ll-square[tabindex='0']"
        assert await browser.evaluate(f'document.querySelectorAll("{stops}").length') == 1
        # From where the figure begins, as a reader comes to it.
        await browser.evaluate(
            f"(() => {{ const root = document.querySelector('{FIGURE}'); root.tabIndex = -1; root.focus(); }})()"
        )
        await browser.press("Tab")
        names = [await browser.evaluate(FOCUSED)]
        # Six pages across; 10 KB x 100 is the fifth of them, 50 Mbit/s the second row.
        for key in ("ArrowDown", *["ArrowRight"] * 4):
            await browser.press(key)
            names.append(await browser.evaluate(FOCUSED))
        outline = await browser.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        await browser.press("Enter")
        await browser.wait_for(f"document.querySelectorAll('{FIGURE} .ll-strip svg.marks').length === 2")
        opened = await browser.evaluate(f"document.querySelector('{FIGURE}').dataset.square")
        said = await browser.evaluate(f"document.querySelector('{FIGURE} .ll-said').textContent")
        wrong = await axe.violations(browser)
        await browser.press("Escape")
        left = await browser.evaluate(f"document.querySelector('{FIGURE} .ll-detail').childElementCount")
        return names, outline, opened, said, wrong, left

    found = visit(chromium, [built_book / RESULTS], look, theme)["results-quicv1"]
    names, outline, opened, said, wrong, left = found
    assert names[0].startswith("1 MB × 1, 10 Mbit/s: ")
    assert names[-1] == "10 KB × 100, 50 Mbit/s: TCP faster by 24 %, shown"
    assert len(set(names)) == 6 and outline == "solid"
    assert opened == SQUARE and said.startswith("Below the chart: loads of 10 KB × 100 at 50 Mbit/s")
    assert wrong == [] and left == 0


def test_arrows_lead_from_one_column_into_the_next(built_book, chromium):
    async def look(browser):
        await browser.evaluate(f"document.querySelector(\"{FIGURE} .ll-square[tabindex='0']\").focus()")
        panels = []
        for _ in range(16):
            panels.append(await browser.evaluate("document.activeElement.parentElement.getAttribute('aria-label')"))
            await browser.press("ArrowRight")
        return panels

    panels = visit(chromium, [built_book / RESULTS], look)["results-quicv1"]
    assert [panel.split(",")[0] for panel in dict.fromkeys(panels)] == [
        "Published", "Re-measured (reference)", "Yours"
    ]  # fmt: skip


def test_on_a_phone_nothing_scrolls_sideways_and_all_text_can_be_read(built_book, chromium):
    async def look(browser):
        wide = await browser.evaluate("document.documentElement.scrollWidth")
        small = [one for one in await browser.evaluate(TEXTS) if one[0] < LEAST_TEXT_PX]
        await browser.evaluate(OPENED)
        return [f"{wide} px wide"] * (wide > PHONE[0]) + small[:5] + await browser.evaluate(TOO_WIDE)

    assert visit(chromium, pages_of(built_book), look, size=PHONE) == {}


def test_on_a_phone_an_open_square_is_as_wide_as_the_page_and_can_be_read(built_book, chromium, rules):
    async def look(browser):
        await browser.choose(FIGURE, SQUARE)
        await browser.wait_for(f"document.querySelectorAll('{FIGURE} .ll-strip svg.marks').length === 2")
        wide = await browser.evaluate("document.documentElement.scrollWidth")
        small = [one for one in await browser.evaluate(TEXTS) if one[0] < LEAST_TEXT_PX]
        return [f"{wide} px wide"] * (wide > PHONE[0]) + small[:5] + await axe.violations(browser)

    assert visit(chromium, [built_book / RESULTS], look, size=PHONE) == {}


def test_on_a_phone_panels_are_stacked_and_wide_tables_are_cards_with_named_cells(built_book, chromium, rules):
    async def look(browser):
        lefts = await browser.evaluate(
            f"""Array.from(document.querySelectorAll('{FIGURE} .ll-squares > [role=group]')).map((panel) =>
                 Math.round(panel.firstElementChild.getBoundingClientRect().x))"""
        )
        await browser.evaluate(OPENED)
        tables = await browser.evaluate(
            """Array.from(document.querySelectorAll('main table.ll-cards')).map((one) => [
                 getComputedStyle(one.tHead).display, Array.from(one.tHead.rows).pop().cells.length,
                 Array.from(one.tBodies[0].rows[0].cells, (cell) => cell.dataset.label)])"""
        )
        return lefts, tables, await axe.violations(browser)

    lefts, tables, wrong = visit(chromium, [built_book / RESULTS], look, size=PHONE)["results-quicv1"]
    assert len(lefts) == 3 and len(set(lefts)) == 1, "one below the other"
    assert tables and all(head == "none" and count == len(names) and all(names) for head, count, names in tables)
    assert wrong == []


def test_a_chart_is_drawn_anew_when_a_phone_is_turned(built_book, chromium):
    async def look(browser):
        await browser.choose(FIGURE, SQUARE)
        await browser.of_size(900, 390)
        await browser.wait_for(f"!document.querySelector('{FIGURE}').classList.contains('ll-narrow')")
        await browser.wait_for(f"document.querySelectorAll('{FIGURE} .ll-square[aria-current]').length === 3")
        return await browser.evaluate(f"document.querySelectorAll('{FIGURE} .ll-choose').length")

    assert visit(chromium, [built_book / RESULTS], look, size=PHONE) == {"results-quicv1": 1}
