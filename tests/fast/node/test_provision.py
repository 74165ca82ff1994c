"""Bundles: a digest says what is in them, and nothing else."""

import os
import subprocess
import sys
import tarfile
from types import SimpleNamespace

from longlook import paths
from longlook.node import provision


def test_equal_files_give_an_equal_digest_whatever_their_times(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    source = tmp_path / "a.txt"
    source.write_text("one")
    first = provision._pack([(source, "x/a.txt")], "t")
    os.utime(source, (1, 1))
    assert provision._pack([(source, "x/a.txt")], "t") == first
    with tarfile.open(first.path) as archive:
        assert archive.getnames() == ["x/a.txt"]


def test_content_name_and_executability_each_change_the_digest(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    source = tmp_path / "a.txt"
    source.write_text("one")
    digests = {provision._pack([(source, "a")], "t").digest, provision._pack([(source, "b")], "t").digest}
    source.chmod(0o755)
    digests.add(provision._pack([(source, "a")], "t").digest)
    source.write_text("two")
    digests.add(provision._pack([(source, "a")], "t").digest)
    assert len(digests) == 4


def test_the_code_bundle_holds_what_a_cell_needs_and_no_data(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    provision.code_bundle.cache_clear()
    with tarfile.open(provision.code_bundle().path) as archive:
        names = set(archive.getnames())
    provision.code_bundle.cache_clear()
    assert {
        "src/longlook/cli.py",
        "notebooks/plt.ipynb",
        "envs/quicv1/envoy.yaml",
        "tools/bootstrap",
        "requirements.txt",
    } <= names
    assert not [name for name in names if name.startswith("data/raw") or "__pycache__" in name]


def test_a_nodes_python_is_asked_once_for_each_code(tmp_path, monkeypatch):
    session = SimpleNamespace(
        run=lambda argv, timeout_s: subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    )
    node = object.__new__(provision.Provisioned)
    node._session, node.code = session, str(tmp_path)
    monkeypatch.setattr(provision, "NEEDED", "import json, nothing_like_it")
    assert node._having_needed(sys.executable) == ""  # and that is not kept
    monkeypatch.setattr(provision, "NEEDED", "import json")
    assert node._having_needed(sys.executable) == sys.executable
    monkeypatch.setattr(provision, "NEEDED", "import nothing_like_it")
    assert node._having_needed(sys.executable) == sys.executable
    assert node._having_needed("/nowhere/python") == ""
