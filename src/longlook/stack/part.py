"""Parts, of which stacks are put together: `envs/parts/<part>/part.toml` and its lock files, read and checked."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.files import read_text
from longlook.plan.arm import Protocol
from longlook.plan.value import worded
from longlook.stack.component import KEPT, Component, Kept, Locks
from longlook.stack.gobuild import source_hash
from longlook.stack.table import StackError, Table, read_toml, validated

PartName = Annotated[
    str, worded(r"^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*$", "small letters and digits, with '-' or '.' between them")
]
DIGEST_PREFIX = 12
"""Hex digits of the digest that name an installation's folder."""
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
"""Python packages with compiled modules are of one version of Python."""


class Dialect(Table):
    """How a client is made to speak one version of a protocol, and what it then calls it."""

    har_protocol: str = Field(min_length=1, description="what every HAR entry must name")
    flags: tuple[str, ...] = Field(default=(), description="switches of the client")


class PartSpec(Table):
    """One validated part.toml. Use `load_part`, which also knows its folder."""

    name: PartName
    title: str
    locks: Locks = Locks()
    components: dict[str, Component] = Field(min_length=1)
    clients: dict[str, dict[Protocol, dict[str, Dialect]]] = Field(
        default={}, description="client adapter -> protocol -> version of the protocol -> how it is spoken"
    )

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        for name, component in self.components.items():
            if component.part_of and component.part_of not in self.components:
                raise ValueError(f"components.{name}: part_of names no component: {component.part_of}")
        for key, folder in (("npm_tree_sha256", KEPT["npm"]), ("python_tree_sha256", KEPT["pypi"])):
            kept = [name for name, component in self.components.items() if component.kept_in == folder]
            if kept and not getattr(self.locks, key):
                raise ValueError(f"locks.{key} is missing: {', '.join(kept)} stays in {folder}/, which is held to it")
            if not kept and getattr(self.locks, key):
                raise ValueError(f"locks.{key} is of nothing: no component stays in {folder}/")
        return self


class Part:
    """A part.toml with its folder: the locks and the digest."""

    def __init__(self, folder: Path, spec: PartSpec, data: dict[str, Any]):
        self.folder, self.spec, self._data = folder, spec, data

    def __repr__(self) -> str:
        return f"Part({self.name!r})"

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def file(self) -> Path:
        return self.folder / "part.toml"

    def lock(self, kind: Literal["npm", "python"]) -> Path | None:
        """Path of a lock file, None where the part has none of that kind."""
        relative = getattr(self.spec.locks, kind)
        return self.folder / relative if relative else None

    def keeps(self, folder: Kept) -> bool:
        """Whether an installation keeps that folder: a library stays in it."""
        return any(component.kept_in == folder for component in self.spec.components.values())

    @property
    def has_files(self) -> bool:
        """False where everything is the machine's or built from tools/: there is nothing to install."""
        return any(one.is_installed_program or one.kept_in for one in self.spec.components.values())

    @property
    def tools(self) -> tuple[str, ...]:
        """Programs of ours that it has, built from tools/<name>."""
        return tuple(one.package for one in self.spec.components.values() if one.source == "go")

    @cached_property
    def digest(self) -> str:
        """SHA-256 over the content of part.toml (its values, not its layout), every byte of its locks, and the sources
        of the programs that are built here."""
        pieces = [("part.toml", as_json(self._data))]
        for kind in ("npm", "python"):
            path = self.lock(kind)
            if path is not None:
                pieces.append((path.name, _text(path).encode()))
        pieces += [(f"tools/{name}", source_hash(paths.TOOLS / name).encode()) for name in self.tools]
        return digest_of(pieces)

    @property
    def label(self) -> str:
        """`<name>-<first digits of the digest>`: the folder of an installation. Python packages that stay are of one
        version of Python, which then is in it."""
        return f"{self.name}-{self.digest[:DIGEST_PREFIX]}" + (f"-py{PYTHON}" if self.keeps("python") else "")


