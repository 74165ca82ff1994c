"""Files that survive: written under a temporary name, flushed to the disk, renamed when whole.

A process that is killed, or a disk that fills up, leaves either the old file or the new one, never half
of one. `OSError` becomes a `LonglookError` that says what was being written and what to do.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.files import RECORD_BYTES, open_own

FULL = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def explain_disk_errors(what: str, path: Path) -> Iterator[None]:
    """Turn an `OSError` of the body into a `LonglookError`; `what` completes "could not ..."."""
    try:
        yield
    except OSError as error:
        raise disk_error(what, path, error) from error


def disk_error(what: str, path: Path | str, error: OSError) -> LonglookError:
    """What a user is told of an `OSError`."""
    if error.errno in FULL:
        return LonglookError(
            f"could not {what}: the disk that holds {path} is full. Everything measured before this is "
            "safe on disk; free some space and give the same command again: it goes on at the first missing cell"
        )
    return LonglookError(f"could not {what}: {error.filename or path}: {error.strerror or error}")


def fsync_folder(folder: Path) -> None:
    """Make the names in `folder` (creations, renames) durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_tree(folder: Path) -> None:
    """Make every file and folder under `folder`, and `folder` itself, durable."""
    for parent, _folders, files in os.walk(folder):
        for name in files:
            descriptor = os.open(Path(parent, name), os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        fsync_folder(Path(parent))


def write_bytes(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, all or nothing, durable on return."""
    paths.refuse_link(path)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with explain_disk_errors(f"write {path.name}", path):
        try:
            temporary.unlink(missing_ok=True)
            with temporary.open("xb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)
            fsync_folder(path.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def json_bytes(data: Any) -> bytes:
    """Readable JSON, keys in the given order, ended by a newline; NaN and infinity are refused."""
    return (json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def write_json(path: Path, data: Any) -> None:
    """Replace `path` by `data` as JSON, all or nothing."""
    write_bytes(path, json_bytes(data))


def read_json(path: Path) -> dict[str, Any]:
    """Read one JSON object; a missing or broken file is a `LonglookError` that names it."""
    try:
        return parse_object(read_bytes(path).decode())
    except FileNotFoundError:
        raise LonglookError(f"{path} is missing") from None
    except (OSError, ValueError) as error:
        raise LonglookError(f"{path} could not be read as JSON: {error}") from None


def parse_object(text: str | bytes) -> dict[str, Any]:
    """A JSON object; `ValueError` for anything else, also for NaN and infinity, which JSON does not have."""
    data = from_json(text, allow_inf_nan=False, cache_strings="keys")  # four times as fast as json's
    if not isinstance(data, dict):
        raise ValueError(f"it holds {type(data).__name__}, not a JSON object")
    return data


def read_bytes(path: Path) -> bytes:
    """All of a file of a record; an `OSError` for one that is larger than any of ours."""
    with _bounded(path) as stream:
        return stream.read(RECORD_BYTES)


@contextmanager
def _bounded(path: Path) -> Iterator[BufferedReader]:
    with open_own(path) as stream:
        if os.fstat(stream.fileno()).st_size > RECORD_BYTES:
            raise OSError(errno.EFBIG, f"it has more than {RECORD_BYTES / 1e6:g} MB, which none of ours has", str(path))
        yield stream


def sha256_file(path: Path) -> str:
    """SHA-256 of a file, hexadecimal."""
    with _bounded(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
