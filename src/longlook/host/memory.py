"""Memory of a process that many others are forked from, each of which holds what it was given."""

from __future__ import annotations

import ctypes

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""By glibc's `malloc.h`."""
TOP_BYTES, OWN_BYTES = 1 << 18, 1 << 17


def give_back_what_is_freed() -> None:
    """From now on blocks of 128 KiB and more go back to the kernel as soon as they are free, as long as this process
    and its children run. By itself glibc keeps the larger ones the more of them were freed: a chapter held up to 340
    MB, of which it used 180. Another C library does as it does."""
    tell = getattr(ctypes.CDLL(None), "mallopt", None)
    if tell is not None:
        tell(TRIM_THRESHOLD, TOP_BYTES)
        tell(MMAP_THRESHOLD, OWN_BYTES)
