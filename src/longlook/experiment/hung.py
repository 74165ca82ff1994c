"""Where a cell stands that does not end: the stacks of its process, in a file of its folder."""

from __future__ import annotations

import contextlib
import faulthandler
import os
from collections.abc import Iterator
from pathlib import Path

HUNG_NAME = "hung.txt"


@contextlib.contextmanager
def stacks_kept(folder: Path, after_s: float) -> Iterator[None]:
    """Of a block that takes longer and does not end well."""
    kept, done = folder / HUNG_NAME, False
    with kept.open("w", encoding="utf-8") as file:
        faulthandler.dump_traceback_later(after_s, file=file)
        try:
            yield
            done = True
        finally:
            faulthandler.cancel_dump_traceback_later()
            if done or not os.fstat(file.fileno()).st_size:
                kept.unlink(missing_ok=True)
