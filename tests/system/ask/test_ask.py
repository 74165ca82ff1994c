"""Questions asked with the real browser and servers: of the repository's site, and of one that a browser saved.

One file, since `ask` has one testbed: a worker runs them one after the other.
"""

import hashlib
import shutil
from dataclasses import replace

import arms
import pytest
from driven import longlook
from stated_servers import NGINX

from longlook import paths
from longlook.analysis.first_attempts import DISTURBED
from longlook.experiment.reasons import PAIR_REPEATED
from longlook.record.campaigns import read_campaigns
from longlook.record.samples import read_records
from longlook.server.envoy_tcp import EnvoyTcp
from longlook.site.font import font
from longlook.site.jpeg import jpeg
from longlook.site.png import png
from longlook.site.recorded import open_site
from longlook.site.tree import Site, described

pytestmark = [pytest.mark.netns, pytest.mark.slow]
PAGE = """<!doctype html><meta charset="utf-8"><title>Größe</title><link rel="stylesheet" href="a/style.css">
<h1>Größe</h1><img src="a/photo.jpg" width="60"><img src="plot.png" width="60"><img src="mark.svg" width="9">
<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA="><script src="app.js?v=2"></script>"""
FILES = {
    "/index.html": ("text/html", PAGE.encode()),
    "/a/style.css": (
        "text/css",
        b"@font-face{font-family:f;src:url(f.ttf)}h1{font-family:f}h1:after{content:'\xc3\xa4'}",
    ),
    "/a/f.ttf": ("font/ttf", font(4000)),
    "/a/photo.jpg": ("image/jpeg", jpeg(20_000, 1)),
    "/plot.png": ("image/png", png(9_000, 1)),
    "/mark.svg": (
        "image/svg+xml",
        b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0h9v9z"/></svg>',
    ),
    "/app.js": ("text/javascript", "told = fetch('data.json').then((one) => one.json()); // ä".encode()),
    "/data.json": ("application/json", b'{"\xc3\xa4": [1, 2]}'),
}
SAVE = """
const CHC = require(process.argv[1] + '/chrome-har-capturer');
const awaited = {expression: 'Promise.all([told, document.fonts.ready])', awaitPromise: true};
CHC.run([process.argv[3]], {port: Number(process.argv[2]), local: true, content: true, postHook: (url, {Runtime}) =>
    Runtime.evaluate(awaited).then(() => new Promise((done) => setTimeout(done, 500)))})
    .on('fail', (url, error) => { console.error(error); process.exit(1); })
    .on('har', (har) => console.log(JSON.stringify(har)));
"""
"""What chrome-har-capturer's own command does, once nothing is under way that the load event does not wait for."""


def test_both_visits_load_every_file_of_the_site_and_the_page_says_what_was_found(tmp_path):
    page = tmp_path / "page.html"
    (tmp_path / "data").mkdir()
    require = ["--require", "plt: h3 <= h2 + 900 %", "--out", str(page)]
    visits = ["--visit", "first,return", "--server", str(NGINX), "--loads", "1"]
    done = longlook(tmp_path / "data", paths.ROOT, "ask", "docs", "--links", "lte", *visits, *require)
    assert "Does HTTP/3 pay, by page load time? First visit: " in done.stdout, done.stderr[-2000:]
    text = page.read_text(encoding="utf-8")
    assert "<h1>Does HTTP/3 pay for site docs, 3 files" in text and "<script" not in text
    assert "Link lte, as measured: a round trip of 7" in text
    assert hashlib.sha256(NGINX.read_bytes()).hexdigest() in text and "nginx-h2 nginx version: nginx/" in text
    (campaign,) = read_campaigns(tmp_path / "data" / "raw")
    site, counted = open_site("docs"), []
    for cell in campaign.cells():
        assert f"<h2>{cell.label}, site docs, " in text
        records = list(read_records(campaign.path / cell.id))
        assert all(map(arms.is_right, records))
        for one in records:
            entries = one["artefact"]["log"]["entries"]
            assert sorted(entry["size"] for entry in entries) == sorted(file.size_bytes for file in site.files)
            assert {entry["httpVersion"] for entry in entries} == {one["arm"]}
            returns = "return" in cell.label and one["index"] > 0
            assert one["zero_rtt"] == (returns if one["arm"] == "h3" else None)
        counted.append({one["arm"] for one in records if one["accepted"] and not one["set_aside"]})
    if any(counted):
        assert "1. /index.html</th>" in text and "/figure.png</th><td>712,487</td>" in text
        assert text.count("One load of each, object by object") == sum(map(bool, counted))
        assert 'after 0 s: 0 % is seen" title="HTTP/' in text
        order = [text.index(f"{name}, ms") for name in ("page load time", "time to the first byte", "Speed Index")]
        assert order == sorted(order)
    if "too few accepted" in done.stderr:
        assert "This machine was busy" in done.stdout and "`longlook ask docs --links lte" in done.stderr
    assert done.returncode == (0 if counted == [{"h3", "h2"}] * 2 else 1), (counted, done.stdout)


