"""`runs.jsonl.zst`: one JSON object per load, durable as soon as it is appended.

While a cell is measured each load is a zstd frame of its own (with a checksum), flushed to the disk: a
kill at any moment costs at most the frame being written. When the cell is whole `repack` makes one frame
of them, because neighbouring loads resemble each other and then compress several times better.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import zstandard

from longlook.errors import LonglookError
from longlook.record.durable import explain_disk_errors, write_bytes

RUN_SCHEMA = "longlook.run/1"
RUNS_NAME = "runs.jsonl.zst"
REQUIRED_KEYS = ("campaign", "cell_id", "arm", "protocol", "load_index", "attempt", "order", "plt_ms", "accepted",
                 "reject_reason")  # fmt: skip
_REASON = re.compile(r"^[a-z][a-z0-9_]*$")
_APPEND_LEVEL = 3
_REPACK_LEVEL = 19


def _compress(data: bytes, level: int) -> bytes:
    return zstandard.ZstdCompressor(level=level, write_checksum=True, threads=0).compress(data)


def check_run(record: dict[str, Any], where: str) -> None:
    """Raise `LonglookError` unless `record` is a complete `longlook.run/1` object that makes sense."""
    if record.get("schema") != RUN_SCHEMA:
        raise LonglookError(f"{where}: schema is {record.get('schema')!r}, expected {RUN_SCHEMA!r}")
    lacking = [key for key in REQUIRED_KEYS if key not in record]
    if lacking:
        raise LonglookError(f"{where}: the load lacks {', '.join(lacking)}")
    reason, accepted, plt = record["reject_reason"], record["accepted"], record["plt_ms"]
    if not isinstance(accepted, bool):
        raise LonglookError(f"{where}: accepted is {accepted!r}, expected true or false")
    if accepted and (reason is not None or not isinstance(plt, (int, float)) or not plt > 0):
        raise LonglookError(
            f"{where}: an accepted load needs plt_ms above 0 and no reject_reason, has {plt!r}, {reason!r}"
        )
    if not accepted and not (isinstance(reason, str) and _REASON.match(reason)):
        raise LonglookError(f"{where}: a rejected load needs a reject_reason such as 'object_count', has {reason!r}")


def _frames(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Each whole frame's content, with the offset of its end; stops at a torn or damaged frame."""
    decompressor = zstandard.ZstdDecompressor()
    offset = 0
    while offset < len(data):
        frame = decompressor.decompressobj()
        try:
            content = frame.decompress(memoryview(data)[offset:])
        except zstandard.ZstdError:
            return
        if not frame.eof:
            return
        offset = len(data) - len(frame.unused_data)
        yield content, offset


def _lines(path: Path, *, torn_ok: bool) -> Iterator[bytes]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LonglookError(f"the loads of a cell could not be read: {path}: {error.strerror}") from None
    good = 0
    for content, good in _frames(data):
        yield from content.splitlines()
    if good < len(data) and not torn_ok:
        raise LonglookError(f"{path}: damaged after byte {good} of {len(data)} (torn or changed zstd frame)")


class RunsWriter:
    """Appends loads to a `runs.jsonl.zst`; each `append` is on the disk when it returns.

    Opening a file that a killed process left cuts off its torn last frame and goes on after the last
    whole one. On a full disk `append` removes what it half wrote and raises `LonglookError`.
    """

    def __init__(self, path: Path):
        self.path = Path(path)
        with explain_disk_errors(f"open {self.path.name}", self.path):
            self._stream = self.path.open("ab", buffering=0)
            self._good = max((end for _content, end in _frames(self.path.read_bytes())), default=0)
            self._stream.truncate(self._good)
        self.count = sum(1 for _line in _lines(self.path, torn_ok=True))

    def append(self, record: dict[str, Any]) -> None:
        """Write one load; refuses one that does not fit the schema."""
        check_run(record, f"{self.path}, load {self.count + 1}")
        try:
            line = json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise LonglookError(f"{self.path}, load {self.count + 1} cannot be written as JSON: {error}") from None
        frame = _compress(line.encode() + b"\n", _APPEND_LEVEL)
        with explain_disk_errors(f"record load {self.count + 1}", self.path):
            try:
                self._write(frame)
            except OSError:
                self._stream.truncate(self._good)
                raise
        self._good += len(frame)
        self.count += 1

    def _write(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:  # a nearly full disk takes a part first and refuses the remainder
            rest = rest[os.write(self._stream.fileno(), rest) :]
        os.fsync(self._stream.fileno())

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> RunsWriter:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def read_runs(cell_dir: Path, *, torn_ok: bool = False) -> Iterator[dict[str, Any]]:
    """Every load of a cell folder, in the order measured.

    A damaged file is a `LonglookError`, unless `torn_ok` (for the remains of an interrupted cell).
    """
    path = Path(cell_dir) / RUNS_NAME
    for number, line in enumerate(_lines(path, torn_ok=torn_ok), start=1):
        try:
            record = json.loads(line)
        except ValueError as error:
            raise LonglookError(f"{path}, load {number}: not JSON: {error}") from None
        check_run(record, f"{path}, load {number}")
        yield record


def repack(path: Path) -> int:
    """Rewrite as one well-compressed frame with the same lines, all or nothing; returns the number of loads."""
    lines = list(_lines(path, torn_ok=False))
    write_bytes(path, _compress(b"".join(line + b"\n" for line in lines), _REPACK_LEVEL))
    return len(lines)
