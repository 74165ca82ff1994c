"""Symbolic links below the data, which whoever made a folder of data may have put there: none is followed."""

import os
import subprocess
import sys

import pytest
from repositories import git

from longlook import archive, paths
from longlook.errors import LonglookError
from longlook.record import campaigns, durable

PLACES = ["data", "data/raw", "data/processed"]


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "etc"
    (folder / "raw").mkdir(parents=True)
    (folder / "processed").mkdir()
    return folder


def call(data, *words):
    argv = [sys.executable, "-m", "longlook.cli", *words]
    done = subprocess.run(
        argv, env=os.environ | {"LONGLOOK_DATA": str(data)}, capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout + done.stderr


def files(folder):
    return sorted(str(path) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("words", [["process"], ["verify"], ["audit"], ["compare", "a", "b"], ["seal-index"]])
def test_a_folder_of_the_data_that_is_a_link_is_refused(place, words, elsewhere, tmp_path):
    data = tmp_path / "data"
    if place != "data":
        (data / "raw").mkdir(parents=True)
    link = tmp_path / place
    if link.is_dir():
        link.rmdir()
    link.symlink_to(elsewhere)
    status, said = call(data, *words)
    assert status == 1 and f"{link} is a symbolic link: none is followed here" in said
    assert files(elsewhere) == [] and "Traceback" not in said


def test_a_dangling_link_is_one_too(tmp_path):
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (tmp_path / "data" / "processed").symlink_to(tmp_path / "nowhere")
    status, said = call(tmp_path / "data", "process")
    assert status == 1 and "processed is a symbolic link" in said
    assert not (tmp_path / "nowhere").exists()


def test_a_campaign_that_is_a_link_is_left_out_by_name(tmp_path):
    raw = tmp_path / "data" / "raw"
    real = tmp_path / "elsewhere" / "tiny-20260101T000000"
    real.mkdir(parents=True)
    (real / "campaign.json").write_text("{}")
    raw.mkdir(parents=True)
    (raw / real.name).symlink_to(real)
    found, broken = campaigns.scan_campaigns(raw)
    assert found == [] and "is a symbolic link" in broken[real.name]
    with pytest.raises(LonglookError, match="is a symbolic link"):
        campaigns.find_campaign(raw, real.name)
    status, said = call(tmp_path / "data", "process")
    assert status == 1 and f"left out: {real.name}" in said and "is a symbolic link" in said


@pytest.mark.parametrize("where", ["log.jsonl", "interrupted", "cell.partial", "inner/deep"])
def test_a_campaign_with_a_link_in_it_is_not_measured_into(where, tmp_path):
    folder = tmp_path / "tiny-20260101T000000"
    (folder / "inner").mkdir(parents=True)
    (folder / where).symlink_to(tmp_path)
    with pytest.raises(LonglookError, match=f"{where} in it is a symbolic link"):
        campaigns._locked(campaigns.Campaign(folder, {"campaign": folder.name}))


def test_no_writer_and_no_reader_goes_through_a_link(elsewhere, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "DATA", tmp_path / "data")
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (elsewhere / "b").mkdir()
    (elsewhere / "b" / "secret").write_text("{}")
    for inside in ("a", "raw/a"):
        (tmp_path / "data" / inside).symlink_to(elsewhere)
        deep = tmp_path / "data" / inside / "b" / "secret"
        with pytest.raises(LonglookError, match=f"{inside} is a symbolic link"):
            durable.write_bytes(deep, b"x")
        with pytest.raises(OSError, match="is a symbolic link"):
            durable.read_bytes(deep)
        with pytest.raises(LonglookError, match="is a symbolic link"):
            durable.read_json(deep)
    assert (elsewhere / "b" / "secret").read_text() == "{}"


def test_a_link_in_place_of_a_half_written_file_is_not_written_through(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    target = tmp_path / "inner" / "table.csv"
    target.parent.mkdir()
    (target.parent / f".table.csv.{os.getpid()}.tmp").symlink_to(victim)
    durable.write_bytes(target, b"x")
    assert victim.read_text() == "mine" and target.read_bytes() == b"x" and not target.is_symlink()


def test_an_archive_has_nothing_that_a_link_points_to(tmp_path, monkeypatch):
    root = tmp_path / "root"
    root.mkdir()
    (root / "CITATION.cff").write_bytes((paths.ROOT / "CITATION.cff").read_bytes())
    (root / "notes.md").symlink_to("/etc/shadow")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    html = tmp_path / "html"
    html.mkdir()
    monkeypatch.setattr(paths, "ROOT", root)
    with pytest.raises(LonglookError, match=r"notes\.md is a symbolic link in the commit"):
        archive.make_archive(html, tmp_path / "a.tar.gz")
    git(root, "rm", "-q", "notes.md")
    git(root, "commit", "-qm", "y")
    (html / "page.html").symlink_to("/etc/shadow")
    with pytest.raises(LonglookError, match=r"page\.html is a symbolic link"):
        archive.make_archive(html, tmp_path / "a.tar.gz")
    assert not (tmp_path / "a.tar.gz").exists()
