"""A tiny stack made of local files: one system program, one pretended browser, two npm files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from longlook import paths
from longlook.stack.spec import load_stack
from longlook.stack.tree import files_below, sha256_of, tree_sha256

PROGRAM = b"#!/bin/sh\necho tiny/1.2.3\n"

TOML = """
name = "tiny"
title = "a stack of local files"
platform = "linux-x86_64"
[locks]
npm = "package-lock.json"
npm_tree_sha256 = "{tree}"
[components.browser]
role = "client"
source = "npm"
package = "tinybrowser"
version = "1.2.3"
file = "bin/browser"
sha256 = "{program}"
reports = {{how = "exit", argv = ["--version"], regex = 'tiny/([0-9.]+)'}}
[components.tinybrowser]
role = "library"
source = "npm"
package = "tinybrowser"
version = "1.2.3"
reports = {{how = "package"}}
[components.shell]
role = "server"
source = "system"
package = "bash"
commands = ["no-such-shell", "bash"]
minimum = "3.0"
reports = {{how = "exit", argv = ["--version"], regex = 'version ([0-9.]+)'}}
[quic]
har_protocol = "h3"
tls = "1.3"
client = "chromium"
server = "envoy"
client_flags = ["--enable-quic"]
controllers = {{cubic = [], bbr = ["--quic-connection-options=TBBR"]}}
[tcp]
har_protocol = "h2"
tls = "1.3"
client = "chromium"
server = "apache"
controllers = {{cubic = []}}
[cca]
default = "cubic"
emulated_connections = 2
"""


def write_tree(folder: Path) -> None:
    """What `npm ci` would have made, the program included."""
    package = folder / "tinybrowser"
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text('{"name": "tinybrowser", "version": "1.2.3"}')
    (package / "index.js").write_text("module.exports = 1\n")
    (package / "bin" / "browser").write_bytes(PROGRAM)


class Tiny:
    """The definition of the stack `tiny` under envs/, and ways to spoil it."""

    def __init__(self, envs: Path):
        self.envs, self.folder = envs, envs / "tiny"
        self.folder.mkdir(parents=True)
        tree = envs.parent / "tree"
        write_tree(tree)
        kept = [path for path in files_below(tree) if not path.endswith("bin/browser")]
        self.toml = self.folder / "stack.toml"
        self.toml.write_text(
            TOML.format(
                tree=tree_sha256({path: sha256_of(tree / path) for path in kept}),
                program=hashlib.sha256(PROGRAM).hexdigest(),
            )
        )
        self.lock = self.folder / "package-lock.json"
        self.lock.write_text(
            json.dumps({"lockfileVersion": 3, "packages": {"": {}, "node_modules/tinybrowser": {"version": "1.2.3"}}})
        )
        (self.folder / "package.json").write_text("{}")

    def replace(self, old: str, new: str) -> None:
        text = self.toml.read_text()
        assert old in text
        self.toml.write_text(text.replace(old, new, 1))

    def load(self):
        return load_stack("tiny", self.envs)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ENVS", tmp_path / "envs")
    monkeypatch.setattr(paths, "CACHE", tmp_path / "cache")
    for variable in ("LONGLOOK_STACK_TINY", "LONGLOOK_STACKS"):
        monkeypatch.delenv(variable, raising=False)
    return Tiny(tmp_path / "envs")


@pytest.fixture
def fetched(monkeypatch):
    """Installing takes its files from here and not from a registry; lists every command that would have run."""
    import longlook.stack.install as module

    commands: list[list[str]] = []

    def fetch(command: list[str], folder: Path) -> None:
        commands.append(command)
        write_tree(folder / "node_modules")

    monkeypatch.setattr(module, "_fetch", fetch)
    return commands
