"""Stacks: pinned sets of software. `load_stack` reads one, `install.install` installs it, `open_stack` gives it verified."""

from longlook.stack.installed import ChangedError, Installed, NotOfferedError, open_stack
from longlook.stack.spec import Stack, StackError, StackSpec, known_stacks, load_stack, offered_stacks

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
