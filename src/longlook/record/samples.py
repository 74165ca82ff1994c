"""`samples.jsonl.zst`: one JSON object per sample, durable as soon as it is appended.

A sample is a load, download or transfer of one arm. While a cell is measured each sample is a zstd frame of its own
(with a checksum), flushed to the disk: a kill at any moment costs at most the frame being written. When the cell is
whole `repack` makes one frame of them, because neighbouring samples resemble each other and then compress several times
better.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import zstandard

from longlook.errors import LonglookError
from longlook.paths import refuse_link
from longlook.record import upgrade
from longlook.record.durable import explain_disk_errors, parse_object, read_bytes, write_bytes

SCHEMA = "longlook.sample/1"
SAMPLES_NAME = "samples.jsonl.zst"
REQUIRED_KEYS = (
    "campaign", "cell_id", "arm", "index", "attempt", "order", "accepted", "set_aside", "reject_reason", "metrics",
)  # fmt: skip
_REASON = re.compile(r"[a-z][a-z0-9_]*")
_APPEND_LEVEL = 3
_REPACK_LEVEL = 19
_PIECE_BYTES = 4096
_MOST_BYTES = 10**9
"""Of a cell's samples, unpacked: a few KB of Zstandard can claim to hold a disk full of zeros."""
_MOST = 1e15
"""No time, count or number of bytes of a sample is larger."""


def _compress(data: bytes, level: int) -> bytes:
    return zstandard.ZstdCompressor(level=level, write_checksum=True, threads=0).compress(data)


@dataclass(frozen=True)
class Sample:
    """What the tables take from a sample; its record holds more (data/raw/README.md)."""

    arm: str
    index: int
    """Number within its arm."""
    attempt: int
    order: int
    """Place in the cell's order of measuring."""
    accepted: bool
    set_aside: bool
    """Kept for its own sake, and never averaged: the first load of an arm, which is cold."""
    reject_reason: str | None
    disturbed: bool
    zero_rtt: bool | None
    """Whether the server took early data; None where that does not apply or cannot be told."""
    metrics: Mapping[str, float | None]
    draw: int = 0
    """Number of the draw of losses and delays that it met."""
    machine_busy: float | None = None
    """Share (0 to 1) of the processors' time, from before the load until it was looked at, that was not idle."""

    @property
    def counts(self) -> bool:
        """Whether it enters means."""
        return self.accepted and not self.set_aside


def sample_of(record: Mapping[str, Any]) -> Sample:
    """The sample of a checked record."""
    return Sample(
        arm=record["arm"],
        index=record["index"],
        attempt=record["attempt"],
        order=record["order"],
        accepted=record["accepted"],
        set_aside=record["set_aside"],
        reject_reason=record["reject_reason"],
        disturbed=bool(record.get("disturbed")) or record["reject_reason"] == "disturbed",
        zero_rtt=record.get("zero_rtt"),
        metrics=record["metrics"],
        draw=record.get("draw", record["attempt"]),  # before there were draws, each attempt met losses of its own
        machine_busy=_busy(record.get("cpu")),
    )


def check_record(record: dict[str, Any], where: str) -> None:
    """Raise `LonglookError` unless `record` is a complete `longlook.sample/1` object that makes sense."""
    if record.get("schema") != SCHEMA:
        raise LonglookError(f"{where}: schema is {record.get('schema')!r}, expected {SCHEMA!r}")
    lacking = [key for key in REQUIRED_KEYS if key not in record]
    if lacking:
        raise LonglookError(f"{where}: the sample lacks {', '.join(lacking)}")
    if wrong := [key for key in ("campaign", "cell_id", "arm") if not isinstance(record[key], str)]:
        raise LonglookError(f"{where}: {', '.join(wrong)} must be text")
    if wrong := [key for key in ("index", "attempt", "draw", "order") if not _is_count(record.get(key, 0))]:
        raise LonglookError(f"{where}: {', '.join(wrong)} must be whole numbers from 0")
    if not isinstance(record.get("zero_rtt"), bool | None):
        raise LonglookError(f"{where}: zero_rtt is {record['zero_rtt']!r}; expected true, false or null")
    if not isinstance(record.get("disturbed"), bool | None):
        raise LonglookError(f"{where}: `disturbed` is {str(record['disturbed'])[:80]}; expected true, false or null")
    reason, accepted, metrics = record["reject_reason"], record["accepted"], record["metrics"]
    if not isinstance(accepted, bool) or not isinstance(record["set_aside"], bool):
        raise LonglookError(
            f"{where}: accepted is {accepted!r}, set_aside {record['set_aside']!r}; expected true or false"
        )
    if not isinstance(metrics, dict) or not all(_is_number(value) for value in metrics.values()):
        raise LonglookError(f"{where}: metrics must map names to numbers, are {metrics!r}")
    if accepted and (reason is not None or not any(value is not None for value in metrics.values())):
        raise LonglookError(
            f"{where}: an accepted sample needs a metric and no reject_reason, has {metrics!r}, {reason!r}"
        )
    if not accepted and not (isinstance(reason, str) and _REASON.fullmatch(reason)):
        raise LonglookError(f"{where}: a rejected sample needs a reject_reason such as 'object_count', has {reason!r}")


