"""What was seen of a page while it loaded, from a cell's records: progress and pictures of one load per arm."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError
from longlook.experiment.side import PICTURED
from longlook.record.samples import read_records

JPEG_BEGINS = b"\xff\xd8\xff"
MOST_PICTURES, MOST_BYTES = 64, 40_000
"""Of a load; of a picture."""


@dataclass(frozen=True)
class Film:
    """One accepted load. Times are from the start of its navigation, ms."""

    arm: str
    progress: tuple[tuple[float, float], ...]
    """Time, and what is seen of the last frame, %."""
    pictures: tuple[tuple[float, bytes], ...]
    """Time, and a small JPEG of what is seen from then on."""
    metrics: Mapping[str, float | None]

    def picture_at(self, ms: float) -> bytes:
        """What was seen at a time; before the first picture that one."""
        return next((jpeg for at, jpeg in reversed(self.pictures) if at <= ms), self.pictures[0][1])

    @property
    def ends_ms(self) -> float:
        """When all that is seen was there."""
        return next(at for at, percent in self.progress if percent >= 100)


def films(folder: Path) -> dict[str, Film]:
    """Arm -> its load; without those that no accepted record shows. What is no small JPEG is a `LonglookError`."""
    found: dict[str, Film] = {}
    for record in read_records(folder):
        if record["accepted"] and record["index"] == PICTURED:
            film = _film(folder, record)
            found |= {} if film is None else {film.arm: film}
    return found


def _film(folder: Path, record: Mapping[str, Any]) -> Film | None:
    seen = (record.get("artefact") or {}).get("paints") or {}
    try:
        pictures = tuple((float(at), base64.b64decode(text, validate=True)) for at, text in seen.get("pictures", ()))
        progress = tuple((float(at), float(percent)) for at, percent in seen.get("progress", ()))
    except (TypeError, ValueError, binascii.Error) as error:
        raise LonglookError(f"{folder}: what was seen of {record['arm']} cannot be read: {error!r}") from None
    if not pictures or not progress or progress[-1][1] != 100:
        return None
    strange = [at for at, one in pictures if not one.startswith(JPEG_BEGINS) or len(one) > MOST_BYTES]
    if strange or len(pictures) > MOST_PICTURES:
        raise LonglookError(f"{folder}: the pictures of {record['arm']} are no small JPEGs, or too many")
    return Film(record["arm"], progress, pictures, record["metrics"])
