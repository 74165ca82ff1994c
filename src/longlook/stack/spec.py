"""What a stack is made of: `envs/<stack>/stack.toml`, read and validated (no I/O beyond reading its files).

`stack.toml` is the single list of components; the lock files beside it pin what npm and pip fetch.
The digest of a stack covers all of them and goes into every record.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from longlook import paths
from longlook.errors import LonglookError
from longlook.stack.gobuild import source_hash

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Cca = Literal["cubic", "bbr", "reno"]
DIGEST_PREFIX = 12
"""Hex digits of the digest that name an installation's folder."""


class StackError(LonglookError, ValueError):
    """A stack.toml or lock file that cannot be used; the message says what to change."""


class Table(BaseModel):
    """One table of stack.toml: frozen; an unknown key is an error that lists the known ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, data: Any) -> Any:
        unknown = sorted(set(data) - set(cls.model_fields)) if isinstance(data, dict) else []
        if unknown:
            raise ValueError(f"unknown key {', '.join(unknown)}; known keys: {', '.join(cls.model_fields)}")
        return data


class Report(Table):
    """How the running program says its version.

    `exit`: run it with `argv`, it prints and ends. `devtools`: start it, ask its DevTools endpoint.
    `apache`: start Apache with mod_ssl on a loopback port, read its first log line. `package`: the
    version of an installed npm package, which has no program of its own.
    """

    how: Literal["exit", "devtools", "apache", "package"]
    argv: tuple[str, ...] = ()
    regex: str = Field(default="", description="its first group is the version")

    @model_validator(mode="after")
    def _regex_has_a_group(self) -> Self:
        if self.how != "package" and re.compile(self.regex).groups != 1:
            raise ValueError(f"regex {self.regex!r} needs exactly one group, the version")
        return self


class Component(Table):
    """One piece of software: where it comes from, which bytes it must be, how it says its version."""

    role: Literal["client", "server", "library"]
    source: Literal["npm", "pypi", "go", "system"] = Field(description="go: built here, from tools/<package>")
    package: str
    version: str = Field(default="", description="as the running program reports it; empty for the system's")
    package_version: str = Field(default="", description="of the package, where it differs from `version`")
    minimum: str = Field(default="", description="oldest version that will do; the system's components only")
    file: str = Field(default="", description="the program inside the package")
    unpack: Literal["", "brotli"] = ""
    sha256: Sha256 | None = Field(default=None, description="of the program, unpacked")
    commands: tuple[str, ...] = Field(default=(), description="names on PATH; the system's components only")
    part_of: str = Field(default="", description="the component that reports this one")
    reports: Report

    @property
    def locked_version(self) -> str:
        """The version that the lock file must hold."""
        return self.package_version or self.version

    @property
    def is_installed_program(self) -> bool:
        """True when an installation holds it as bin/<name>."""
        return bool(self.file)

    @model_validator(mode="after")
    def _is_pinned(self) -> Self:
        if self.source == "system":
            if not self.minimum or self.version or self.file:
                raise ValueError("a component of the system states `minimum`, and neither `version` nor `file`")
        elif not self.version or self.minimum or self.commands:
            raise ValueError("a packaged component states `version`, and neither `minimum` nor `commands`")
        if self.source == "go" and (self.file or self.package_version):
            raise ValueError("a component built from tools/ states neither `file` nor `package_version`")
        if bool(self.file) != bool(self.sha256):
            raise ValueError("`file` and `sha256` go together")
        return self


class Locks(Table):
    """Lock files, relative to stack.toml, and the hash of what npm makes of its own."""

    npm: str | None = None
    npm_tree_sha256: Sha256 | None = Field(default=None, description="of node_modules, see tree.py")
    python: str | None = None


class ProtocolFacts(Table):
    """One arm: who serves, who loads, and what the HAR must say."""

    har_protocol: str
    tls: Literal["1.2", "1.3", "QUIC Crypto"]
    client: str
    server: str
    client_flags: tuple[str, ...] = ()
    controllers: dict[Cca, tuple[str, ...]] = Field(min_length=1, description="controller -> switches of the client")


class Congestion(Table):
    """Defaults of the stack's congestion control."""

    default: Cca
    emulated_connections: int = Field(ge=1, le=2)


class StackSpec(Table):
    """One validated stack.toml. Use `load_stack`, which also knows its folder."""

    name: str = Field(pattern=r"^[a-z][a-z0-9]*$")
    title: str
    base: str = Field(
        default="", description="stack whose tables this one takes over, entry by entry, unless it states them"
    )
    provider: Literal["any", "nix"] = Field(default="any", description="nix: no package registry has all of it")
    platform: Literal["linux-x86_64"]
    locks: Locks
    components: dict[str, Component] = Field(min_length=1)
    quic: ProtocolFacts
    tcp: ProtocolFacts
    cca: Congestion

    @model_validator(mode="after")
    def _parts_exist(self) -> Self:
        for name, component in self.components.items():
            if component.part_of and component.part_of not in self.components:
                raise ValueError(f"components.{name}: part_of names no component: {component.part_of}")
        return self


