"""`envoy-n1`: the pinned Envoy with QUICHE's number of emulated connections, N, set to 1.

How it is changed says envs/<stack>/envoy-n1.toml.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tomllib
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError, NotSupported
from longlook.host.locking import exclusive
from longlook.stack import Installed


def one_connection(stack: Installed) -> Path:
    """A copy of the stack's Envoy that emulates one connection; made once and kept in the cache."""
    try:
        recipe = stack.template("envoy-n1.toml")
    except LonglookError as error:
        raise NotSupported(f"stack {stack.name} has no recipe for N = 1: {error}") from None
    program = stack.binary("envoy")
    key = hashlib.sha256(recipe.read_bytes() + str(program).encode() + stack.digest.encode()).hexdigest()[:12]
    made = paths.CACHE / "envoy-n1" / key / "envoy"
    with exclusive(paths.CACHE / "envoy-n1.lock", "making envoy-n1"):
        if not made.exists():
            changed = change(program.read_bytes(), tomllib.loads(recipe.read_text(encoding="utf-8"))["change"], program)
            made.parent.mkdir(parents=True, exist_ok=True)
            partial = made.with_suffix(".partial")
            partial.write_bytes(changed)
            shutil.copymode(program, partial)
            os.replace(partial, made)
    return made


def change(program: bytes, changes: list[dict], name: object = "envoy") -> bytes:
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
                f"{name} is not the program that envoy-n1.toml was made for: its bytes are not at {one['offset']:#x}"
            )
        begin = place + len(before)
        made[begin : begin + len(value)] = bytes.fromhex(one["becomes"])
    return bytes(made)
