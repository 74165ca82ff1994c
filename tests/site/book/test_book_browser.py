"""The built book in a real browser, from the file system and without a network: charts, clicks, print."""

import asyncio

import pytest
from book_browser import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(1500)]

FIGURE = "figure-4-6d"
NAME = "figure-4.6d-squares.csv"
SQUARE = "10kb-x100_50mbps_36ms_0pct_0msjitter"
CENTRE = """(() => {{
  const rect = document.querySelectorAll('#{figure} .ll-live .mark-rect path')[{index}];
  rect.scrollIntoView({{block: 'center'}});
  const box = rect.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
}})()"""


def visit(chromium, page, steps, **options):
    """Opens a page, waits for its charts, and runs `steps(browser)`."""

    async def run():
        async with Browser(chromium, **options) as browser:
            await browser.open(page)
            await browser.wait_for(
                "document.querySelectorAll('.ll-chart').length === document.querySelectorAll('.ll-ready').length"
            )
            result = await steps(browser)
            assert browser.errors == []
            remote = [url for url in browser.requests if not url.startswith(("file:", "data:", "blob:"))]
            assert remote == [], "the page asked a host for something"
            return result

    return asyncio.run(run())


def test_a_click_on_a_square_shows_its_loads_and_its_raw_record(built_book, chromium):
    async def steps(browser):
        # Squares are drawn by bandwidth, then workload: the eleventh is 10 KB x 100 at 50 Mbit/s.
        await browser.click(*await browser.evaluate(CENTRE.format(figure=FIGURE, index=10)))
        await browser.wait_for(f"!!document.querySelector('#{FIGURE} .ll-strip svg')")
        return await browser.evaluate(
            f"""(() => {{ const root = document.querySelector('#{FIGURE}'); return {{
              square: root.dataset.square, text: root.querySelector('.ll-detail').innerText,
              points: root.querySelectorAll('.ll-strip .mark-symbol path').length,
              picked: root.querySelectorAll('.ll-live .mark-rect path[stroke="#000000"]').length }} }})()"""
        )

    found = visit(chromium, built_book / "book" / "muthuraj2024" / "results-quicv1.html", steps)
    assert found["square"] == SQUARE
    assert found["picked"] == 3, "the square is marked in every column"
    assert "data/raw/reference-figure-4.6d-20250801T101500/4.6d_quicv1" in found["text"]
    for part in ("707.1 ± 62.3 (20)", "floor, ms", "TCP faster", "20 analysed, 1 first load"):
        assert part in found["text"]
    assert found["points"] >= 2 * 21 + 2 * 7


def test_an_open_square_shows_one_load_of_each_protocol_object_by_object(built_book, chromium):
    async def steps(browser):
        await browser.choose(f"#{FIGURE}", SQUARE)
        await browser.wait_for(f"!!document.querySelector('#{FIGURE} .ll-waterfall svg')")
        return await browser.evaluate(
            f"""(() => {{ const root = document.querySelector('#{FIGURE} .ll-waterfall');
              const bars = Array.from(root.querySelectorAll('.mark-rect path'));
              return {{ bars: bars.map((bar) => [bar.__data__.datum.side, bar.getBoundingClientRect().bottom]),
                alt: root.querySelector('[role=img]').getAttribute('aria-label'),
                text: document.querySelector('#{FIGURE} .ll-detail').innerText }} }})()"""
        )

    found = visit(chromium, built_book / "book" / "muthuraj2024" / "results-quicv1.html", steps)
    assert len(found["bars"]) == 2 * 2 * 101, "both protocols, waiting and arriving, a page and its hundred objects"
    left, right = ([y for side, y in found["bars"] if side == one] for one in ("left", "right"))
    assert max(left) < min(right), "QUIC above TCP"
    assert "its 100 objects are asked for from" in found["alt"] and found["alt"].count("page load time") == 2
    assert "One load of each, object by object (" in found["text"]


def test_the_list_does_the_same_without_a_mouse(built_book, chromium):
    async def steps(browser):
        await browser.choose(f"#{FIGURE}", SQUARE)
        await browser.wait_for(f"!!document.querySelector('#{FIGURE} .ll-strip svg')")
        return await browser.evaluate(f"document.querySelector('#{FIGURE} .ll-detail').innerText")

    assert "10 KB × 100 at 50 Mbit/s" in visit(
        chromium, built_book / "book" / "muthuraj2024" / "results-quicv1.html", steps
    )


def test_a_charts_file_is_saved_from_a_page_that_is_a_file(built_book, chromium, tmp_path):
    async def steps(browser):
        await browser.send("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
        await browser.evaluate(f"document.querySelector('#{FIGURE} a[download$=\"squares.csv\"]').click()")
        for _ in range(100):
            if (tmp_path / NAME).exists():
                break
            await asyncio.sleep(0.1)
        return await browser.evaluate("location.pathname")

    page = built_book / "book" / "muthuraj2024" / "results-quicv1.html"
    assert visit(chromium, page, steps) == str(page), "the page stays"
    assert (tmp_path / NAME).read_text(encoding="utf-8").count("\n") > 2 * 18


def test_charts_fit_a_window_of_800_px(built_book, chromium):
    async def steps(browser):
        return await browser.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")

    scroll, window = visit(chromium, built_book / "book" / "muthuraj2024" / "results-quicv1.html", steps, width=800)
    assert scroll <= window, "the page must not scroll sideways"


def test_print_shows_the_static_pictures(built_book, chromium, tmp_path):
    async def steps(browser):
        await browser.send("Emulation.setEmulatedMedia", media="print")
        shown = await browser.evaluate(
            """Array.from(document.querySelectorAll('.ll-chart')).map(root => [
                 getComputedStyle(root.querySelector('.ll-static')).display,
                 getComputedStyle(root.querySelector('.ll-live')).display])"""
        )
        await browser.pdf(tmp_path / "page.pdf")
        return shown

    shown = visit(chromium, built_book / "book" / "muthuraj2024" / "results-quicv1.html", steps)
    assert shown == [["block", "none"]] * 6
    assert (tmp_path / "page.pdf").stat().st_size > 50_000


def test_without_scripts_the_static_pictures_stand(built_book, chromium):
    async def run():
        async with Browser(chromium) as browser:
            await browser.send("Emulation.setScriptExecutionDisabled", value=True)
            await browser.send(
                "Page.navigate", url=(built_book / "book" / "muthuraj2024" / "results-quicv1.html").as_uri()
            )
            await browser.wait_for("document.readyState === 'complete'")
            return await browser.evaluate(
                """Array.from(document.querySelectorAll('.ll-static')).map(image =>
                     image.complete && image.naturalWidth > 600 && getComputedStyle(image).display === 'block')"""
            )

    assert asyncio.run(run()) == [True] * 6


@pytest.mark.parametrize("page", ["muthuraj2024/results-quicv1", "audit"])
def test_pages_without_data_raise_no_error(empty_book, chromium, page):
    async def steps(browser):
        return await browser.evaluate("document.querySelectorAll('.ll-chart').length")

    assert visit(chromium, empty_book / "book" / f"{page}.html", steps) == (0 if page == "audit" else 6)
