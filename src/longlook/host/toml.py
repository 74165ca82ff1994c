"""TOML files as plain data. Whatever is wrong with one is a `LonglookError` that names it."""

from __future__ import annotations

import pickle
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError
from longlook.host.files import read_regular


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a file; raises `FileNotFoundError` where there is none, and else `LonglookError`."""
    try:
        data = read_regular(path)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        raise LonglookError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        return pickle.loads(_values(data))
    except UnicodeDecodeError as error:
        raise LonglookError(f"{path} cannot be read: it is not text in UTF-8 (byte {error.start})") from None
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is no TOMLDecodeError
        raise LonglookError(f"{path}: not TOML: {str(error)[:200]}") from None


@lru_cache(maxsize=256)
def _values(data: bytes) -> bytes:
    """Of the same bytes once: every arm of a plan asks for its stack, whose tables are the same files. Pickled, of
    which a copy is made several times as fast as by `copy.deepcopy`."""
    return pickle.dumps(tomllib.loads(data.decode("utf-8")))