def as_json(data: dict[str, Any]) -> bytes:
    """Values as bytes, the same for every order and layout of a file."""
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def digest_of(pieces: Iterable[tuple[str, bytes]]) -> str:
    """Hex SHA-256 over named pieces, in the order of their names."""
    total = hashlib.sha256()
    for name, content in sorted(pieces):
        total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def known_parts(envs: Path | None = None) -> list[str]:
    """Names of all parts, sorted."""
    return sorted(found.parent.name for found in (envs or paths.ENVS).glob("parts/*/part.toml"))


def load_part(name: str, envs: Path | None = None) -> Part:
    """Read and validate `envs/parts/<name>/part.toml` and check that its locks pin what it lists."""
    envs = envs or paths.ENVS
    path = envs / "parts" / name / "part.toml"
    data = read_toml(path)
    if data is None:
        known = ", ".join(known_parts(envs)) or "none"
        raise StackError(f"no part {name!r}: {path} does not exist (known parts: {known})")
    spec = validated(PartSpec, data, path)
    if spec.name != name:
        raise StackError(f"{path}: name = {spec.name!r}, but its folder is {name!r}")
    part = Part(path.parent, spec, data)
    _check_locks(part)
    return part


def _check_locks(part: Part) -> None:
    """Every packaged component must be pinned, at the version listed, by the lock of its source."""
    pinned = {"npm": _npm_versions(part.lock("npm")), "pypi": _python_versions(part.lock("python"))}
    for name, component in part.spec.components.items():
        if component.source == "system":
            continue
        if component.source == "go":
            _check_tool(part, name, component)
            continue
        package = _normal(component.package) if component.source == "pypi" else component.package
        found = pinned[component.source].get(package)
        if found != component.locked_version:
            raise StackError(
                f"{part.file}: components.{name} is {component.package} {component.locked_version}, "
                f"but the {component.source} lock file holds {found or 'no such package'}; make the two agree"
            )


def _check_tool(part: Part, name: str, component: Component) -> None:
    """A program of ours is pinned by its sources and by the checksums of the modules it is built from."""
    for file in ("go.mod", "go.sum"):
        needed = paths.TOOLS / component.package / file
        if not needed.is_file():
            raise StackError(f"{part.file}: components.{name} needs {needed}, which does not exist")


def _npm_versions(lock: Path | None) -> dict[str, str]:
    """Package -> version, of the packages at the top of node_modules."""
    if lock is None:
        return {}
    packages = npm_packages(lock)
    top = (key for key in packages if key.startswith("node_modules/") and key.count("node_modules/") == 1)
    return {key.removeprefix("node_modules/"): packages[key].get("version", "") for key in top}


def npm_packages(lock: Path) -> dict[str, dict[str, Any]]:
    """`packages` of a package-lock.json: place in node_modules -> facts."""
    wrong = f"{lock}: not a package-lock.json of version 2 or 3: "
    try:
        data = json.loads(_text(lock))
    except (ValueError, RecursionError) as error:
        raise StackError(f"{wrong}not JSON: {str(error)[:200]}") from None
    packages = data.get("packages") if isinstance(data, dict) else None
    if not isinstance(packages, dict):
        raise StackError(f"{wrong}`packages` is to be a table of the top level")
    for place, facts in packages.items():
        if not isinstance(facts, dict) or not isinstance(facts.get("version", ""), str):
            raise StackError(f"{wrong}packages.{place[:80] or chr(34) * 2} is to be a table, and its `version` a text")
    return packages


def _text(lock: Path) -> str:
    try:
        return read_text(lock, "the lock file")
    except LonglookError as error:
        raise StackError(str(error)) from None


def _python_versions(lock: Path | None) -> dict[str, str]:
    """Package -> version, from the `name==version` lines of a hash-locked requirements file."""
    if lock is None:
        return {}
    text = _text(lock)
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", text, flags=re.MULTILINE)
    return {_normal(name): version for name, version in found}


def _normal(package: str) -> str:
    """A Python package's name as registries compare it: `curl_cffi` is `curl-cffi`."""
    return re.sub(r"[-_.]+", "-", package).lower()
