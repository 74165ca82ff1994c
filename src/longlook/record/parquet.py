"""Parquet files of records, read with what they must have checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow
import pyarrow.parquet

from longlook.errors import LonglookError
from longlook.host.files import open_own
from longlook.record.columns import RecordColumn

MOST_ROWS = 10**7
MOST_BYTES = 10**9
"""Unpacked."""
BROKEN = (OSError, ValueError, TypeError, LookupError, NotImplementedError, MemoryError, pyarrow.ArrowException)
"""What pyarrow raises for a file that is not what it says."""
IS = {
    "text": lambda kind: pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind),
    "number": lambda kind: pyarrow.types.is_floating(kind) or pyarrow.types.is_integer(kind),
    "whole": pyarrow.types.is_integer,
}


def records(frame: pd.DataFrame) -> list[dict[Any, Any]]:
    """Rows of a table, column -> value in Python's own types. pandas's `to_dict("records")` gives the same in 7 to 100
    times as long, since it makes a Series of each column: it was an eighth of a book's time."""
    names = frame.columns.tolist()
    return [dict(zip(names, values, strict=True)) for values in frame.to_numpy(dtype=object).tolist()]


def read_columns(path: Path, columns: Mapping[str, RecordColumn]) -> pd.DataFrame:
    """These columns of a file, and no other. A file that is damaged, lacks one, holds in one what it may not, or claims
    to be larger than any of ours is a `LonglookError`. Columns without a row have no type."""
    try:
        with open_own(path), pyarrow.parquet.ParquetFile(path) as file:
            about = file.metadata
            size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
            if about.num_rows > MOST_ROWS or size > MOST_BYTES:
                raise LonglookError(
                    f"{path} claims {about.num_rows} rows of {size} bytes: no record of ours is so large"
                )
            schema = file.schema_arrow
            there = {name: column for name, column in columns.items() if column.files or name in schema.names}
            wrong = [name for name, column in there.items() if not _fits(schema, name, column, about.num_rows)]
            if wrong:
                raise LonglookError(f"{path}: columns {', '.join(wrong)} are missing, or of the wrong type")
            table = file.read(columns=list(there)).to_pandas()
    except BROKEN as error:
        raise LonglookError(f"{path} could not be read: {str(error)[:200]}") from None
    for name, column in there.items():
        if (problem := _wrong(table[name], column)) is not None:
            raise LonglookError(f"{path}: {name} {problem}")
    return table


def _fits(schema: pyarrow.Schema, name: str, column: RecordColumn, rows: int) -> bool:
    """A column of nothing but gaps has no type, or pandas' for them."""
    if schema.names.count(name) != 1:
        return False
    kind = schema.field(name).type
    empty = pyarrow.types.is_null(kind) or (column.kind == "text" and pyarrow.types.is_floating(kind))
    return rows == 0 or bool(IS[column.kind](kind)) or (column.gaps and empty)


def _wrong(values: pd.Series, column: RecordColumn) -> str | None:
    """What a column holds that it may not."""
    gone = values.isna()
    if gone.any() and not column.gaps:
        return "has gaps, or what is no number"
    there = values[~gone]
    if column.kind == "text":
        return None if all(isinstance(one, str) for one in there.unique()) else "is no text"
    numbers = there.to_numpy(dtype="float64")
    outside = numbers[~((numbers >= 0) & (numbers <= column.most))]
    return f"is {outside[0]:g}; it may be from 0 to {column.most:g}" if len(outside) else None
