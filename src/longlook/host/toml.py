"""TOML files as plain data. Whatever is wrong with one is a `LonglookError` that names it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError

MOST_BYTES = 4_000_000
"""Of a file that somebody wrote by hand: more is something else, a device that never ends for instance."""


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a file; raises `FileNotFoundError` where there is none, and else `LonglookError`."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        raise LonglookError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MOST_BYTES:
        raise LonglookError(f"{path} cannot be read: it has more than {MOST_BYTES // 10**6} MB, no table of ours has")
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LonglookError(f"{path} cannot be read: it is not text in UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is no TOMLDecodeError
        raise LonglookError(f"{path}: not TOML: {str(error)[:200]}") from None
