"""A mirror: everything that locks name, held to their hashes; and installing from it where there is no network."""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from longlook import mirror, paths
from longlook.errors import LonglookError
from longlook.host.userns import has_rights
from longlook.mirror import SUMS, make_mirror
from longlook.stack.gobuild import find_go
from longlook.stack.offline import GO, NPM, PYTHON
from longlook.stack.part import load_part

CONTENT = b"a package"
INTEGRITY = f"sha512-{base64.b64encode(hashlib.sha512(CONTENT).digest()).decode()}"


@pytest.fixture
def npm(tmp_path, monkeypatch):
    """An npm that packs CONTENT for every package it is asked for, and writes down what that was."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "npm").write_text(f"""#!{sys.executable}
import pathlib, sys
folder, names = pathlib.Path(sys.argv[sys.argv.index("--pack-destination") + 1]), sys.argv[6:]
with open({str(tmp_path / "asked")!r}, "a") as asked:
    print(*names, file=asked)
for name in names:
    package, _, version = name.rpartition("@")
    (folder / f"{{package.lstrip('@').replace('/', '-')}}-{{version}}.tgz").write_bytes({CONTENT!r})
""")
    (programs / "npm").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return tmp_path / "asked"


def lock(**integrity):
    own = {f"node_modules/{name}": {"version": "1.0", "integrity": hash_} for name, hash_ in integrity.items()}
    bundled = {"node_modules/a/node_modules/in": {"version": "9", "inBundle": True}}
    return {"packages": {"": {"name": "x"}} | own | bundled}


def test_a_package_is_fetched_once_and_those_that_are_bundled_never(npm, tmp_path):
    for _ in range(2):
        mirror._tarballs(lock(a=INTEGRITY, b=INTEGRITY), tmp_path)
    assert sorted(path.name for path in tmp_path.glob("*.tgz")) == ["a-1.0.tgz", "b-1.0.tgz"]
    assert npm.read_text().splitlines() == ["a@1.0 b@1.0"]


def test_other_bytes_than_the_locks_are_refused_and_not_kept(npm, tmp_path):
    with pytest.raises(
        LonglookError, match=r"b-1\.0\.tgz is not what its lock names: expected sha512-x, found sha512-"
    ):
        mirror._tarballs(lock(b="sha512-x"), tmp_path)
    assert list(tmp_path.glob("*.tgz")) == [] and list(tmp_path.glob(".partial-*")) == []


def test_of_some_stacks_their_parts_and_without_a_name_every_part():
    assert "chromium-111" in (own := mirror._parts(["quicv1"])) and "chromium-64" not in own
    assert {"chromium-64", "axe-core-4.14", *own} <= set(mirror._parts([]))


def test_the_locks_of_the_machinery_are_among_them():
    found = [path.name for path in mirror._python_locks([load_part("envoy-1.40")])]
    assert found == ["requirements.txt", "bootstrap-go.txt", "bootstrap-uv.txt", "requirements.txt"]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The smallest parts of each kind and the emulator's modules, from their registries."""
    folder = tmp_path_factory.mktemp("mirror")
    chosen = [load_part("axe-core-4.14"), load_part("curl-cffi-0.16")]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LONGLOOK_MIRROR", raising=False)
        patch.setattr(mirror, "_parts", lambda stacks: [part.name for part in chosen])
        patch.setattr(
            mirror, "_python_locks", lambda parts: [part.lock("python") for part in parts if part.lock("python")]
        )
        make_mirror(folder, say=lambda text: None)
    return folder


@pytest.mark.slow
def test_every_file_is_in_the_list_of_hashes(kept):
    done = subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    listed = {line.split("  ", 1)[1] for line in (kept / SUMS).read_text().splitlines()}
    assert listed == {str(file.relative_to(kept)) for file in kept.rglob("*") if file.is_file()} - {SUMS}
    assert {name.split("/")[0] for name in listed} == {PYTHON, NPM, GO}


def cut_off(kept, tmp_path, source):
    """A program of ours where there is no network at all, and nothing of a registry in any cache. What Go has compiled
    it may keep, by content: without the sources it compiles nothing."""
    environment = os.environ | {
        "LONGLOOK_MIRROR": str(kept),
        "LONGLOOK_CACHE": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
        "GOMODCACHE": str(tmp_path / "modules"),
        "GOFLAGS": "-modcacherw",
        "GOCACHE": subprocess.check_output([find_go(paths.TOOLS / "linkpipe"), "env", "GOCACHE"], text=True).strip(),
        "npm_config_cache": str(tmp_path / "npm"),
        "PIP_CACHE_DIR": str(tmp_path / "pip"),
    }
    command = ["unshare", "--net", sys.executable, "-c", source]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, cwd=paths.ROOT)


@pytest.mark.slow
@pytest.mark.root
@pytest.mark.skipif(not has_rights(), reason="needs root, or a kernel that lets users make namespaces")
def test_with_the_network_cut_parts_and_tools_come_from_the_mirror(kept, tmp_path):
    parts = (
        "from longlook.stack.install import install_part as i; print(i('axe-core-4.14').name, i('curl-cffi-0.16').name)"
    )
    tool = "from longlook.stack.gobuild import build_tool as b; print(b('linkpipe'))"
    find_go(paths.TOOLS / "linkpipe")
    done = cut_off(kept, tmp_path, f"{parts}\n{tool}")
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines()[0] == "axe-core-4.14 curl-cffi-0.16"
    assert str(tmp_path / "cache") in done.stdout.splitlines()[1]


@pytest.mark.slow
@pytest.mark.root
@pytest.mark.skipif(not has_rights(), reason="needs root, or a kernel that lets users make namespaces")
def test_a_changed_package_of_a_mirror_is_refused(kept, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(kept, changed)
    (tarball,) = changed.glob("npm/axe-core-*.tgz")
    tarball.write_bytes(tarball.read_bytes() + b"\0")
    done = cut_off(changed, tmp_path, "from longlook.stack.install import install_part; install_part('axe-core-4.14')")
    assert done.returncode != 0 and "EINTEGRITY" in done.stderr


LOCK = """# made by uv
both==1 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via x
old==1.0 ; python_full_version < '{python}.5' \\
    --hash=sha256:cc
old==2.0 ; python_full_version >= '{python}.5' \\
    --hash=sha256:dd
other==1 ; sys_platform == 'win32' \\
    --hash=sha256:ee
"""


def test_wheels_are_kept_for_every_patch_release_of_this_python():
    """Who installs need not be who filled the mirror: pip judges markers by the Python that runs it."""
    first, last = (dict(mirror._pins(LOCK.format(python=mirror.PYTHON_VERSION), one)) for one in mirror.RELEASES)
    assert first == {"both==1": "--hash=sha256:aa --hash=sha256:bb", "old==1.0": "--hash=sha256:cc"}
    assert set(last) == {"both==1", "old==2.0"}


def test_each_release_is_asked_for_as_itself_whichever_runs_here(monkeypatch, tmp_path):
    """A package that one of them takes may refuse to be fetched by another."""
    asked = []

    def run(command, _cwd):
        chosen = Path(command[command.index("-r") + 1]).read_text()
        asked.append(
            (command[command.index("--python-version") + 1], [line.split()[0] for line in chosen.splitlines()])
        )

    monkeypatch.setattr(mirror, "_run", run)
    lock = tmp_path / "requirements.txt"
    lock.write_text(LOCK.format(python=mirror.PYTHON_VERSION))
    mirror._wheels(lock, tmp_path)
    first, last = mirror.RELEASES
    assert asked == [(first, ["both==1", "old==1.0"]), (last, ["old==2.0"])]
