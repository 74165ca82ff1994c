"""What a column of a record's Parquet file may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """Numbers are finite and from 0 to `most`."""

    kind: Literal["text", "whole", "number"]
    most: float = 0.0
    gaps: bool = False
    """Rows may lack it."""
    files: bool = True
    """Files have it; if not, the first ones lack it."""


TEXT = Column("text")
NUMBER_OF = Column("whole", 1e6)
"""Of a sample: within its arm, or of its attempt."""
PACKETS = Column("whole", 1e12)
BYTES = Column("whole", 1e15)
SECONDS = Column("number", 1e6)
MILLISECONDS = Column("number", 1e9)
