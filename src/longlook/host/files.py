"""Reading a file that somebody else may have put there: one that ends, and of a size that ours have.

A pipe waits for a writer, a device never ends, and a file with a hole in it has more bytes than the disk: none is read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError

TEXT_BYTES = 4_000_000
"""Of what somebody writes by hand."""
RECORD_BYTES = 1_000_000_000
"""Of a file of a record, as it lies on the disk."""


@contextmanager
def open_regular(path: Path) -> Iterator[BufferedReader]:
    """A file to be read; an `OSError` for what is no regular file."""
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "no regular file, but a pipe, a device or a socket", str(path))
        yield stream


def read_regular(path: Path, most_bytes: int = TEXT_BYTES) -> bytes:
    """All of a file; an `OSError` for what cannot be read, or is larger than it can be."""
    with open_regular(path) as stream:
        data = stream.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise OSError(errno.EFBIG, f"it has more than {most_bytes / 1e6:g} MB, which none of ours has", str(path))
    return data


def read_text(path: Path, what: str, most_bytes: int = TEXT_BYTES) -> str:
    """The text of a file; a `LonglookError` that names it, as `what` it is read, for whatever is wrong with it."""
    try:
        return read_regular(path, most_bytes).decode("utf-8")
    except UnicodeDecodeError as error:
        raise LonglookError(f"cannot read {what} {path}: it is not text in UTF-8 (byte {error.start})") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        raise LonglookError(f"cannot read {what} {path}: {getattr(error, 'strerror', None) or error}") from None


@contextmanager
def open_own(path: Path) -> Iterator[BufferedReader]:
    """A file of a record, or of a table, to be read; an `OSError` where a symbolic link leads to it, too."""
    if (link := paths.link_to(path)) is not None:
        raise OSError(errno.ELOOP, f"{link} is a symbolic link, and none is followed", str(path))
    with open_regular(path) as stream:
        yield stream
