"""Packages of another Debian release: asked of the machine's own mirror, unpacked whole or not at all, told by hash."""

import os
import subprocess
import sys

import pytest

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack import debian
from longlook.stack.debian import DebianPackages, unpack

WANTED = DebianPackages.parse({"release": "trixie", "packages": ["serve", "libc6"]})
FILES = {
    "serve": {"usr/sbin/serve": "a program", "etc/serve/types": "types"},
    "libc6": {"usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2": '#!/bin/sh\necho "loader: $@"\n'},
}
APT = """
import os, pathlib, sys
asked = sys.argv[1:]
with open(os.environ["ASKED"], "a") as told:
    print(*(one for one in asked if not one.startswith("-")), file=told)
if "indextargets" in asked:
    print(os.environ["MIRROR"])
elif "update" in asked:
    (sources,) = (one.partition("=")[2] for one in asked if one.startswith("-oDir::Etc::SourceList="))
    with open(os.environ["ASKED"], "a") as told:
        print(pathlib.Path(sources).read_text().split("] ")[1], end="", file=told)
    if os.environ["MIRROR"] == "gone":
        sys.exit("E: The repository has no Release file.")
else:
    for name in asked[asked.index("download") + 1 :]:
        pathlib.Path(f"{name}_1_amd64.deb").write_text(name)
"""
DPKG = f"""
import pathlib, sys
file, root = map(pathlib.Path, sys.argv[2:])
for name, text in {FILES!r}[file.read_text()].items():
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text(text)
    (root / name).chmod(0o755)
"""


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """One whose apt writes down what it is asked for; sets its mirror."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("apt-get", APT), ("dpkg-deb", DPKG)):
        (programs / name).write_text(f"#!{sys.executable}\n{text}")
        (programs / name).chmod(0o755)
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("MIRROR", "mirror:/debian/")
    return tmp_path


def test_a_program_starts_with_the_loader_and_the_libraries_of_its_release(machine):
    found = unpack(WANTED)
    said = subprocess.check_output([found.starters / "serve", "a b"], text=True)
    libraries = found.root / "usr/lib/x86_64-linux-gnu"
    assert said == f"loader: --library-path {libraries} {found.root}/usr/sbin/serve a b\n"
    assert (found.root / "etc/serve/types").read_text() == "types"
    assert found.program("serve") == found.root / "usr/sbin/serve"
    assert {name: len(digest) for name, digest in found.packages.items()} == {
        "libc6_1_amd64.deb": 64,
        "serve_1_amd64.deb": 64,
    }


def test_the_machines_own_mirror_is_asked_once_for_that_release(machine):
    for _ in range(2):
        unpack(WANTED)
    asked = (machine / "asked").read_text().splitlines()
    assert asked[1:] == ["update", "mirror:/debian/ trixie main", "download serve libc6"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"mirror": "gone"}, r"apt-get ended with status 1: E: The repository has no Release file"),
        ({"mirror": ""}, "apt has no list of Debian's packages here: apt-get update"),
        ({"packages": ["serve"]}, r"no loader is among serve_1_amd64\.deb: name libc6 too"),
        ({"gone": "apt-get"}, "there is no apt-get here: packages of a Debian release are for Debian"),
    ],
)
def test_what_cannot_be_had_is_said_and_leaves_nothing(machine, monkeypatch, fault, words):
    wanted = DebianPackages.parse({"release": "trixie", "packages": fault.get("packages", WANTED.packages)})
    monkeypatch.setenv("MIRROR", fault.get("mirror", "mirror:/debian/"))
    monkeypatch.setattr(debian.shutil, "which", lambda name: None if name == fault.get("gone") else name)
    with pytest.raises(LonglookError, match=words):
        unpack(wanted)
    assert [one.suffix for one in (machine / "cache" / "debian").iterdir()] == [".lock"]
