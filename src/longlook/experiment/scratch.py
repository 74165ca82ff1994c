"""Dask's folder for temporary files, in which scheduler, nannies and workers look for locks and for modules.

By itself it takes `dask-scratch-space` in the folder for everybody's temporary files, which any user can make
beforehand: with links in place of its locks, and modules that a worker then imports.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator

import dask


@contextlib.contextmanager
def own_scratch() -> Iterator[None]:
    """A new folder, mode 0700, for Dask in this process and its workers; nobody's settings but this program's count."""
    for name in [name for name in os.environ if name.startswith("DASK_")]:
        del os.environ[name]
    dask.config.refresh(paths=[], env={})
    with (
        tempfile.TemporaryDirectory(prefix="dask-", ignore_cleanup_errors=True) as folder,
        dask.config.set({"temporary-directory": folder}),
    ):
        yield
