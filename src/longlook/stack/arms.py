"""What an arm of a sweep's file leaves to its stack: server, client, and N of the server's CUBIC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.plan.arm import Arm
from longlook.plan.sweep import Block, Scenario, Sweep, load_sweep
from longlook.plan.trace import with_traces
from longlook.plan.value import PlanError, listed
from longlook.stack.spec import Stack, load_stack


def complete(data: dict[str, Any], look: Callable[[str], Stack] | None = None) -> dict[str, Any]:
    """A sweep's data with every arm complete. `stack` stands at the sweep, a block or an arm; the nearest counts.
    `look`: reads a stack by its name."""
    Sweep.require_known(data)
    stack = data.get("stack")
    rest = {key: value for key, value in data.items() if key != "stack"}
    if "cells" not in data:
        return rest
    look = look or cache(load_stack)  # a sweep has few stacks and many arms
    blocks = enumerate(listed(data["cells"]) or [])
    return rest | {"cells": [_block(block, stack, look, f"cells.{number}") for number, block in blocks]}


def _block(block: Any, stack: Any, look: Callable[[str], Stack], where: str) -> Any:
    if not isinstance(block, dict):
        return block
    Block.require_known(block, f"{where}: ")
    block = with_traces(block)
    stack = block.get("stack", stack)
    rest = _with_arms({key: value for key, value in block.items() if key != "stack"}, stack, look, where)
    if "scenarios" in rest:
        rest["scenarios"] = [
            _scenario(one, stack, look, f"{where}.scenarios.{number}")
            for number, one in enumerate(listed(rest["scenarios"]) or [])
        ]
    return rest


def _scenario(one: Any, stack: Any, look: Callable[[str], Stack], where: str) -> Any:
    if not isinstance(one, dict):
        return one
    Scenario.require_known(one, f"{where}: ")
    return _with_arms(one, stack, look, where)


def _with_arms(holder: dict[str, Any], stack: Any, look: Callable[[str], Stack], where: str) -> dict[str, Any]:
    if "arms" not in holder:
        return holder
    arms = enumerate(listed(holder["arms"]) or [])
    return holder | {"arms": [complete_arm(arm, stack, look, f"{where}.arms.{number}: ") for number, arm in arms]}


def complete_arm(arm: Any, stack: Any = None, look: Callable[[str], Stack] = load_stack, where: str = "") -> Any:
    """One arm with its stack's server, client and N, unless it states its own; `look` reads a stack by its name, and
    `where` it stands begins a message."""
    if not isinstance(arm, dict):
        return arm
    Arm.require_known(arm, where)
    arm = ({"stack": stack} if stack is not None else {}) | arm
    if not isinstance(arm.get("stack"), str):
        raise PlanError(f"{where}an arm has no stack: give `stack` at the sweep, its block or the arm")
    spec = look(arm["stack"]).spec
    protocol = arm.get("protocol")
    if protocol not in ("quic", "tcp"):
        raise PlanError(f"{where}an arm's protocol is quic or tcp, not {ascii(protocol)[:80]}")
    facts = getattr(spec, protocol)
    own: dict[str, Any] = {"server": facts.server, "client": facts.client}
    emulated = spec.cca.emulated_connections
    cubic = protocol == "quic" and arm.get("cca", "cubic") == "cubic"
    if emulated is not None and cubic and arm.get("server", facts.server) == facts.server:
        own["emulated_connections"] = emulated
    return own | arm


def open_sweep(name: str) -> Sweep:
    """The sweep of that name, in sweeps/ or one of its studies' folders, or of that file (its name ends in .toml)."""
    read = partial(complete, look=cache(load_stack))
    if name.endswith(".toml"):
        return load_sweep(Path(name), read)
    found = sweep_files().get(name)
    if found is None:
        known = ", ".join(sorted(sweep_files()))
        raise PlanError(f"no sweep {name!r} in {paths.SWEEPS} (known: {known})")
    return load_sweep(found, read)


def every_sweep() -> Iterator[Sweep]:
    """All that there are; a stack of several is read once."""
    look = cache(load_stack)
    for file in sweep_files().values():
        yield load_sweep(file, partial(complete, look=look))


def sweep_files() -> dict[str, Path]:
    """Name -> file of every sweep."""
    found: dict[str, Path] = {}
    for path in sorted([*paths.SWEEPS.glob("*.toml"), *paths.SWEEPS.glob("*/*.toml")]):
        if other := found.get(path.stem):
            raise PlanError(f"{path} and {other} are sweeps of one name, by which only one would be found: rename one")
        found[path.stem] = path
    return found
