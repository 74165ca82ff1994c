"""A stack: what is stated of it (layers.py) and the parts it names, composed and validated.

It names its parts by role and says how the two protocols are set against each other; a part lists its components and
pins them (part.py). The digest of a stack covers all of it and goes into every record.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from longlook import paths
from longlook.host.files import read_text
from longlook.plan.arm import Cca, Protocol
from longlook.plan.value import checked_name, worded
from longlook.stack.adapters import CLIENTS, side_problems
from longlook.stack.component import Component
from longlook.stack.layers import Stated, joined
from longlook.stack.part import DIGEST_PREFIX, Dialect, Part, PartName, as_json, digest_of, known_parts, load_part
from longlook.stack.switches import refusals
from longlook.stack.table import StackError, Table, validated

Role = Annotated[str, worded(r"^[a-z][a-z0-9_]*$", "small letters, digits and '_', a letter first")]
Hex = Annotated[str, worded(r"^([0-9a-f]{2})+$", "bytes, each of two hexadecimal digits")]
"""Bytes, two digits each."""
TEMPLATES = (".yaml", ".conf")
"""How the names of servers' configuration templates end."""


class Change(Table):
    """Bytes of a program that become others; where they stand, its neighbours tell (stack/changed.py)."""

    offset: int = Field(ge=0, description="in the program as published")
    before: Hex
    value: Hex
    becomes: Hex
    after: Hex

    @model_validator(mode="after")
    def _keeps_its_length(self) -> Self:
        if len(self.value) != len(self.becomes):
            raise ValueError("becomes is as long as value: nothing else may move")
        return self


class StackSide(Table):
    """One side as a stack states it: who serves, who loads, and which version of the protocol they speak."""

    version: str = Field(description="of the protocol, by the name that the client's part has for it: v1, Q037, h2")
    tls: Literal["1.2", "1.3", "QUIC Crypto"]
    client: str
    server: str
    client_flags: tuple[str, ...] = Field(default=(), description="beside those that the client's part states")
    client_changes: tuple[Change, ...] = Field(
        default=(), description="of the client's program, in a copy of it: for what it has no switch"
    )
    client_live: bool = Field(
        default=False,
        description="what a browser tells of requests is read while they run, as chrome-har-capturer does",
    )
    server_flags: dict[str, bool] = Field(
        default={}, description="of the server's library, beside those that its adapter sets: name -> value"
    )
    controllers: dict[Cca, tuple[str, ...]] = Field(min_length=1, description="controller -> switches of the client")


class ProtocolFacts(StackSide):
    """One side, composed: with what its client's part says of that version."""

    har_protocol: str


class Congestion(Table):
    """Defaults of the stack's congestion control."""

    default: Cca
    emulated_connections: int | None = Field(
        default=None, ge=1, le=2, description="N of the usual QUIC server's CUBIC; left out where it emulates none"
    )


class StackFile(Table):
    """The values of a stack over those of its bases."""

    name: str = worded(r"^[a-z][a-z0-9]*$", "small letters and digits, a letter first")
    title: str
    base: str = Field(default="", description="stack whose entries this one takes over, unless it states them")
    provider: Literal["any", "nix"] = Field(default="any", description="nix: no package registry has all of it")
    on_demand: bool = Field(default=False, description="no command for all stacks installs it; what measures it does")
    platform: Literal["linux-x86_64"]
    parts: dict[Role, PartName] = Field(min_length=1, description="role -> part; a stack over this one may exchange it")
    quic: StackSide
    tcp: StackSide
    cca: Congestion


@dataclass(frozen=True)
class StackSpec:
    """A stack, composed: what its files say once bases and parts are joined."""

    name: str
    title: str
    base: str
    provider: Literal["any", "nix"]
    platform: str
    parts: dict[str, Part]
    """By role."""
    components: dict[str, Component]
    """Of all parts; no two have one of the same name."""
    dialects: dict[str, dict[Protocol, dict[str, Dialect]]]
    """Client adapter -> protocol -> version -> how it is spoken."""
    quic: ProtocolFacts
    tcp: ProtocolFacts
    cca: Congestion


