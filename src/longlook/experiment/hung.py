"""Where a cell stands that does not end: the stacks of its process, every few minutes, in a file of its folder."""

from __future__ import annotations

import contextlib
import faulthandler
from collections.abc import Iterator
from pathlib import Path

HUNG_NAME = "hung.txt"
EVERY_S = 300.0


@contextlib.contextmanager
def stacks_kept(folder: Path, every_s: float = EVERY_S) -> Iterator[None]:
    """While the block runs; a block that ends well leaves none."""
    kept, done = folder / HUNG_NAME, False
    with kept.open("w", encoding="utf-8") as file:
        faulthandler.dump_traceback_later(every_s, repeat=True, file=file)
        try:
            yield
            done = True
        finally:
            faulthandler.cancel_dump_traceback_later()
            if done or not kept.stat().st_size:
                kept.unlink()
