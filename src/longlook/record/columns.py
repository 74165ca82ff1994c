"""What a column of a record's Parquet file may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class RecordColumn:
    """Numbers are finite and from 0 to `most`."""

    kind: Literal["text", "whole", "number"]
    most: float = 0.0
    gaps: bool = False
    """Rows may lack it."""
    files: bool = True
    """Files have it; if not, the first ones lack it."""


TEXT = RecordColumn("text")
NUMBER_OF = RecordColumn("whole", 1e6)
"""Of a sample: within its arm, or of its attempt."""
PACKETS = RecordColumn("whole", 1e12)
BYTES = RecordColumn("whole", 1e15)
SECONDS = RecordColumn("number", 1e6)
MILLISECONDS = RecordColumn("number", 1e9)
