"""What an arm of a sweep's file leaves to its stack: server, client, and N of the server's CUBIC."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.plan.sweep import Sweep, load_sweep
from longlook.plan.value import PlanError
from longlook.stack.spec import Stack, load_stack


def complete(data: dict[str, Any], look: Callable[[str], Stack] | None = None) -> dict[str, Any]:
    """A sweep's data with every arm complete. `stack` stands at the sweep, a block or an arm; the nearest counts.
    `look`: reads a stack by its name."""
    stack = data.get("stack")
    blocks = data.get("cells")
    rest = {key: value for key, value in data.items() if key != "stack"}
    if not isinstance(blocks, list):
        return rest
    look = look or cache(load_stack)  # a sweep has few stacks and many arms
    return rest | {"cells": [_block(block, stack, look) for block in blocks]}


def _block(block: Any, stack: Any, look: Callable[[str], Stack]) -> Any:
    if not isinstance(block, dict):
        return block
    stack = block.get("stack", stack)
    rest = {key: value for key, value in block.items() if key != "stack"}
    if isinstance(rest.get("arms"), list):
        rest["arms"] = [complete_arm(arm, stack, look) for arm in rest["arms"]]
    if isinstance(rest.get("scenarios"), list):
        rest["scenarios"] = [
            one | {"arms": [complete_arm(arm, stack, look) for arm in one["arms"]]}
            if isinstance(one, dict) and isinstance(one.get("arms"), list)
            else one
            for one in rest["scenarios"]
        ]
    return rest


def complete_arm(arm: Any, stack: Any = None, look: Callable[[str], Stack] = load_stack) -> Any:
    """One arm with its stack's server, client and N, unless it states its own; `look` reads a stack by its name."""
    if not isinstance(arm, dict):
        return arm
    arm = ({"stack": stack} if stack is not None else {}) | arm
    if not isinstance(arm.get("stack"), str):
        raise PlanError("an arm has no stack: give `stack` at the sweep, its block or the arm")
    spec = look(arm["stack"]).spec
    protocol = arm.get("protocol")
    if protocol not in ("quic", "tcp"):
        raise PlanError(f"an arm's protocol is quic or tcp, not {protocol!r}")
    facts = getattr(spec, protocol)
    own: dict[str, Any] = {"server": facts.server, "client": facts.client}
    emulated = spec.cca.emulated_connections
    cubic = protocol == "quic" and arm.get("cca", "cubic") == "cubic"
    if emulated is not None and cubic and arm.get("server", facts.server) == facts.server:
        own["emulated_connections"] = emulated
    return own | arm


def open_sweep(name: str) -> Sweep:
    """The sweep of that name, in sweeps/ or one of its studies' folders, or of that file (its name ends in .toml)."""
    if name.endswith(".toml"):
        return load_sweep(Path(name), complete)
    found = sweep_files().get(name)
    if found is None:
        known = ", ".join(sorted(sweep_files()))
        raise PlanError(f"no sweep {name!r} in {paths.SWEEPS} (known: {known})")
    return load_sweep(found, complete)


def every_sweep() -> Iterator[Sweep]:
    """All that there are; a stack of several is read once."""
    look = cache(load_stack)
    for file in sweep_files().values():
        yield load_sweep(file, partial(complete, look=look))


def sweep_files() -> dict[str, Path]:
    """Name -> file of every sweep."""
    files = [*paths.SWEEPS.glob("*.toml"), *paths.SWEEPS.glob("*/*.toml")]
    return {path.stem: path for path in sorted(files)}