def _busy(cpu: Any) -> float | None:
    told = cpu.get("machine_busy") if isinstance(cpu, Mapping) else None
    return told if _is_number(told) else None


def _is_number(value: Any) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST and math.isfinite(value)
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST


def _frames(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Each whole frame's content, with the offset of its end; stops at a torn or damaged frame."""
    decompressor = zstandard.ZstdDecompressor()
    offset = 0
    while offset < len(data):
        frame = decompressor.decompressobj()
        pieces, size, at = [], 0, offset
        try:
            while not frame.eof and at < len(data):
                pieces.append(frame.decompress(data[at : at + _PIECE_BYTES]))
                size, at = size + len(pieces[-1]), at + _PIECE_BYTES
                if size > _MOST_BYTES:
                    return
        except zstandard.ZstdError:
            return
        if not frame.eof:
            return
        offset = min(at, len(data)) - len(frame.unused_data)
        yield b"".join(pieces), offset


def _lines(path: Path, *, torn_ok: bool) -> Iterator[bytes]:
    try:
        data = read_bytes(path)
    except OSError as error:
        raise LonglookError(f"the samples of a cell could not be read: {path}: {error.strerror}") from None
    good = 0
    for content, end in _frames(data):
        yield from content.splitlines()
        good = end
    if good < len(data) and not torn_ok:
        raise LonglookError(f"{path}: damaged after byte {good} of {len(data)} (torn or changed zstd frame)")


class SamplesWriter:
    """Appends samples to a `samples.jsonl.zst`; each `append` is on the disk when it returns.

    Opening a file that a killed process left cuts off its torn last frame and goes on after the last
    whole one. On a full disk `append` removes what it half wrote and raises `LonglookError`.
    """

    def __init__(self, path: Path):
        self.path = Path(path)
        with explain_disk_errors(f"open {self.path.name}", self.path):
            refuse_link(self.path)
            self._stream = self.path.open("ab", buffering=0)
            self._good = max((end for _content, end in _frames(read_bytes(self.path))), default=0)
            self._stream.truncate(self._good)
        self.count = sum(1 for _line in _lines(self.path, torn_ok=True))

    def append(self, record: dict[str, Any]) -> None:
        """Write one sample; refuses one that does not fit the schema."""
        check_record(record, f"{self.path}, sample {self.count + 1}")
        try:
            line = json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise LonglookError(f"{self.path}, sample {self.count + 1} cannot be written as JSON: {error}") from None
        frame = _compress(line.encode() + b"\n", _APPEND_LEVEL)
        with explain_disk_errors(f"record sample {self.count + 1}", self.path):
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

    def __enter__(self) -> SamplesWriter:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def read_records(cell_dir: Path, *, torn_ok: bool = False) -> Iterator[dict[str, Any]]:
    """Every sample of a cell folder as its record, in the order measured; records of older campaigns are upgraded.

    A damaged file is a `LonglookError`, unless `torn_ok` (for the remains of an interrupted cell).
    """
    path = Path(cell_dir) / SAMPLES_NAME
    old = Path(cell_dir) / upgrade.RUNS_NAME
    if not path.exists() and old.exists():
        path = old
    for number, line in enumerate(_lines(path, torn_ok=torn_ok), start=1):
        where = f"{path}, sample {number}"
        try:
            record = parse_object(line)
        except ValueError as error:
            raise LonglookError(f"{where}: not a JSON object: {error}") from None
        record = upgrade.sample_record(record, where)
        check_record(record, where)
        yield record


def read_samples(cell_dir: Path) -> list[Sample]:
    """`read_records` without what the tables do not need."""
    return [sample_of(record) for record in read_records(cell_dir)]


def repack(path: Path) -> int:
    """Rewrite as one well-compressed frame with the same lines, all or nothing; returns the number of samples."""
    lines = list(_lines(path, torn_ok=False))
    write_bytes(path, _compress(b"".join(line + b"\n" for line in lines), _REPACK_LEVEL))
    return len(lines)
