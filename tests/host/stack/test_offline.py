"""Installing from a mirror: no registry is asked, and every byte is held to the same locks."""

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack import offline
from longlook.stack.gopatch import go_environment


@pytest.fixture
def kept(tmp_path, monkeypatch):
    folder = tmp_path / "mirror"
    for kind in (offline.PYTHON, offline.NPM, offline.GO):
        (folder / kind).mkdir(parents=True)
    monkeypatch.setenv("LONGLOOK_MIRROR", str(folder))
    return folder


def test_without_a_mirror_nothing_is_different(monkeypatch):
    monkeypatch.delenv("LONGLOOK_MIRROR", raising=False)
    text = (paths.ENVS / "parts/axe-core-4.14/package-lock.json").read_text()
    assert offline.mirror() is None and offline.npm_lock(text) == text
    assert offline.pip_options() == offline.npm_options() == [] and offline.go_options() == {}


def test_a_folder_that_is_no_mirror_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("LONGLOOK_MIRROR", str(tmp_path))
    with pytest.raises(LonglookError, match="which is no mirror: make mirror"):
        offline.mirror()


def test_every_client_is_sent_to_the_mirror(kept):
    assert offline.pip_options() == ["--no-index", "--find-links", f"{kept}/python"]
    assert go_environment()["GOPROXY"] == f"file://{kept}/go"
    lock = json.loads(offline.npm_lock((paths.ENVS / "parts/chromium-126/package-lock.json").read_text()))
    own = offline.packages(lock)
    assert own and all(facts["resolved"].startswith(f"file:{kept}/npm/") for facts in own.values())
    assert all(facts["integrity"] for facts in own.values())


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("node_modules/ws", "ws-1.2.tgz"),
        ("node_modules/@a/b", "a-b-1.2.tgz"),
        ("node_modules/x/node_modules/@a/b", "a-b-1.2.tgz"),
    ],
)
def test_a_tarball_has_the_name_that_npm_gives_it(place, name):
    assert offline.tarball(place, {"version": "1.2"}) == name


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm: apt-get install npm")
@pytest.mark.slow
def test_npm_takes_a_kept_tarball_and_no_other(kept, tmp_path, monkeypatch):
    """By the integrity of its lock, which stays; the network is not asked."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "package.json").write_text('{"name": "tiny", "version": "1.0.0"}')
    tarball = kept / "npm" / "tiny-1.0.0.tgz"
    with tarfile.open(tarball, "w:gz") as tar:
        tar.add(package, "package")
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()
    lock = {"name": "x", "lockfileVersion": 3, "requires": True, "packages": {
        "": {"name": "x", "dependencies": {"tiny": "1.0.0"}},
        "node_modules/tiny": {"version": "1.0.0", "integrity": integrity}}}  # fmt: skip
    work = tmp_path / "work"
    work.mkdir()
    (work / "package.json").write_text('{"name": "x", "dependencies": {"tiny": "1.0.0"}}')
    (work / "package-lock.json").write_text(offline.npm_lock(json.dumps(lock)))

    def ci():
        command = ["npm", "ci", "--ignore-scripts", "--cache", str(tmp_path / "cache"), *offline.npm_options()]
        return subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=300)

    assert (done := ci()).returncode == 0, done.stderr
    assert (work / "node_modules/tiny/package.json").exists()
    shutil.rmtree(tmp_path / "cache")
    (package / "package.json").write_text('{"name": "tiny", "version": "1.0.0", "other": 1}')
    with tarfile.open(tarball, "w:gz") as tar:
        tar.add(package, "package")
    assert "EINTEGRITY" in ci().stderr
