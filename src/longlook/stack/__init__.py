"""Stacks: pinned sets of software. `load_stack` reads one, `install.install` installs it, `open_stack` gives it verified."""

from longlook.stack.installed import ChangedError, Installed, open_stack
from longlook.stack.spec import Stack, StackError, StackSpec, known_stacks, load_stack

__all__ = ["ChangedError", "Installed", "Stack", "StackError", "StackSpec", "known_stacks", "load_stack", "open_stack"]
