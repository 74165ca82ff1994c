"""A stack as it lies on this machine: found, verified, and answering what adapters ask.

Layout, the same for both providers: `bin/<component>` for each packaged program, `node_modules/`.
Provider `portable` is the per-user cache, filled by install.py; provider `nix` is the folder that the
environment variable LONGLOOK_STACK_<NAME> points to. Both are held to the hashes of stack.toml. Nix adds
`run/<component>`: the same program made to use the loader and libraries of its store, which is what is started.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack import versions
from longlook.stack.gobuild import build_tool
from longlook.stack.spec import Cca, Component, ProtocolFacts, Stack, load_stack, offered_stacks
from longlook.stack.tree import Entry, Stamp, files_below, tree_sha256

SYSTEM_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
"""Debian keeps servers there, and leaves these folders out of the PATH of ordinary users."""


class ChangedError(LonglookError):
    """Installed files are not the bytes that stack.toml and its locks name."""


class NotOfferedError(LonglookError):
    """This Nix shell was made without the stack."""


class Installed:
    """One installed stack. `open_stack` makes it; the files have been verified by then."""

    def __init__(self, stack: Stack, folder: Path, provider: Literal["portable", "nix"]):
        self.stack, self.folder, self.provider = stack, folder, provider

    def __repr__(self) -> str:
        return f"Installed({self.name!r}, {str(self.folder)!r}, {self.provider!r})"

    @property
    def name(self) -> str:
        return self.stack.name

    @property
    def digest(self) -> str:
        """SHA-256 of the whole stack's definition; the same whichever provider."""
        return self.stack.digest

    @property
    def node_modules(self) -> Path:
        """The folder that holds the npm packages of the lock file."""
        return self.folder / "node_modules"

    def binary(self, name: str) -> Path:
        """Path of a component's program: the installation's own, else, for the system's components, from PATH."""
        component = self._component(name)
        if component.is_installed_program:
            adapted = self.folder / "run" / name
            return adapted if adapted.exists() else self.folder / "bin" / name
        if component.source == "go":
            return build_tool(component.package)
        search = os.pathsep.join((str(self.folder / "bin"), os.environ.get("PATH", os.defpath), SYSTEM_FOLDERS))
        for command in component.commands:
            if found := shutil.which(command, path=search):
                return Path(found)
        if not component.commands:
            raise LonglookError(f"component {name} of stack {self.name} has no program of its own")
        raise LonglookError(
            f"stack {self.name} needs {' or '.join(component.commands)}, which is not on PATH: apt-get install {component.package}"
        )

    def protocol(self, protocol: str) -> ProtocolFacts:
        """Facts of one arm: `quic` or `tcp`."""
        if protocol not in ("quic", "tcp"):
            raise LonglookError(f"no protocol {protocol!r} (known: quic, tcp)")
        return getattr(self.stack.spec, protocol)

    def server(self, protocol: str) -> str:
        """Name of the server adapter."""
        return self.protocol(protocol).server

    def client(self, protocol: str) -> str:
        """Name of the client adapter."""
        return self.protocol(protocol).client

    def har_protocol(self, protocol: str) -> str:
        """What every HAR entry must name as its protocol."""
        return self.protocol(protocol).har_protocol

    def client_options(self, protocol: str, cca: Cca, asked: Sequence[str] = ()) -> tuple[str, ...]:
        """Switches of the client that ask for a congestion controller (none where the server sets it alone) and, of a QUIC
        server, for the connection options `asked`."""
        controllers = self.protocol(protocol).controllers
        if cca not in controllers:
            raise LonglookError(f"stack {self.name} offers {', '.join(controllers)} for {protocol}, not {cca}")
        options = (f"--quic-connection-options={','.join(asked)}",) if asked and protocol == "quic" else ()
        return (*controllers[cca], *options)

    def client_flags(self, protocol: str) -> tuple[str, ...]:
        """Switches that make the client speak this stack's version of the protocol."""
        return self.protocol(protocol).client_flags

    @property
    def tls(self) -> str:
        """TLS version of the TCP side: `1.3` or `1.2`."""
        return self.stack.spec.tcp.tls

    @cached_property
    def _facts(self) -> dict[str, dict[str, Any]]:
        found = {}
        for name, component in self.stack.spec.components.items():
            version = versions.reported(self, name)
            _check_version(self.name, name, component, version)
            provider = self.provider
            if component.source == "system" and not self._is_own(component.part_of or name):
                provider = "system"
            found[name] = {"version": version, "sha256": self._sha256(component, name), "provider": provider}
        return found

    def components(self) -> dict[str, dict[str, Any]]:
        """Name -> version (as the running program reports it), sha256 (of the program, else of the package's
        folder), provider (`portable`, `nix`, or `system` for what comes with the machine)."""
        return {name: dict(facts) for name, facts in self._facts.items()}

    def component_versions(self) -> dict[str, str]:
        """Name -> version, as the running programs report them."""
        return {name: facts["version"] for name, facts in self._facts.items()}

    def _component(self, name: str) -> Component:
        try:
            return self.stack.spec.components[name]
        except KeyError:
            known = ", ".join(self.stack.spec.components)
            raise LonglookError(f"stack {self.name} has no component {name!r} (known: {known})") from None

    def _is_own(self, name: str) -> bool:
        return self.binary(name).is_relative_to(self.folder)

    def _sha256(self, component: Component, name: str) -> str | None:
        if component.sha256:
            return component.sha256
        if component.source == "npm":
            folder = self.node_modules / component.package
            return tree_sha256({path: Entry.of(folder / path).sha256 for path in files_below(folder)})
        return Entry.of(self.binary(name)).sha256 if component.commands or component.source == "go" else None

    @property
    def _stamp(self) -> Path:
        key = hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]
        return paths.CACHE / "stacks" / "stamps" / f"{self.stack.label}-{key}.json"

    def verify(self, full: bool = False) -> None:
        """Raise `ChangedError` unless every file is as pinned.

        Without `full` a file with the size and time of the last full check counts as unchanged; whatever
        else is seen leads to a full check, which hashes every byte (about 0.3 s for 260 MB).
        """
        stamp = Stamp.read(self._stamp)
        if not full and stamp is not None and self._looks_untouched(stamp):
            return
        Stamp(self.digest, self.check_every_byte(stamp)).write(self._stamp)

    def check_every_byte(self, stamp: Stamp | None = None) -> dict[str, Entry]:
        """Hash every file and compare with what is pinned; an older stamp helps to name the file that differs."""
        hashed = {path: self._hash(path) for path in self._files()}
        self._compare(hashed, stamp)
        return hashed

    def _files(self) -> list[str]:
        programs = [
            f"bin/{name}" for name, component in self.stack.spec.components.items() if component.is_installed_program
        ]
        return programs + [f"node_modules/{path}" for path in files_below(self.node_modules)]

    def _looks_untouched(self, stamp: Stamp) -> bool:
        if stamp.digest != self.digest or set(stamp.files) != set(self._files()):
            return False
        return all(entry.looks_untouched(self.folder / path) for path, entry in stamp.files.items())

    def _hash(self, path: str) -> Entry:
        try:
            return Entry.of(self.folder / path)
        except OSError as error:
            raise ChangedError(
                f"stack {self.name}: cannot read {self.folder / path} ({error.strerror}). {self._remedy()}"
            ) from None

    def _compare(self, hashed: dict[str, Entry], stamp: Stamp | None) -> None:
        for name, component in self.stack.spec.components.items():
            if component.is_installed_program and hashed[f"bin/{name}"].sha256 != component.sha256:
                self._refuse(self.folder / "bin" / name, component.sha256, hashed[f"bin/{name}"].sha256)
        expected = self.stack.spec.locks.npm_tree_sha256
        if expected is None:
            return
        tree = {
            path.removeprefix("node_modules/"): entry.sha256
            for path, entry in hashed.items()
            if path.startswith("node_modules/")
        }
        found = tree_sha256(tree)
        if found == expected:
            return
        # The tree's hash says that something differs; the last good stamp, if there is one, says what.
        before = (
            {path: entry for path, entry in stamp.files.items() if path.startswith("node_modules/")} if stamp else {}
        )
        for path in sorted(set(before) & set(hashed)):
            if before[path].sha256 != hashed[path].sha256:
                self._refuse(self.folder / path, before[path].sha256, hashed[path].sha256)
        self._refuse(self.node_modules, expected, found)

    def _refuse(self, path: Path, expected: str | None, found: str) -> None:
        raise ChangedError(
            f"stack {self.name}: {path} is not what is pinned: expected sha256 {expected}, found {found}. {self._remedy()}"
        )

    def _remedy(self) -> str:
        if self.provider == "nix":
            return f"It is the folder of {variable_of(self.name)}: leave the Nix shell and enter it again, or repair the Nix store."
        return f"Install it again: longlook stack install --force {self.name}"


