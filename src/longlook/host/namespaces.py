"""Linux's namespaces by its C library: calls that raise, and threads that enter a network, or one made for them."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

NEWNET = 0x40000000


def called(name: str, *arguments: object) -> None:
    """A function of the C library that returns 0, or raises OSError."""
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)


def enter_network(file: Path) -> None:
    """The thread that calls is in this network namespace from then on; OSError where it cannot be."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        called("setns", descriptor, NEWNET)
    finally:
        os.close(descriptor)


def leave_network() -> None:
    """The same, of one that is made for it."""
    called("unshare", NEWNET)