class Stack:
    """A stack with its folders, of which a variant has none: templates and digest."""

    def __init__(self, folders: tuple[Path, ...], spec: StackSpec, data: dict[str, Any]):
        self.folders = tuple(folder for folder in folders if folder.is_dir())
        self.spec, self._data = spec, data

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def parts(self) -> tuple[Part, ...]:
        """Sorted by name."""
        return tuple(sorted(self.spec.parts.values(), key=lambda part: part.name))

    def template(self, name: str) -> Path:
        """A file for adapters, as `envoy.yaml`: the stack's own, else that of the nearest base that has one, else a
        part's."""
        folders = (*self.folders, *(part.folder for part in self.parts))
        found = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if found is None:
            places = ", ".join(str(folder) for folder in folders)
            raise StackError(f"stack {self.name} has no {name} (looked in {places})")
        return found

    def server_side(self, protocol: Protocol) -> str:
        """Digest of what serves a protocol: parts with a server in them, templates, versions, flags. Equal for stacks
        that differ in their clients alone."""
        facts = getattr(self.spec, protocol)
        pieces = [("sides", as_json({"server": facts.server, "version": facts.version, "tls": facts.tls}))]
        if facts.server_flags:
            pieces.append(("flags", as_json(facts.server_flags)))
        pieces += [
            (f"templates/{name}", read_text(path, "the template").encode()) for name, path in self.templates.items()
        ]
        for part in self.parts:
            if any(component.role == "server" for component in part.spec.components.values()):
                pieces.append((f"parts/{part.name}", part.digest.encode()))
        return digest_of(pieces)

    @property
    def templates(self) -> dict[str, Path]:
        """Name -> configuration template of a server, the nearest one of each name."""
        found = {
            path.name: path
            for folder in reversed(self.folders)
            for path in sorted(folder.iterdir())
            if path.suffix in TEMPLATES
        }
        return dict(sorted(found.items()))

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the values stated, its bases' taken over, and the digests of its parts."""
        pieces = [("stack.toml", as_json(self._data))]
        pieces += [(f"parts/{part.name}", part.digest.encode()) for part in self.parts]
        return digest_of(pieces)

    @property
    def label(self) -> str:
        """`<name>-<first digits of the digest>`."""
        return f"{self.name}-{self.digest[:DIGEST_PREFIX]}"


def load_stack(name: str, envs: Path | None = None) -> Stack:
    """Read and validate a stack, its bases and its parts, whose locks must pin what they list."""
    checked_name(name, "stack")
    envs = envs or paths.ENVS
    layers = Stated(envs).layers(name)
    where, data = layers[0].where, joined(layers)
    file = validated(StackFile, data, where)
    if file.name != name:
        raise StackError(f"{where}: name = {file.name!r}, but its folder is {name!r}")
    return Stack(tuple(envs / layer.name for layer in layers), _compose(file, where, envs), data)


def _compose(file: StackFile, where: str, envs: Path) -> StackSpec:
    known = known_parts(envs)
    for role, name in file.parts.items():
        if name not in known:
            raise StackError(f"{where}: parts.{role}: no part {name!r} (known parts: {', '.join(known) or 'none'})")
    parts = {role: load_part(name, envs) for role, name in file.parts.items()}
    components = _together(parts, "components", where)
    dialects = _together(parts, "clients", where)
    dialects |= {name: dialects[one.speaks_as] for name, one in CLIENTS.items() if one.speaks_as in dialects}
    return StackSpec(
        name=file.name,
        title=file.title,
        base=file.base,
        provider=file.provider,
        platform=file.platform,
        parts=parts,
        components=components,
        dialects=dialects,
        quic=_facts(file.quic, "quic", dialects, where),
        tcp=_facts(file.tcp, "tcp", dialects, where),
        cca=file.cca,
    )


def _together(parts: dict[str, Part], table: Literal["components", "clients"], where: str) -> dict[str, Any]:
    """That table of all parts; an error where two have an entry of one name."""
    found: dict[str, Any] = {}
    owners: dict[str, str] = {}
    for role, part in parts.items():
        for name, entry in getattr(part.spec, table).items():
            if name in found:
                raise StackError(
                    f"{where}: parts.{role}: {part.name} has {table}.{name}, and so has {parts[owners[name]].name} "
                    f"(parts.{owners[name]}): a stack has one of that name"
                )
            found[name], owners[name] = entry, role
    return found


def _facts(side: StackSide, protocol: Protocol, dialects: dict, where: str) -> ProtocolFacts:
    if wrong := next(side_problems(protocol, side.client, side.server), None):
        raise StackError(f"{where}: {protocol}.{wrong}")
    spoken = dialects.get(side.client)
    if spoken is None:
        known = ", ".join(dialects) or "none"
        raise StackError(
            f"{where}: {protocol}.client: no part has a client {side.client} (clients of its parts: {known})"
        )
    versions = spoken.get(protocol, {})
    if side.version not in versions:
        known = ", ".join(versions) or "no version"
        raise StackError(f"{where}: {protocol}.version: {side.client} of its parts speaks {known}, not {side.version}")
    dialect = versions[side.version]
    flags = (*dialect.flags, *side.client_flags)
    by_version = (flag for own in dialects.values() for one in own.get(protocol, {}).values() for flag in one.flags)
    if refused := list(refusals(protocol, side.client_flags, tuple(by_version), side.controllers, side.server_flags)):
        raise StackError(f"{where}: {protocol}: {'; '.join(refused)}")
    values = side.model_dump() | {"har_protocol": dialect.har_protocol}
    return ProtocolFacts(**values | {"client_flags": flags})
