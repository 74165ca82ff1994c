"""Copies of a stack's programs with some bytes changed: for what a program has no switch.

A copy is made once, from the verified program, and kept in the cache.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.errors import NotSupported
from longlook.host.locking import exclusive
from longlook.plan.arm import Protocol
from longlook.stack.installed import Installed

CLIENTS = "changed-clients"
"""Folder of the cache."""


def client_program(stack: Installed, protocol: Protocol, component: str) -> Path:
    """A client's program: the stack's own, or the copy that the stack asks for on that side."""
    program = stack.binary(component)
    changes = [one.model_dump() for one in stack.protocol(protocol).client_changes]
    if not changes:
        return program
    key = hashlib.sha256(f"{program} {stack.digest} {changes}".encode()).hexdigest()[:12]
    return copied(program, paths.CACHE / CLIENTS / key / component, changes, f"stack {stack.name}")


def copied(program: Path, made: Path, changes: Sequence[Mapping[str, Any]], recipe: str) -> Path:
    """The copy at `made`; who asks for it while another makes it waits."""
    folder = made.parent.parent
    with exclusive(folder.with_suffix(".lock"), f"making {folder.name}"):
        if not made.exists():
            content = change(program.read_bytes(), changes, program, recipe)
            made.parent.mkdir(parents=True, exist_ok=True)
            partial = made.with_suffix(".partial")
            partial.write_bytes(content)
            shutil.copymode(program, partial)
            os.replace(partial, made)
    return made


def change(program: bytes, changes: Sequence[Mapping[str, Any]], name: object, recipe: str) -> bytes:
    """The program with every change made. Each is found by its neighbouring bytes, which must occur exactly once; the
    offset says where that is in the program as published, which another loader (Nix) may have moved."""
    made = bytearray(program)
    for one in changes:
        before, value, after = (bytes.fromhex(one[key]) for key in ("before", "value", "after"))
        pattern = before + value + after
        expected = one["offset"] - len(before)
        place = expected if program[expected : expected + len(pattern)] == pattern else program.find(pattern)
        if place < 0 or (place != expected and program.find(pattern, place + 1) >= 0):
            raise NotSupported(
                f"{name} is not the program that {recipe} was made for: its bytes are not at {one['offset']:#x}"
            )
        begin = place + len(before)
        made[begin : begin + len(value)] = bytes.fromhex(one["becomes"])
    return bytes(made)
