"""Parquet files of records, read with what they must have checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow
import pyarrow.parquet

from longlook.errors import LonglookError
from longlook.host.files import open_own

MOST_ROWS = 10**7
MOST_BYTES = 10**9
"""Unpacked."""
BROKEN = (OSError, ValueError, TypeError, LookupError, NotImplementedError, MemoryError, pyarrow.ArrowException)
"""What pyarrow raises for a file that is not what it says."""
IS = {
    "text": lambda kind: pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind),
    "number": lambda kind: pyarrow.types.is_floating(kind) or pyarrow.types.is_integer(kind),
}


def read_columns(path: Path, columns: Mapping[str, str]) -> pd.DataFrame:
    """The table of a file; `columns`: name -> `text` (without gaps) or `number`. A file that is damaged,
    lacks one or claims to be larger than any of ours is a `LonglookError`. Columns without a row have no type."""
    try:
        with open_own(path), pyarrow.parquet.ParquetFile(path) as file:
            about = file.metadata
            size = sum(about.row_group(number).total_byte_size for number in range(about.num_row_groups))
            if about.num_rows > MOST_ROWS or size > MOST_BYTES:
                raise LonglookError(
                    f"{path} claims {about.num_rows} rows of {size} bytes: no record of ours is so large"
                )
            schema = file.schema_arrow
            typed = about.num_rows > 0
            wrong = [
                name
                for name, kind in columns.items()
                if name not in schema.names or (typed and not _is(schema, name, kind))
            ]
            if wrong:
                raise LonglookError(f"{path}: columns {', '.join(wrong)} are missing, or of the wrong type")
            table = file.read().to_pandas()
    except BROKEN as error:
        raise LonglookError(f"{path} could not be read: {str(error)[:200]}") from None
    if any(table[name].isna().any() for name, kind in columns.items() if kind == "text"):
        raise LonglookError(f"{path}: a column of texts has gaps")
    return table


def _is(schema: pyarrow.Schema, name: str, kind: str) -> bool:
    return bool(IS[kind](schema.field(name).type))
