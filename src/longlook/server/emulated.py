"""`envoy-n1`: the pinned Envoy with QUICHE's number of emulated connections, N, set to 1.

How it is changed says envs/<stack>/envoy-n1.toml.
"""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError, NotSupported
from longlook.stack import Installed
from longlook.stack.changed import copied

RECIPE = "envoy-n1.toml"


def one_connection(stack: Installed) -> Path:
    """A copy of the stack's Envoy that emulates one connection; made once and kept in the cache."""
    try:
        recipe = stack.template(RECIPE)
    except LonglookError as error:
        raise NotSupported(f"stack {stack.name} has no recipe for N = 1: {error}") from None
    program = stack.binary("envoy")
    key = hashlib.sha256(recipe.read_bytes() + str(program).encode() + stack.digest.encode()).hexdigest()[:12]
    changes = tomllib.loads(recipe.read_text(encoding="utf-8"))["change"]
    return copied(program, paths.CACHE / "envoy-n1" / key / "envoy", changes, RECIPE)
