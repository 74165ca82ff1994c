"""A tiny stack of two parts made of local files: a pretended browser with an npm library, a program of the system."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from longlook import paths
from longlook.stack.part import PYTHON
from longlook.stack.spec import Stack, load_stack
from longlook.stack.tree import files_below, sha256_of, tree_sha256

PROGRAM = b"#!/bin/sh\necho tiny/1.2.3\n"

STACK = """
name = "tiny"
title = "a stack of local files"
platform = "linux-x86_64"
[parts]
browser = "tinybrowser-1.2"
shell = "shell"
[quic]
version = "v1"
tls = "1.3"
client = "chromium"
server = "envoy"
client_flags = ["--quiet"]
controllers = {cubic = [], bbr = ["--quic-connection-options=TBBR"]}
[tcp]
version = "h2"
tls = "1.3"
client = "chromium"
server = "apache"
controllers = {cubic = []}
[cca]
default = "cubic"
emulated_connections = 2
"""
BROWSER = """
name = "tinybrowser-1.2"
title = "a pretended browser"
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
[components.chrome-har-capturer]
role = "library"
source = "npm"
package = "tinybrowser"
version = "1.2.3"
reports = {{how = "package"}}
[clients.chromium.quic.v1]
har_protocol = "h3"
flags = ["--enable-quic"]
[clients.chromium.tcp.h2]
har_protocol = "h2"
"""
SHELL = """
name = "shell"
title = "the system's shell"
[components.shell]
role = "server"
source = "system"
package = "bash"
commands = ["no-such-shell", "bash"]
minimum = "3.0"
reports = {how = "exit", argv = ["--version"], regex = 'version ([0-9.]+)'}
"""
LIBRARY = """
name = "tinylib-1.0"
title = "a Python package"
[locks]
python = "requirements.txt"
python_tree_sha256 = {"PYTHON" = "TREE"}
[components.tinylib]
role = "client"
source = "pypi"
package = "tiny_lib"
version = "1.0"
reports = {how = "package"}
[components.inside]
role = "library"
source = "pypi"
package = "tiny_lib"
package_version = "1.0"
version = "7.1"
part_of = "tinylib"
reports = {how = "python", argv = ["-c", "import tiny_lib; print(tiny_lib.INSIDE)"], regex = 'inside ([0-9.]+)'}
[clients.curl.quic.v1]
har_protocol = "HTTP/3"
flags = ["--http3-only"]
"""


def write_modules(folder: Path) -> None:
    """What `npm ci` would have made, the program included."""
    package = folder / "tinybrowser"
    (package / "bin").mkdir(parents=True)
    (package / "package.json").write_text('{"name": "tinybrowser", "version": "1.2.3"}')
    (package / "index.js").write_text("module.exports = 1\n")
    (package / "bin" / "browser").write_bytes(PROGRAM)


def write_python(folder: Path) -> None:
    """What `pip install --target` would have made, with what differs between machines."""
    for name, text in {
        "tiny_lib/__init__.py": "INSIDE = 'inside 7.1'\n",
        "tiny_lib-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny-lib\nVersion: 1.0\n",
        "tiny_lib-1.0.dist-info/RECORD": f"made in {folder}\n",
        "bin/tiny": f"#!{folder}/bin/python\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def tree_of(folder: Path, *without: str) -> str:
    return tree_sha256({path: sha256_of(folder / path) for path in files_below(folder) if path not in without})


class Tiny:
    """The definition of the stack `tiny` under envs/, and ways to change it."""

    def __init__(self, envs: Path):
        self.envs = envs
        self.toml = self.stack("tiny", STACK)
        made = envs.parent / "made"
        write_modules(made / "node_modules")
        write_python(made / "python")
        text = BROWSER.format(
            tree=tree_of(made / "node_modules", "tinybrowser/bin/browser"), program=hashlib.sha256(PROGRAM).hexdigest()
        )
        self.browser = self.part("tinybrowser-1.2", text)
        self.lock = self.browser.with_name("package-lock.json")
        self.lock.write_text(
            json.dumps({"lockfileVersion": 3, "packages": {"": {}, "node_modules/tinybrowser": {"version": "1.2.3"}}})
        )
        self.browser.with_name("package.json").write_text("{}")
        self.part("shell", SHELL)
        library = tree_of(made / "python", "bin/tiny")
        self.library = self.part("tinylib-1.0", LIBRARY.replace("PYTHON", PYTHON).replace("TREE", library))
        self.library.with_name("requirements.txt").write_text("tiny-lib==1.0 \\\n    --hash=sha256:00\n")

    def stack(self, name: str, text: str) -> Path:
        """The file of a further stack."""
        return self._write(self.envs / name / "stack.toml", text)

    def over(self, base: str, name: str, text: str = "") -> Path:
        """The file of a stack over another."""
        return self.stack(name, f'base = "{base}"\nname = "{name}"\ntitle = "over {base}"\n{text}\n')

    def variants(self, text: str) -> None:
        """The file of the stacks that have no folder."""
        (self.envs / "variants.toml").write_text(text)

    def part(self, name: str, text: str) -> Path:
        """The file of a further part."""
        return self._write(self.envs / "parts" / name / "part.toml", text)

    def copy_part(self, of: Path, name: str, *replaced: tuple[str, str]) -> Path:
        """A part like another one, by another name."""
        made = self.part(name, of.read_text())
        self.replace(f'name = "{of.parent.name}"', f'name = "{name}"', made)
        for old, new in replaced:
            self.replace(old, new, made)
        for file in of.parent.iterdir():
            if file.name != "part.toml":
                (made.parent / file.name).write_bytes(file.read_bytes())
        return made

    @staticmethod
    def _write(path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True)
        path.write_text(text)
        return path

    def replace(self, old: str, new: str, file: Path | None = None) -> None:
        """In the file that has it, unless one is named."""
        file = file or next(one for one in (self.toml, self.browser, self._shell) if old in one.read_text())
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new, 1))

    @property
    def _shell(self) -> Path:
        return self.envs / "parts" / "shell" / "part.toml"

    def load(self, name: str = "tiny") -> Stack:
        return load_stack(name, self.envs)


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
        if "pip" in command:
            write_python(Path(command[command.index("--target") + 1]))
        else:
            write_modules(folder / "node_modules")

    monkeypatch.setattr(module, "_fetch", fetch)
    return commands
