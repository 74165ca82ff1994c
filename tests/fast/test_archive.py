"""The archive: the same bytes twice, all of a commit and the book, nothing of what is not committed."""

import json
import tarfile

import pytest
import yaml
from repositories import git

from longlook import archive, paths
from longlook.archive import BOOK_FOLDER, make_archive, require_tested
from longlook.errors import LonglookError
from longlook.record.crate import CRATE_NAME as CRATE


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository with a campaign, and a built book beside it."""
    root = tmp_path / "root"
    campaign = root / "data" / "raw" / "reference-x-20260101T000000"
    campaign.mkdir(parents=True)
    (campaign / "campaign.json").write_text("{}")
    (campaign / CRATE).write_text("{}")
    (root / "CITATION.cff").write_bytes((paths.ROOT / "CITATION.cff").read_bytes())
    (root / "run").write_text("#!/bin/sh\n")
    (root / "run").chmod(0o755)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")
    (root / "mine.txt").write_text("not committed")
    html = tmp_path / "html"
    (html / "book").mkdir(parents=True)
    (html / "index.html").write_text("<p>x")
    (html / ".buildinfo").write_text("when")
    monkeypatch.setattr(paths, "ROOT", root)
    return root, html


def test_the_same_commit_gives_the_same_bytes_in_any_folder(checkout, tmp_path, monkeypatch):
    root, html = checkout
    first = make_archive(html, tmp_path / "a.tar.gz")
    clone = tmp_path / "elsewhere"
    git(tmp_path, "clone", "-q", str(root), str(clone))
    monkeypatch.setattr(paths, "ROOT", clone)
    again = make_archive(html, tmp_path / "b.tar.gz")
    assert first.sha256 == again.sha256 and len(first.sha256) == 64
    assert first.path.read_bytes() == again.path.read_bytes() and first.bytes == first.path.stat().st_size


def test_a_tree_that_was_not_tested_is_refused(checkout, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "STATE", tmp_path)
    with pytest.raises(LonglookError, match=r"every test passes.*: make test ALL=1"):
        require_tested()
    tree = git(checkout[0], "rev-parse", "HEAD^{tree}")
    (tmp_path / "tested").write_text(f"{tree}\n")
    require_tested()
    (checkout[0] / "run").write_text("")
    git(checkout[0], "commit", "-qam", "y")
    with pytest.raises(LonglookError, match="nothing says so"):
        require_tested()


def test_it_has_what_is_committed_and_the_book_and_nothing_else(checkout, tmp_path):
    root, html = checkout
    made = make_archive(html, tmp_path / "a.tar.gz")
    with tarfile.open(made.path) as tar:
        members = {one.name.split("/", 1)[1]: one for one in tar.getmembers()}
        crate = json.load(tar.extractfile(next(one for one in tar.getmembers() if one.name.count("/") == 1 and
                                               one.name.endswith(CRATE))))  # fmt: skip
    campaign = "data/raw/reference-x-20260101T000000"
    assert set(members) == {
        CRATE, "CITATION.cff", "run", f"{campaign}/campaign.json", f"{campaign}/{CRATE}", f"{BOOK_FOLDER}/index.html"
    }  # fmt: skip
    assert made.files == len(members)
    assert (members["run"].mode, members["CITATION.cff"].mode) == (0o755, 0o644)
    assert {(one.uid, one.uname, one.mtime) for one in members.values()} == {
        (0, "", int(git(root, "show", "-s", "--format=%ct", "HEAD")))
    }
    known = {one["@id"]: one for one in crate["@graph"]}
    assert known[f"{campaign}/"]["subjectOf"] == {"@id": f"{campaign}/{CRATE}"}
    assert git(root, "rev-parse", "HEAD") in known["./"]["identifier"]
    assert loose(known) == set(), "every file and folder is a part of what it lies in"


def loose(known):
    """Files and folders of a crate that are reached from its root by no `hasPart`."""
    reached, ahead = set(), ["./"]
    while ahead:
        reached.add(here := ahead.pop())
        parts = known[here].get("hasPart", [])
        ahead += [part["@id"] for part in (parts if isinstance(parts, list) else [parts])]
    return {name for name, one in known.items() if one["@type"] in ("Dataset", "File")} - reached


def test_an_archive_is_of_a_commit(checkout, tmp_path, monkeypatch):
    root, html = checkout
    (root / "run").write_text("changed")
    with pytest.raises(LonglookError, match=r"1 files differ from the commit \(run is one\)"):
        make_archive(html, tmp_path / "a.tar.gz")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    with pytest.raises(LonglookError, match="no checkout that git can read"):
        make_archive(html, tmp_path / "a.tar.gz")
    assert list(tmp_path.glob("a.tar.gz*")) == []


def test_what_describes_the_artifact_for_others_says_the_same():
    facts = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    zenodo, codemeta = (json.loads((paths.ROOT / name).read_text()) for name in (".zenodo.json", "codemeta.json"))
    assert zenodo["title"] == facts["title"] and zenodo["license"] == facts["license"]
    assert codemeta["license"].endswith(facts["license"])
    assert zenodo["version"] == codemeta["version"] == facts["version"]
    assert zenodo["keywords"] == codemeta["keywords"] == facts["keywords"]
    assert {folder for folder in archive._WORDS if folder != BOOK_FOLDER} <= {
        str(path.relative_to(paths.ROOT)) for path in (*paths.ROOT.iterdir(), *(paths.ROOT / "data").iterdir())
    }
