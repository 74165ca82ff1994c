"""Where a stack is stated: a folder `envs/<stack>/` with a `stack.toml`, or a table of `envs/variants.toml`.

A stack may lie over another, its `base`, and that one over a third: what a stack does not state is its base's, entry by
entry. envs/nix/stack.nix and tools/bootstrap read the same files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.stack.table import StackError, read_toml

FILE, VARIANTS = "stack.toml", "variants.toml"
OWN = ("name", "provider", "on_demand")
"""Keys that no stack takes over from its base."""


@dataclass(frozen=True)
class Layer:
    """A stack as it is stated, without its base."""

    name: str
    where: str
    """Its file, and in variants.toml its table: how a message about it begins."""
    values: dict[str, Any]


class Stated:
    """All stacks of a folder `envs/`. A name is that of a folder or of a variant, and never of both."""

    def __init__(self, envs: Path):
        self._envs, self._file = envs, envs / VARIANTS
        self._folders = {found.parent.name: found for found in envs.glob(f"*/{FILE}")}
        self._variants = read_toml(self._file) or {}
        for name, values in self._variants.items():
            if wrong := self._wrong(name, values):
                raise StackError(f"{self._file}: {name}: {wrong}")

    def _wrong(self, name: str, values: Any) -> str | None:
        if not isinstance(values, dict):
            return f"is the table of a stack, not {values!r}"
        if name in self._folders:
            return f"{self._folders[name]} is a stack of that name, too: one of them must go"
        if "name" in values:
            return "name: is that of its table; leave it out"
        if "base" not in values:
            return f"base is missing: a stack over no other is a folder with a {FILE}"
        return None

    @property
    def names(self) -> list[str]:
        """Sorted."""
        return sorted({**self._folders, **self._variants})

    def own(self, name: str) -> Layer:
        """What is stated of a stack itself."""
        if name in self._variants:
            return Layer(name, f"{self._file}: {name}", {"name": name, **self._variants[name]})
        path = self._envs / name / FILE
        data = read_toml(path)
        if data is None:
            known = ", ".join(self.names) or "none"
            raise StackError(f"no stack {name!r}: no {path}, and no table of {self._file} (known stacks: {known})")
        return Layer(name, str(path), data)

    def layers(self, name: str) -> list[Layer]:
        """A stack and all that it lies over, the nearest first."""
        found: dict[str, Layer] = {}
        while name not in found:
            found[name] = layer = self.own(name)
            if "base" not in layer.values:
                return list(found.values())
            base = layer.values["base"]
            if not isinstance(base, str):
                raise StackError(f"{layer.where}: base: names a stack, not {base!r}")
            if base not in found and base not in self.names:
                raise StackError(f"{layer.where}: base: no stack {base!r} (known stacks: {', '.join(self.names)})")
            name = base
        cycle = list(found)[list(found).index(name) :]
        first = next(iter(found.values())).where
        raise StackError(
            f"{first}: base: {' -> '.join([*cycle, name])} is a cycle: one of them must have another base or none"
        )


def joined(layers: Sequence[Layer]) -> dict[str, Any]:
    """One set of values, entry by entry the nearest layer's; envs/nix/stack.nix joins them in the same way."""
    found: dict[str, Any] = {}
    for layer in reversed(layers):
        found = {key: value for key, value in found.items() if key not in OWN}
        for key, value in layer.values.items():
            below = found.get(key)
            found[key] = below | value if isinstance(value, dict) and isinstance(below, dict) else value
    return found


def known_stacks(envs: Path | None = None) -> list[str]:
    """Names of all stacks, sorted."""
    return Stated(envs or paths.ENVS).names


def offered_stacks() -> list[str]:
    """The stacks that may be used here: those that registries have, or in a Nix shell those that it was made with
    (LONGLOOK_STACKS)."""
    stated, given = Stated(paths.ENVS), os.environ.get("LONGLOOK_STACKS")
    if given is None:
        return [name for name in stated.names if stated.own(name).values.get("provider", "any") == "any"]
    return [name for name in stated.names if name in given.split()]
