"""A stack as it lies on this machine: a view of its parts, verified, and answering what adapters ask.

Provider `portable` is the per-user cache, `parts/<part>-<digest>/`, filled by install.py and shared between stacks;
provider `nix` is the folder that the environment variable LONGLOOK_STACK_<NAME> points to, with a folder for each part.
Both are held to the hashes of the parts (placed.py).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Literal

from longlook import paths
from longlook.errors import LonglookError
from longlook.plan.arm import Cca
from longlook.stack import versions
from longlook.stack.component import Component, Kept
from longlook.stack.layers import offered_stacks
from longlook.stack.number import as_numbers
from longlook.stack.placed import SYSTEM_FOLDERS, ChangedError, PlacedPart
from longlook.stack.spec import Dialect, ProtocolFacts, Stack, load_stack
from longlook.stack.switches import joined

__all__ = ["SYSTEM_FOLDERS", "ChangedError", "Installed", "NotOfferedError", "locate", "open_stack", "place"]

HAR_LIBRARY = "chrome-har-capturer"


class NotOfferedError(LonglookError):
    """This Nix shell was made without the stack."""


class Installed:
    """One installed stack. `open_stack` makes it; the files have been verified by then. `needed`: components that are
    to be there; what else is not, is left out. None: all are."""

    def __init__(
        self,
        stack: Stack,
        placed: Sequence[PlacedPart],
        provider: Literal["portable", "nix"],
        needed: Collection[str] | None = None,
    ):
        self.stack, self.parts, self.provider, self.needed = stack, tuple(placed), provider, needed
        self._told: dict[str, dict[str, Any]] = {}
        self._where = {name: one for one in self.parts for name in one.part.spec.components}

    def __repr__(self) -> str:
        return f"Installed({self.name!r}, {self.provider!r})"

    @property
    def name(self) -> str:
        return self.stack.name

    @property
    def digest(self) -> str:
        """SHA-256 of the whole stack's definition; the same whichever provider."""
        return self.stack.digest

    def part_of(self, component: str) -> PlacedPart:
        """The part that has a component."""
        self._component(component)
        if component not in self._where:
            raise LonglookError(f"component {component} of stack {self.name} is not installed, and was not asked for")
        return self._where[component]

    def parts_of(self, components: Collection[str] | None) -> list[PlacedPart]:
        """Those that have any of these; None: all."""
        if components is None:
            return list(self.parts)
        return [one for one in self.parts if not one.part.spec.components.keys().isdisjoint(components)]

    def modules(self, component: str) -> Path:
        """The node_modules in which a component of npm stays."""
        return self._packages(component, "node_modules")

    def python_path(self, component: str) -> Path:
        """The folder with a component's Python packages, for PYTHONPATH."""
        return self._packages(component, "python")

    @property
    def node_modules(self) -> Path:
        """The node_modules that holds the HAR library."""
        return self.modules(HAR_LIBRARY)

    def _packages(self, name: str, kind: Kept) -> Path:
        component = self._component(name)
        if component.kept_in != kind:
            raise LonglookError(f"component {name} of stack {self.name} is no library that stays in {kind}/")
        return self.part_of(name).folder / kind

    def binary(self, name: str) -> Path:
        """Path of a component's program: the installation's own, else, for the system's components, from PATH."""
        return self.part_of(name).program(name)

    def template(self, name: str) -> Path:
        """A file for adapters (envoy.yaml, apache.conf, envoy-n1.toml): the stack's, else its nearest base's."""
        return self.stack.template(name)

    def protocol(self, protocol: str) -> ProtocolFacts:
        """Facts of one side: `quic` or `tcp`."""
        if protocol not in ("quic", "tcp"):
            raise LonglookError(f"no protocol {protocol!r} (known: quic, tcp)")
        return getattr(self.stack.spec, protocol)

    def server(self, protocol: str) -> str:
        """Name of the server adapter."""
        return self.protocol(protocol).server

    def client(self, protocol: str) -> str:
        """Name of the client adapter."""
        return self.protocol(protocol).client

    def har_protocol(self, protocol: str, client: str | None = None) -> str:
        """What every entry must name as its protocol, by the stack's usual client or by another one that it has."""
        return self._dialect(protocol, client).har_protocol

    def client_flags(self, protocol: str, client: str | None = None) -> tuple[str, ...]:
        """Switches that make a client (the stack's usual one) speak this stack's version of the protocol."""
        facts = self.protocol(protocol)
        return self._dialect(protocol, client).flags if client not in (None, facts.client) else facts.client_flags

    def _dialect(self, protocol: str, client: str | None) -> Dialect:
        facts = self.protocol(protocol)
        spoken = self.stack.spec.dialects.get(client or facts.client, {})
        versions_of = spoken.get("quic" if protocol == "quic" else "tcp", {})
        if facts.version not in versions_of:
            known = ", ".join(self.stack.spec.dialects)
            raise LonglookError(
                f"stack {self.name} has no client {client} that speaks {facts.version} for {protocol} "
                f"(its clients: {known})"
            )
        return versions_of[facts.version]

    def client_options(self, protocol: str, cca: Cca, asked: Sequence[str] = ()) -> tuple[str, ...]:
        """Switches of the client that ask for a congestion controller (none where the server sets it alone) and, of a
        QUIC server, for the connection options `asked`."""
        controllers = self.protocol(protocol).controllers
        if cca not in controllers:
            raise LonglookError(f"stack {self.name} offers {', '.join(controllers)} for {protocol}, not {cca}")
        return joined(controllers[cca], asked if protocol == "quic" else ())

    @property
    def tls(self) -> str:
        """TLS version of the TCP side: `1.3` or `1.2`."""
        return self.stack.spec.tcp.tls

    def _facts_of(self, name: str) -> dict[str, Any]:
        if name not in self._told:
            self._told[name] = self._asked(name)
        return self._told[name]

    def _asked(self, name: str) -> dict[str, Any]:
        component, placed = self.stack.spec.components[name], self.part_of(name)
        version = self._reported(name, component)
        _check_version(placed.part.file, name, component, version)
        provider: str = self.provider
        if component.source == "system" and not placed.is_own(component.part_of or name):
            provider = "system"
        return {"version": version, "sha256": placed.sha256(name), "provider": provider}

    def _reported(self, name: str, component: Component) -> str:
        placed = self.part_of(name)
        packages = placed.packages(component)
        if packages is not None:
            return versions.of_library(component, packages)
        return versions.of_program(component, placed.program(component.part_of or name))

    def components(self) -> dict[str, dict[str, Any]]:
        """Name -> version (as the running program reports it), sha256 (of the program, else of the package's
        folder), provider (`portable`, `nix`, or `system` for what comes with the machine)."""
        found = {}
        for name in self.stack.spec.components:
            try:
                found[name] = dict(self._facts_of(name))
            except LonglookError:
                if self.needed is None or name in self.needed:
                    raise
        return found

    def component_version(self, name: str) -> str:
        """Version of one component, as its running program reports it; no other is asked."""
        found: str = self._facts_of(name)["version"]
        return found

    def _component(self, name: str) -> Component:
        try:
            return self.stack.spec.components[name]
        except KeyError:
            known = ", ".join(self.stack.spec.components)
            raise LonglookError(f"stack {self.name} has no component {name!r} (known: {known})") from None

    def verify(self, full: bool = False) -> None:
        """Raise `ChangedError` unless every file of every part is as pinned; see `PlacedPart.verify`."""
        for one in self.parts:
            one.verify(full=full)

    def with_what_is(self, needed: Collection[str], full: bool) -> Installed:
        """The same with what is needed, verified, and whatever else is there as it should be."""
        kept, used = [], self.parts_of(needed)
        for one in self.parts:
            try:
                one.verify(full=full)
            except LonglookError:
                if one in used:
                    raise
            else:
                kept.append(one)
        return Installed(self.stack, kept, self.provider, needed)


