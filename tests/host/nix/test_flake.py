"""flake.nix with a real Nix: all its own logic runs; below it, tests/host/nix/hostpkgs stands in for nixpkgs.

What is fetched from registries is really fetched, by their own clients, and held to the pinned hashes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from longlook import paths
from longlook.stack.arms import open_sweep, sweep_files
from longlook.stack.spec import load_stack

pytestmark = [pytest.mark.nix, pytest.mark.root, pytest.mark.slow, pytest.mark.timeout(1200)]

HOSTPKGS = paths.ROOT / "tests" / "host" / "nix" / "hostpkgs"
# Root, no build users, no sandbox, nothing from outside: what Debian's nix-bin can do without a daemon.
CONFIG = """
experimental-features = nix-command flakes
sandbox = false
build-users-group =
substituters =
flake-registry =
warn-dirty = false
max-jobs = 4
"""
PACKAGES = {
    "default", "python", "linkpipe", "envoy", "gquicd", "chromium-2017", "chromium-64", "chromium-111", "chromium-126",
    "chromium-153", "stack-quicv1", "stack-quicv1c126", "stack-gquic37", "stack-today",
}  # fmt: skip
SHELLS = {"default", "quicv1", "quicv1c126", "gquic37", "gquic37nix", "today", "years", "book"}


READ = ("envs", "tools", "src", "flake.nix", "flake.lock", "requirements.txt")
"""What the flake reads of the repository."""


def copy_to(folder: Path) -> Path:
    """That, and nothing else."""
    folder.mkdir()
    for part in READ:
        source = paths.ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, folder / part)
    return folder


@pytest.fixture(scope="module")
def flake(tmp_path_factory):
    """The same flake without the data, the tests and the book, all of which every command of Nix would copy."""
    return f"path:{copy_to(tmp_path_factory.mktemp('flake') / 'copy')}"


def this_flake() -> str:
    """What git tracks here, as it is now; without git, the whole folder."""
    return f"git+file://{paths.ROOT}?shallow=1" if (paths.ROOT / ".git").exists() else f"path:{paths.ROOT}"


def nix(verb: str, what: str, *arguments: str, cwd: Path = paths.ROOT) -> subprocess.CompletedProcess:
    """Run `nix VERB WHAT` with both nixpkgs replaced; `arguments` follow."""
    replaced = [word for name in ("nixpkgs", "nixpkgs-2017") for word in ("--override-input", name, f"path:{HOSTPKGS}")]
    command = ["nix", *verb.split(), what, *replaced, *arguments]
    variables = {**os.environ, "NIX_CONFIG": CONFIG}
    for name in [name for name in variables if name.startswith(("LONGLOOK_", "PYTEST_"))]:
        del variables[name]
    return subprocess.run(
        command, cwd=cwd, env=variables, capture_output=True, text=True, timeout=1100, stdin=subprocess.DEVNULL
    )


def right(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 0, f"{' '.join(done.args)}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
    return done.stdout


def in_shell(flake: str, name: str, *command: str, cwd: Path = paths.ROOT) -> str:
    return right(nix("develop", f"{flake}#{name}", "-c", *command, cwd=cwd))


def test_it_shows_every_output():
    shown = json.loads(right(nix("flake show", this_flake(), "--json")))
    here = {kind: set(shown[kind]["x86_64-linux"]) for kind in ("packages", "devShells", "apps", "checks")}
    assert here == {
        "packages": PACKAGES,
        "devShells": SHELLS,
        "apps": {"reproduce"},
        "checks": {"stack-quicv1", "stack-gquic37", "tools"},
    }


def test_the_shell_of_the_years_has_every_stack_of_their_sweeps():
    listed = re.search(r"years = map .*?\[(.*?)\];", (paths.ROOT / "flake.nix").read_text(), re.DOTALL).group(1)
    here = {*re.findall(r'"(\w+)"', listed), "quicv1", "gquic37", "today"}
    wanted = {
        stack
        for name, path in sweep_files().items()
        if path.parent.name == "years"
        for stack in open_sweep(name).stacks()
    }
    without = {"nginx", "speedline-core-1.4"}
    no_shell = {name for name in wanted if without & {part.name for part in load_stack(name).parts}}
    assert no_shell == {"todaynginx", "todaypages", "todaymute", "todayfifo"} and wanted - no_shell <= here


def test_its_checks_pass():
    """Fetches both Chromiums, Envoy, wheels and modules, verifies every byte, asks every program for its version."""
    right(nix("flake check", this_flake(), "--print-build-logs"))


@pytest.mark.parametrize("stack", ["quicv1", "quicv1c126", "gquic37"])
def test_both_providers_give_the_same_stack(flake, stack):
    from longlook.stack import load_stack

    found = in_shell(flake, stack, "longlook", "stack", "show", stack)
    digest = re.search(r"^digest (\w{64})$", found, re.MULTILINE).group(1)
    assert digest == load_stack(stack).digest  # which names the portable installation, and is in its records
    provided = {line.split()[0]: line.split()[1:] for line in found.splitlines() if not line.startswith("digest")}
    assert {provider for _, provider in provided.values()} == {"nix"}


@pytest.mark.parametrize(("shell", "other"), [("quicv1", "gquic37"), ("gquic37", "quicv1")])
def test_the_doctor_says_where_each_component_comes_from(flake, shell, other):
    said = in_shell(flake, shell, "longlook", "doctor")
    (line,) = [line for line in said.splitlines() if f"stack {shell}" in line]
    assert (
        line.startswith("ok") and "from nix, verified" in line and "(portable)" not in line and "(system)" not in line
    )
    assert f"stack {other}" not in said
    for tool in ("ip", "ethtool", "node", "go"):
        assert re.search(rf"^ok +{tool} +/nix/store/", said, re.MULTILINE), said


@pytest.mark.browser
@pytest.mark.parametrize("stack", ["quicv1", "quicv1c126", "gquic37", "gquic37nix"])
def test_a_page_is_loaded_inside_the_shell(flake, stack):
    rows = json.loads(in_shell(flake, stack, "python", "tests/host/nix/one_load.py", stack).splitlines()[-1])
    assert set(rows) == {"quic", "tcp"}
    for protocol, row in rows.items():
        assert row["accepted"] or row["reject_reason"] == "disturbed", (protocol, row)
        assert row["browser"].startswith("/nix/store/")


def test_make_installs_nothing_inside_the_shell(tmp_path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(paths.ROOT), str(clone)], check=True, timeout=120)
    said = in_shell(this_flake(), "quicv1", "make", "--no-print-directory", "doctor", cwd=clone)
    assert "stack quicv1" in said
    assert not (clone / ".venv").exists() and not (clone / ".longlook").exists()


def test_the_app_asks_for_a_checkout(flake, tmp_path):
    done = nix("run", f"{flake}#reproduce", cwd=tmp_path)
    assert done.returncode != 0 and "is no checkout of this repository" in done.stderr


@pytest.fixture
def spoilt(tmp_path):
    """A copy of what the flake reads, in which one text is replaced."""

    def copy(file: str, old: str, new: str) -> str:
        root = copy_to(tmp_path / "copy")
        text = (root / file).read_text()
        assert old in text
        (root / file).write_text(text.replace(old, new))
        return f"path:{root}"

    return copy


def test_a_changed_program_is_refused(spoilt):
    from longlook.stack import load_stack

    pinned = load_stack("gquic37").spec.components["chromium"].sha256
    done = nix(
        "build",
        f"{spoilt('envs/parts/chromium-64/part.toml', pinned, pinned[::-1])}#chromium-64",
        "--no-link",
        "--print-build-logs",
    )
    assert done.returncode != 0 and "checksum did NOT match" in done.stderr


def test_a_changed_package_is_refused(spoilt):
    lock = json.loads((paths.ENVS / "parts" / "har-capturer-0.9" / "package-lock.json").read_text())
    pinned = lock["packages"]["node_modules/chrome-har-capturer"]["integrity"]
    wrong = pinned.replace("sha512-", "")[:40] + "A" * 46 + "=="
    file = "envs/parts/har-capturer-0.9/package-lock.json"
    done = nix("build", f"{spoilt(file, pinned, f'sha512-{wrong}')}#stack-gquic37", "--no-link")
    assert done.returncode != 0 and "hash mismatch in fixed-output derivation" in done.stderr


def test_the_userland_of_ubuntu_18_evaluates(flake):
    path = right(nix("eval", f"{flake}#legacyPackages.x86_64-linux.stack-gquic37-ubuntu-18.drvPath", "--raw"))
    assert path.endswith("-stack-gquic37-ubuntu-18.drv")


def test_the_lock_pins_what_the_flake_names():
    nodes = json.loads((paths.ROOT / "flake.lock").read_text())["nodes"]
    named = dict(re.findall(r'github:NixOS/nixpkgs/(\w{40})"()', (paths.ROOT / "flake.nix").read_text()))
    assert {nodes[name]["locked"]["rev"] for name in ("nixpkgs", "nixpkgs-2017")} == set(named)
    assert all(nodes[name]["locked"]["narHash"].startswith("sha256-") for name in ("nixpkgs", "nixpkgs-2017"))


def test_every_attribute_of_nixpkgs_is_listed():
    listed = set(re.findall(r"^\| `([^`]+)`", (paths.ENVS / "README.md").read_text(), re.MULTILINE))
    sources = [paths.ROOT / "flake.nix", *paths.ENVS.rglob("*.nix")]
    used = set(
        re.findall(
            r"\bpkgs(?:2017)?\.([a-zA-Z][\w-]*(?:\.[a-zA-Z][\w-]*)*)", "\n".join(path.read_text() for path in sources)
        )
    )
    assert used <= listed, used - listed
