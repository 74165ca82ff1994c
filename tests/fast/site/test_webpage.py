"""Web pages: exact to the byte, of the kinds that a page has, and files that browsers take for what they are."""

import io
import re
import struct
import zlib

import pytest
from plans import parse_workload
from test_write import check_against_the_disk

from longlook.errors import LonglookError
from longlook.plan.workload import WebPage
from longlook.published.yu2021 import pages
from longlook.site.expected import sizes
from longlook.site.font import font
from longlook.site.png import LEAST_BYTES, png
from longlook.site.webpage import ABOVE, resources
from longlook.site.write import write_site

NINE = [WebPage(size_bytes=one.size_bytes, resources=one.resources) for one in pages()]
SMALL = WebPage(size_bytes=450_888, resources=18)


@pytest.mark.parametrize("page", NINE, ids=lambda page: page.id_part)
def test_each_of_the_nine_has_its_bytes_and_its_resources(page):
    found = resources(page)
    assert sum(one.size_bytes for one in found) == page.total_bytes == page.size_bytes
    assert len({one.path for one in found}) == len(found) == page.requests == page.resources
    assert {one.kind for one in found} == {"document", "style", "font", "script", "image"}
    assert found[0].path == "/index.html" and sum(one.above for one in found) <= ABOVE
    assert sizes(page) == {one.path: one.size_bytes for one in found}


def test_there_are_nine():
    assert len(NINE) == 9 and SMALL in NINE
    assert {one.provider for one in pages()} == {"google", "facebook", "cloudflare"}
    assert pages()[0].title == "Facebook, small"


def test_a_site_is_what_it_says_and_names_each_file(tmp_path):
    site = write_site(tmp_path / "www", SMALL, seed=3)
    check_against_the_disk(site)
    assert site.start == ("/index.html",) and site.requests == 18
    text = (site.root / "index.html").read_text()
    style = (site.root / "style-000.css").read_text()
    for path in site.files:
        assert path == "/index.html" or (text.count(f'"{path}"'), style.count(f"({path})")) in ((1, 0), (0, 1)), path
    assert {one.content_type for one in site.files.values()} == {
        "text/html", "text/css", "text/javascript", "font/ttf", "image/png"
    }  # fmt: skip
    scripts = [site.root / path[1:] for path in site.files if path.endswith(".js")]
    assert scripts and all(re.fullmatch(r"/\*[a-z ]*\*/", one.read_text()) for one in scripts)


def test_what_it_consists_of_is_of_no_seed_and_its_bytes_are(tmp_path):
    one, same, other = (write_site(tmp_path / name, SMALL, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert one.files == same.files and one.sizes == other.sizes
    assert one.files["/img/000.png"].sha256 != other.files["/img/000.png"].sha256


@pytest.mark.parametrize("size", [LEAST_BYTES, 301, 1000, 65_535, 65_600, 131_200, 400_001])
def test_a_png_has_exactly_its_size_and_whole_pixels(size):
    body = png(size, seed=1)
    assert len(body) == size and png(size, seed=1) == body
    chunks, at = {}, 8
    while at < len(body):
        (length,) = struct.unpack(">I", body[at : at + 4])
        name, data = body[at + 4 : at + 8], body[at + 8 : at + 8 + length]
        assert zlib.crc32(name + data) == struct.unpack(">I", body[at + 8 + length : at + 12 + length])[0]
        chunks[name], at = data, at + 12 + length
    width, height = struct.unpack(">II", chunks[b"IHDR"][:8])
    assert len(zlib.decompress(chunks[b"IDAT"])) == height * (1 + 3 * width)
    assert size < 1000 or len(chunks[b"llFi"]) < 4 * width + 12


@pytest.mark.parametrize("size", [1500, 20_000, 65_536])
def test_a_font_has_exactly_its_size_and_letters(size):
    from PIL import ImageFont  # comes with what draws charts

    body = font(size, seed=1)
    assert len(body) == size
    drawn = ImageFont.truetype(io.BytesIO(body), 20)
    assert drawn.getlength("ab") == pytest.approx(24) and drawn.getmask("a").getbbox() is not None
    assert drawn.getmask(" ").getbbox() is None
    assert sum(struct.unpack(f">{size // 4}I", body)) & 0xFFFFFFFF == 0xB1B0AFBA


def test_what_cannot_be_made_is_said():
    with pytest.raises(LonglookError, match="no PNG of 299 bytes"):
        png(299)
    with pytest.raises(LonglookError, match="no font of 2001 bytes"):
        font(2001)


def test_a_web_page_is_a_workload_of_its_own_kind():
    given = {"kind": "webpage", "size_bytes": 450_888, "resources": 18}
    assert parse_workload(given) == SMALL and parse_workload(SMALL) is SMALL
    assert (SMALL.object_count, SMALL.object_bytes, SMALL.id_part) == (17, None, "webpage-450888b-x18")
    assert SMALL.label == "web page of 0.45 MB, 18 resources"
    with pytest.raises(LonglookError, match="at least 3000 for each"):
        parse_workload(given | {"resources": 200})
    with pytest.raises(LonglookError, match="resources"):
        parse_workload(given | {"resources": 2})


@pytest.mark.parametrize(("size", "count"), [(30_000, 10), (3_000_000, 1000), (60_000, 20)])
def test_the_smallest_ones_can_be_written(tmp_path, size, count):
    site = write_site(tmp_path / "www", WebPage(size_bytes=size, resources=count), seed=1)
    assert sum(site.sizes.values()) == size and site.requests == count