def variable_of(name: str) -> str:
    """The environment variable by which another provider offers a stack."""
    return f"LONGLOOK_STACK_{name.upper()}"


def place(stack: Stack) -> Installed:
    """Where the stack is or would be, neither looked for nor verified."""
    if stack.name not in offered_stacks():
        here = ", ".join(offered_stacks()) or "no stack"
        raise NotOfferedError(
            f"here is {here}, not {stack.name}: enter a Nix shell that has it: nix develop .#{stack.name}"
        )
    given = os.environ.get(variable_of(stack.name))
    if not given:
        remedy = f"Install it again: longlook stack install --force {stack.name}"
        store = paths.CACHE / "parts"
        return Installed(stack, [PlacedPart(part, store / part.label, remedy) for part in stack.parts], "portable")
    folder = Path(given)
    if not folder.is_dir():
        raise LonglookError(f"{variable_of(stack.name)} names {folder}, which is not a folder: unset it or correct it")
    remedy = (
        f"It is in the folder of {variable_of(stack.name)}: leave the Nix shell and enter it again, "
        "or repair the Nix store."
    )
    return Installed(stack, [PlacedPart(part, folder / part.name, remedy) for part in stack.parts], "nix")


def locate(stack: Stack) -> Installed | None:
    """Where the stack is, not verified; None when a part of it has not been installed."""
    found = place(stack)
    whole = found.provider != "portable" or all(one.is_there for one in found.parts)
    return found if whole else None


def open_stack(name: str, full_check: bool = False, needed: Collection[str] | None = None) -> Installed:
    """The installed stack, verified; a missing or changed one is an error with its remedy. Installs nothing. `needed`:
    components without which it is of no use (`adapters.components_of`); None: all."""
    stack = load_stack(name)
    found = place(stack)
    absent = [one.part.label for one in found.parts_of(needed) if found.provider == "portable" and not one.is_there]
    if absent:
        raise LonglookError(
            f"stack {name} is not installed, {paths.CACHE / 'parts'} has no {', '.join(absent)}: "
            f"run longlook stack install {name}, or make reproduce"
        )
    if needed is not None:
        return found.with_what_is(needed, full_check)
    found.verify(full=full_check)
    return found


def _check_version(file: Path, name: str, component: Component, version: str) -> None:
    if component.version and version != component.version:
        raise LonglookError(f"{file}: {name} reports version {version}, part.toml lists {component.version}")
    if component.minimum and as_numbers(version) < as_numbers(component.minimum):
        raise LonglookError(
            f"{file}: {name} reports version {version}, at least {component.minimum} is needed: "
            f"apt-get install {component.package}"
        )
