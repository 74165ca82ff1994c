"""A question asked of the repository's site on one link, with the real browser and servers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from longlook import paths
from longlook.record.campaigns import read_campaigns
from longlook.record.samples import read_records
from longlook.site.recorded import open_site

pytestmark = [pytest.mark.netns, pytest.mark.slow]


def test_both_protocols_load_every_file_of_the_site_and_the_page_says_what_was_found(tmp_path):
    page = tmp_path / "page.html"
    (tmp_path / "data").mkdir()
    command = [
        str(Path(sys.executable).with_name("longlook")),
        "ask",
        "docs",
        "--links",
        "lte",
        "--quick",
        "--out",
        str(page),
    ]
    done = subprocess.run(
        [*command, "--require", "plt: h3 <= h2 + 900 %"],
        env=os.environ | {"LONGLOOK_DATA": str(tmp_path / "data"), "LONGLOOK_ROOT": str(paths.ROOT)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert "Does HTTP/3 pay, by page load time?" in done.stdout, done.stderr[-2000:]
    text = page.read_text(encoding="utf-8")
    assert "Does HTTP/3 pay" in text and "<script" not in text
    (campaign,) = read_campaigns(tmp_path / "data" / "raw")
    (cell,) = campaign.cells()
    records = list(read_records(campaign.path / cell.id))
    assert {one["reject_reason"] for one in records} <= {None, "disturbed"}
    site = open_site("docs")
    for one in records:
        entries = one["artefact"]["log"]["entries"]
        assert sorted(entry["size"] for entry in entries) == sorted(file.size_bytes for file in site.files)
        assert {entry["httpVersion"] for entry in entries} == {one["arm"]}
    counted = {one["arm"] for one in records if one["accepted"]}
    assert done.returncode == (0 if counted == {"h3", "h2"} else 1), (counted, done.stdout)