def variable_of(name: str) -> str:
    """The environment variable by which another provider offers a stack."""
    return f"LONGLOOK_STACK_{name.upper()}"


def locate(stack: Stack) -> Installed | None:
    """Where the stack is, not verified; None when nothing has been installed."""
    if stack.name not in offered_stacks():
        here = ", ".join(offered_stacks()) or "no stack"
        raise NotOfferedError(
            f"here is {here}, not {stack.name}: enter a Nix shell that has it: nix develop .#{stack.name}"
        )
    given = os.environ.get(variable_of(stack.name))
    if given:
        folder = Path(given)
        if not folder.is_dir():
            raise LonglookError(
                f"{variable_of(stack.name)} names {folder}, which is not a folder: unset it or correct it"
            )
        return Installed(stack, folder, "nix")
    folder = paths.CACHE / "stacks" / stack.label
    return Installed(stack, folder, "portable") if folder.is_dir() else None


def open_stack(name: str, full_check: bool = False) -> Installed:
    """The installed stack, verified; a missing or changed one is an error with its remedy. Installs nothing."""
    stack = load_stack(name)
    found = locate(stack)
    if found is None:
        raise LonglookError(
            f"stack {name} ({stack.label}) is not installed in {paths.CACHE / 'stacks'}: "
            f"run longlook stack install {name}, or make reproduce"
        )
    found.verify(full=full_check)
    return found


def _check_version(stack: str, name: str, component: Component, version: str) -> None:
    if component.version and version != component.version:
        raise LonglookError(f"stack {stack}: {name} reports version {version}, stack.toml lists {component.version}")
    if component.minimum and versions.as_numbers(version) < versions.as_numbers(component.minimum):
        raise LonglookError(
            f"stack {stack}: {name} reports version {version}, at least {component.minimum} is needed: apt-get install {component.package}"
        )
