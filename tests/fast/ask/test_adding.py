"""What becomes a site, and what is refused before any browser is started."""

import base64
import json
import os

import pytest
from plans import parse_workload

from longlook import paths
from longlook.ask.adding import candidate
from longlook.errors import LonglookError
from longlook.plan.cell import Cell
from longlook.server.envoy import routes
from longlook.site.expected import sizes
from longlook.site.har import MOST_HAR_BYTES
from longlook.site.recorded import keep, open_site, save
from longlook.site.write import write_site

PAGE = b"<!doctype html><title>page</title><link rel=stylesheet href=a/style.css>"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "SITES", tmp_path / "sites")
    made = tmp_path / "page"
    (made / "a").mkdir(parents=True)
    (made / "index.html").write_bytes(PAGE)
    (made / "a" / "style.css").write_bytes(b"p{color:red}")
    (made / "more.txt").write_bytes(b"not asked for")
    return made


def entry(url="https://example.test/", status=200, **content):
    body = {"size": len(PAGE), "mimeType": "text/html; charset=utf-8", "text": PAGE.decode()} | content
    return {"request": {"method": "GET", "url": url}, "response": {"status": status, "content": body}}


def har(folder, *entries):
    path = folder / "page.har"
    path.write_text(json.dumps({"log": {"entries": entries}}))
    return path


def test_a_folder_becomes_a_site_whose_cell_has_every_files_digest(folder, tmp_path):
    site, found = candidate(folder, "trial", "of a test")
    save(site, found)
    kept = keep(site, {"/index.html", "/a/style.css"})
    assert open_site("trial") == kept == parse_workload(kept.model_dump(mode="json"))
    assert not (paths.SITES / "trial" / "files" / "more.txt").exists()
    written = write_site(tmp_path / "www", kept, 1)
    assert written.start == ("/index.html",) and written.sizes == dict(sizes(kept))
    assert (tmp_path / "www" / "a" / "style.css").read_bytes() == b"p{color:red}"
    digests = {one["sha256"] for one in kept.model_dump()["files"]}
    assert digests == {one.sha256 for one in written.files.values()}


def test_bytes_that_are_not_the_sites_are_not_served(folder, tmp_path):
    site, found = candidate(folder, "trial", "")
    save(site, found)
    (paths.SITES / "trial" / "files" / "a" / "style.css").write_bytes(b"p{color:blue}")
    with pytest.raises(LonglookError, match=r"/a/style.css is not what its site.toml says"):
        write_site(tmp_path / "www", site, 1)


def test_a_folder_without_a_start_page_is_refused(folder):
    (folder / "index.html").unlink()
    with pytest.raises(LonglookError, match=r"has no start page: put index.html into it"):
        candidate(folder, "trial", "")


@pytest.mark.parametrize("name", ["link.css", "linked"])
def test_a_symbolic_link_is_refused_also_to_a_folder(folder, tmp_path, name):
    (folder / name).symlink_to(tmp_path if name == "linked" else "/etc/hostname")
    with pytest.raises(LonglookError, match=f"{name} is a symbolic link, which may lead out"):
        candidate(folder, "trial", "")


@pytest.mark.parametrize("name", ["Größe", "../up", "Trial"])
def test_a_name_that_is_no_sites_is_refused(folder, name):
    with pytest.raises(LonglookError, match=r"name: .* should be small letters, digits and '-'"):
        candidate(folder, name, "")


def test_a_site_that_is_there_is_not_written_over(folder):
    site, found = candidate(folder, "trial", "")
    save(site, found)
    with pytest.raises(LonglookError, match="there is a site trial"):
        save(site, found)


def test_an_unknown_site_has_the_nearest_name(folder):
    save(*candidate(folder, "trial", ""))
    with pytest.raises(LonglookError, match=r"no site 'trail' \(did you mean trial\?\)"):
        open_site("trail")


def test_a_har_with_bodies_becomes_a_site(folder):
    image = {"text": base64.b64encode(b"\x89PNG").decode(), "encoding": "base64", "size": 4, "mimeType": "image/png"}
    inside = entry("data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=", text="", size=0)
    entries = entry("https://example.test/?from=here"), inside, entry("https://example.test/i.png?v=3", **image)
    site, found = candidate(har(folder, *entries), "trial", "")
    assert (site.start, found["/i.png"]) == ("/index.html", ("image/png", b"\x89PNG"))
    assert {one.path: one.query for one in site.files} == {"/i.png": "v=3", "/index.html": ""}
    save(site, found)
    assert open_site("trial") == site
    assert set(routes(write_site(folder / "www", site, 1))) == {"/index.html", "/i.png", "/i.png?v=3"}


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([entry(text=PAGE.decode()[:-3])], "its body is truncated"),
        ([entry(text="=!", encoding="base64")], "has a damaged body"),
        ([entry(status=301)], "was answered with status 301"),
        ([entry(), entry("https://other.test/a.js")], "asks https://other.test too"),
        ([entry("https://example.test/?1"), entry("https://example.test/?2", text="b", size=1)], "in two ways"),
        ([], "has no start page"),
    ],
)
def test_a_har_that_cannot_be_repeated_is_refused(folder, entries, words):
    with pytest.raises(LonglookError, match=words):
        candidate(har(folder, *entries), "trial", "")


def test_what_never_ends_or_is_too_large_is_refused(folder, tmp_path):
    os.mkfifo(tmp_path / "pipe.har")
    with (tmp_path / "hole.har").open("wb") as hole:
        hole.truncate(MOST_HAR_BYTES + 1)
    for name, words in (("pipe.har", "no regular file"), ("hole.har", "it has more than 300 MB")):
        with pytest.raises(LonglookError, match=words):
            candidate(tmp_path / name, "page", "")
    with (folder / "hole.bin").open("wb") as hole:
        hole.truncate(10**13)  # in the memory it has no room
    with pytest.raises(LonglookError, match="bytes: name a folder with one page"):
        candidate(folder, "page", "")


def test_a_har_without_bodies_or_an_end_is_refused(folder):
    bare = entry()
    del bare["response"]["content"]["text"]
    with pytest.raises(LonglookError, match="has no body: save the HAR with contents"):
        candidate(har(folder, bare), "trial", "")
    cut = har(folder, entry())
    cut.write_bytes(cut.read_bytes()[:-5])
    with pytest.raises(LonglookError, match="is no whole HAR"):
        candidate(cut, "trial", "")


def test_a_cell_of_a_site_is_another_one_as_soon_as_a_byte_is(folder):
    arm = {"stack": "todaypages", "protocol": "tcp", "server": "apache", "client": "chromium"}
    rest = {"study": "ask", "series": "s", "experiment": "pages", "link": {"bandwidth_mbps": 10, "rtt_ms": 10}}
    one, _ = candidate(folder, "trial", "")
    (folder / "a" / "style.css").write_bytes(b"p{color:blu}")
    other, _ = candidate(folder, "trial", "")
    first, second = (Cell.parse(rest | {"arms": [arm], "workload": site}) for site in (one, other))
    assert first.key != second.key and first.id != second.id
