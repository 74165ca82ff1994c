"""A question asked of the repository's site on one link, with the real browser and servers."""

import hashlib

import pytest
from arms import is_right
from driven import longlook
from stated_servers import NGINX

from longlook import paths
from longlook.record.campaigns import read_campaigns
from longlook.record.samples import read_records
from longlook.site.recorded import open_site

pytestmark = [pytest.mark.netns, pytest.mark.slow]


def test_both_visits_load_every_file_of_the_site_and_the_page_says_what_was_found(tmp_path):
    page = tmp_path / "page.html"
    (tmp_path / "data").mkdir()
    require = ["--require", "plt: h3 <= h2 + 900 %", "--out", str(page)]
    arms = ["--visit", "first,return", "--server", str(NGINX), "--loads", "1"]
    done = longlook(tmp_path / "data", paths.ROOT, "ask", "docs", "--links", "lte", *arms, *require)
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
        assert all(map(is_right, records))
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
