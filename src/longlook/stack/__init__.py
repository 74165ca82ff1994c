"""Stacks of parts: pinned software. `load_stack` reads one, `install.install` installs it, `open_stack` verifies it."""

from longlook.stack.installed import ChangedError, Installed, NotOfferedError, open_stack
from longlook.stack.layers import known_stacks, offered_stacks
from longlook.stack.spec import Stack, StackSpec, load_stack
from longlook.stack.table import StackError

__all__ = [
    "ChangedError",
    "Installed",
    "NotOfferedError",
    "Stack",
    "StackError",
    "StackSpec",
    "known_stacks",
    "load_stack",
    "offered_stacks",
    "open_stack",
]