def write(root):
    for path, (_, body) in FILES.items():
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
    files = {path: described(body, kind) for path, (kind, body) in FILES.items()}
    files["/app.js"] = replace(files["/app.js"], query="v=2")
    return Site(root, files, ("/index.html",))


def test_who_learnt_of_http3_and_whose_early_data_are_refused_are_asked_about(tmp_path):
    page = tmp_path / "page.html"
    (tmp_path / "data").mkdir()
    asked = ["--links", "lte", "--visit", "learnt,refused", "--loads", "1", "--out", str(page)]
    done = longlook(tmp_path / "data", paths.ROOT, "ask", "docs", *asked)
    assert "Return visit that learnt of HTTP/3: " in done.stdout, done.stderr[-2000:]
    assert "Return visit whose early data are refused: " in done.stdout
    assert "answers what comes with the handshake with 425" in page.read_text(encoding="utf-8")
    (campaign,) = read_campaigns(tmp_path / "data" / "raw")
    learnt, refused = (list(read_records(campaign.path / cell.id)) for cell in campaign.cells())
    assert all(map(arms.is_right, learnt + refused))
    assert [one["discovery"] for one in learnt if "discovery" in one] == [[["h2"], ["h3"]]]
    for one in (*learnt, *refused):
        assert one["zero_rtt"] == ((one["index"] > 0 or one in learnt) if one["arm"] == "h3" else None)


def test_a_site_that_a_browser_saved_is_added_and_asked_about(testbed_name, tmp_path):
    with arms.arm_on(testbed_name, tmp_path, EnvoyTcp, "todaypages", site=write) as on:
        client = on.side.client
        saved = on.bed.run(
            "client",
            ["node", "-e", SAVE, str(client.stack.node_modules), str(client.devtools_port), client._url("/index.html")],
            timeout_s=60,
        )
    file = tmp_path / "saved.har"
    file.write_text(saved)
    root = tmp_path / "root"
    (root / "data" / "raw").mkdir(parents=True)
    shutil.copytree(paths.ROOT / "data" / "published", root / "data" / "published")  # no link is followed in data
    for one in paths.ROOT.iterdir():  # sites go into the project, here a copy of it by links
        if one.name not in ("sites", "data", ".longlook"):
            (root / one.name).symlink_to(one)
    added = longlook(root / "data", root, "site", "add", str(file))
    assert added.returncode == 0, added.stderr
    assert "site saved, 8 files" in added.stdout
    done = longlook(
        root / "data", root, "ask", "saved", "--links", "lte", "--loads", "1", "--out", str(tmp_path / "page.html")
    )
    assert "Does HTTP/3 pay, by page load time?" in done.stdout, done.stderr[-2000:]
    assert "site saved, 8 files" in (tmp_path / "page.html").read_text(encoding="utf-8")
    (campaign,) = read_campaigns(root / "data" / "raw")
    (cell,) = campaign.cells()
    excluded = (DISTURBED, PAIR_REPEATED)  # for the machine's sake, on a busy one
    records = [one for one in read_records(campaign.path / cell.id) if one["reject_reason"] not in excluded]
    assert all(map(arms.is_right, records))
    wanted = sorted(len(body) for _, body in FILES.values())
    assert all(sorted(entry["size"] for entry in one["artefact"]["log"]["entries"]) == wanted for one in records)
    assert {one["arm"] for one in records} == {"h3", "h2"}
