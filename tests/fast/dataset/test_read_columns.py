"""Tables of records are read with their columns checked."""

import pandas as pd
import pytest

from longlook.errors import LonglookError
from longlook.record.columns import MILLISECONDS, TEXT
from longlook.record.parquet import read_columns

COLUMNS = {"arm": TEXT, "ms": MILLISECONDS}


@pytest.mark.parametrize("table", [{"arm": ["quic"], "ms": [1.5]}, {"arm": [], "ms": []}])
def test_a_table_with_rows_and_one_without(tmp_path, table):
    """Of a cell whose clients are all browsers no connection is told: columns without a row, and so without a type."""
    path = tmp_path / "table.parquet"
    pd.DataFrame(table).to_parquet(path)
    assert len(read_columns(path, COLUMNS)) == len(table["arm"])


@pytest.mark.parametrize(
    "table", [{"arm": ["quic"]}, {"arm": []}, {"arm": [1], "ms": [1.5]}, {"arm": ["quic"], "ms": ["1.5"]}]
)
def test_a_column_that_is_missing_or_of_another_type(tmp_path, table):
    path = tmp_path / "table.parquet"
    pd.DataFrame(table).to_parquet(path)
    with pytest.raises(LonglookError, match="missing, or of the wrong type"):
        read_columns(path, COLUMNS)