class Stack:
    """A stack.toml with its folder: the locks and the digest."""

    def __init__(self, folder: Path, spec: StackSpec, data: dict[str, Any]):
        self.folder, self.spec, self._data = folder, spec, data

    @property
    def name(self) -> str:
        return self.spec.name

    def lock(self, kind: Literal["npm", "python"]) -> Path | None:
        """Path of a lock file, None where the stack has none of that kind."""
        relative = getattr(self.spec.locks, kind)
        return self.folder / relative if relative else None

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the content of stack.toml (its values, not its layout), every byte of the locks, and the
        sources of the programs that are built here."""
        parts = [("stack.toml", json.dumps(self._data, sort_keys=True, separators=(",", ":")).encode())]
        for kind in ("npm", "python"):
            path = self.lock(kind)
            if path is not None:
                parts.append((path.name, path.read_bytes()))
        for component in self.spec.components.values():
            if component.source == "go":
                parts.append((f"tools/{component.package}", source_hash(paths.TOOLS / component.package).encode()))
        total = hashlib.sha256()
        for name, content in sorted(parts):
            total.update(f"{name}\0{len(content)}\0".encode() + content)
        return total.hexdigest()

    @property
    def label(self) -> str:
        """`<name>-<first digits of the digest>`: the folder of an installation."""
        return f"{self.name}-{self.digest[:DIGEST_PREFIX]}"


def known_stacks(envs: Path | None = None) -> list[str]:
    """Names of all stacks, sorted."""
    return sorted(found.parent.name for found in (envs or paths.ENVS).glob("*/stack.toml"))


def offered_stacks() -> list[str]:
    """The stacks that may be used here: those that registries have, or in a Nix shell those that it was made with
    (LONGLOOK_STACKS)."""
    given = os.environ.get("LONGLOOK_STACKS")
    if given is None:
        return [name for name in known_stacks() if _read(paths.ENVS, name).get("provider", "any") == "any"]
    return [name for name in known_stacks() if name in given.split()]


def load_stack(name: str, envs: Path | None = None) -> Stack:
    """Read and validate `envs/<name>/stack.toml` and check that its locks pin what it lists."""
    envs = envs or paths.ENVS
    path = envs / name / "stack.toml"
    data = _read(envs, name)
    try:
        spec = StackSpec.model_validate(data)
    except ValidationError as error:
        mistakes = "; ".join(
            f"{'.'.join(str(part) for part in item['loc']) or 'top level'}: {item['msg']}" for item in error.errors()
        )
        raise StackError(f"{path}: {mistakes}") from None
    if spec.name != name:
        raise StackError(f"{path}: name = {spec.name!r}, but its folder is {name!r}")
    stack = Stack(path.parent, spec, data)
    _check_locks(stack)
    return stack


def _read(envs: Path, name: str) -> dict[str, Any]:
    """The values of a stack.toml over those of its base; envs/nix/stack.nix joins them in the same way."""
    path = envs / name / "stack.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = ", ".join(known_stacks(envs)) or "none"
        raise StackError(f"no stack {name!r}: {path} does not exist (known stacks: {known})") from None
    except tomllib.TOMLDecodeError as error:
        raise StackError(f"{path}: not TOML: {error}") from None
    if "base" not in data:
        return data
    below = _read(envs, data["base"])
    if "base" in below:
        raise StackError(f"{path}: its base {data['base']} has a base itself; name that one")
    return below | {
        key: below[key] | value if isinstance(value, dict) and key in below else value for key, value in data.items()
    }


def _check_locks(stack: Stack) -> None:
    """Every packaged component must be pinned, at the version listed, by the lock of its source."""
    pinned = {"npm": _npm_versions(stack.lock("npm")), "pypi": _python_versions(stack.lock("python"))}
    for name, component in stack.spec.components.items():
        if component.source == "system":
            continue
        if component.source == "go":
            _check_tool(stack, name, component)
            continue
        found = pinned[component.source].get(component.package)
        if found != component.locked_version:
            raise StackError(
                f"{stack.folder / 'stack.toml'}: component {name} is {component.package} {component.locked_version}, "
                f"but the {component.source} lock file holds {found or 'no such package'}; make the two agree"
            )


def _check_tool(stack: Stack, name: str, component: Component) -> None:
    """A program of ours is pinned by its sources and by the checksums of the modules it is built from."""
    for file in ("go.mod", "go.sum"):
        if not (paths.TOOLS / component.package / file).is_file():
            raise StackError(
                f"{stack.folder / 'stack.toml'}: component {name} needs {paths.TOOLS / component.package / file}, which does not exist"
            )


def _npm_versions(lock: Path | None) -> dict[str, str]:
    """Package -> version, of the packages at the top of node_modules."""
    if lock is None:
        return {}
    try:
        packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    except (OSError, ValueError, KeyError) as error:
        raise StackError(f"{lock}: not a package-lock.json of version 2 or 3: {error!r}") from None
    top = (key for key in packages if key.startswith("node_modules/") and key.count("node_modules/") == 1)
    return {key.removeprefix("node_modules/"): packages[key].get("version", "") for key in top}


def _python_versions(lock: Path | None) -> dict[str, str]:
    """Package -> version, from the `name==version` lines of a hash-locked requirements file."""
    if lock is None:
        return {}
    try:
        text = lock.read_text(encoding="utf-8")
    except OSError as error:
        raise StackError(f"cannot read the lock file {lock}: {error.strerror}") from None
    return dict(re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, flags=re.MULTILINE))
