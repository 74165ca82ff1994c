"""Sites: exact to the byte, what they were, and on the disk no larger than their distinct files."""

import hashlib
import os
import zlib

import pytest

from longlook.plan.value import derived_seed
from longlook.plan.workload import Download, Page
from longlook.site.page import html, image_path
from longlook.site.write import CHUNK_BYTES, write_site

CONTENT = derived_seed(7, "content")
FROZEN = {  # size in KB, count -> SHA-256 of page and image, as of 2b30401, for cells of seed 7
    (5, 1): ("914d1d5a87913662", "839fc5aa1c4ab711"),
    (10, 100): ("c141f86c7829275f", "01d48fdb5af194b7"),
    (1000, 2): ("90bd14f1dec7c9f5", "4ddebe068124915f"),
}


def inodes(site):
    return {os.stat(f"{site.root}{path}").st_ino for path in site.files}


def check_against_the_disk(site):
    found = {f"/{path.relative_to(site.root)}" for path in site.root.rglob("*") if path.is_file()}
    assert found == set(site.files)
    for path, one in site.files.items():
        body = (site.root / path[1:]).read_bytes()
        assert (len(body), hashlib.sha256(body).hexdigest()) == (one.size_bytes, one.sha256), path
        assert os.stat(f"{site.root}{path}").st_mode & 0o777 == 0o644


@pytest.mark.parametrize(("size_kb", "count"), FROZEN)
def test_pages_are_the_bytes_that_they_always_were(tmp_path, size_kb, count):
    site = write_site(tmp_path / "www", Page.parse({"size_kb": size_kb, "count": count}), CONTENT)
    page, image = FROZEN[size_kb, count]
    assert site.files["/index.html"].sha256.startswith(page)
    images = {path: one for path, one in site.files.items() if path != "/index.html"}
    assert list(images) == [f"/img/{index:03d}.jpg" for index in range(count)]
    assert {one.sha256[:16] for one in images.values()} == {image}


def test_a_page_references_each_image_once():
    page = html(200).decode()
    assert all(page.count(image_path(index)) == 1 for index in range(200))


def test_a_site_knows_what_a_correct_load_is(tmp_path):
    site = write_site(tmp_path / "www", Page.parse({"size_kb": 5, "count": 3}), seed=1)
    check_against_the_disk(site)
    assert site.requests == 4 and site.start == ("/index.html",)
    assert site.sizes["/img/002.jpg"] == 5120
    assert {one.content_type for one in site.files.values()} == {"text/html", "image/jpeg"}
    assert len(inodes(site)) == 2  # the images are one file


def test_objects_of_several_sizes_are_numbered_on_and_equal_ones_shared(tmp_path):
    objects = [{"size_kb": 5, "count": 2}, {"size_kb": 100, "count": 1}, {"size_kb": 5, "count": 1}]
    site = write_site(tmp_path / "www", Page.parse({"objects": objects}), seed=1)
    check_against_the_disk(site)
    sizes = [site.sizes[image_path(index)] for index in range(4)]
    assert sizes == [5120, 5120, 102400, 5120] and site.requests == 5
    assert len(inodes(site)) == 3


@pytest.mark.parametrize("size", [1, CHUNK_BYTES, 3 * CHUNK_BYTES + 17])
def test_a_downloads_files_have_exactly_their_size_and_do_not_compress(tmp_path, size):
    site = write_site(tmp_path / "www", Download(size_bytes=size, count=3), seed=1)
    check_against_the_disk(site)
    assert site.start == tuple(site.files) == tuple(f"/file-{index:03d}.bin" for index in range(3))
    assert set(site.sizes.values()) == {size} and len(inodes(site)) == 1
    body = (site.root / "file-000.bin").read_bytes()
    assert size < 1000 or len(zlib.compress(body)) >= size
    other = write_site(tmp_path / "other", Download(size_bytes=size, count=1), seed=2)
    assert size < 1000 or other.files["/file-000.bin"].sha256 != site.files["/file-000.bin"].sha256


def test_a_site_written_again_leaves_the_names_of_the_first_alone(tmp_path):
    write_site(tmp_path / "www", Page.parse({"size_kb": 5, "count": 3}), seed=1)
    site = write_site(tmp_path / "www", Page.parse({"objects": [{"size_kb": 5}, {"size_kb": 6, "count": 2}]}), seed=2)
    check_against_the_disk(site)
