"""A HAR that a browser wrote, of a site with files of several types: added, and asked about."""

import shutil
from dataclasses import replace

import arms
import pytest
from driven import longlook

from longlook import paths
from longlook.analysis.first_attempts import DISTURBED
from longlook.experiment.reasons import PAIR_REPEATED
from longlook.record.campaigns import read_campaigns
from longlook.record.samples import read_records
from longlook.server.envoy_tcp import EnvoyTcp
from longlook.site.font import font
from longlook.site.jpeg import jpeg
from longlook.site.png import png
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


def write(root):
    for path, (_, body) in FILES.items():
        target = root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(body)
    files = {path: described(body, kind) for path, (kind, body) in FILES.items()}
    files["/app.js"] = replace(files["/app.js"], query="v=2")
    return Site(root, files, ("/index.html",))


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
