"""The processed tables: their schemas (Frictionless, `schemas/*.json`), their one writer and their one reader.

The schema files are the one list of columns: rows are checked against them, Parquet types come from them,
and `datapackage.json` is made of them with the hash of each table. Same rows, same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import pandas
import pyarrow
import pyarrow.compute
import pyarrow.parquet

from longlook import paths
from longlook.errors import LonglookError
from longlook.record.durable import explain_disk_errors, json_bytes, read_json, sha256_file, write_bytes

# mimalloc, its usual one, keeps what reading took: more than the tables themselves, in each process.
pyarrow.set_memory_pool(pyarrow.system_memory_pool())
SCHEMAS = Path(__file__).with_name("schemas")
TABLES = (
    "cells",
    "samples",
    "objects",
    "arms",
    "contrasts",
    "timelines",
    "throughput",
    "agreement_means",
    "agreement_verdicts",
    "campaigns",
)
BY_SERIES = ("timelines",)
"""Tables of which the book reads each series by itself, when a chapter asks for it: whole, this one takes as much
memory as all others together, and few chapters ask for any of it."""
PACKAGE_NAME = "datapackage.json"
_ARROW = {
    "string": pyarrow.string(),
    "integer": pyarrow.int64(),
    "number": pyarrow.float64(),
    "boolean": pyarrow.bool_(),
}

Row = Mapping[str, Any]


@cache
def resource(name: str) -> dict[str, Any]:
    """The Frictionless resource of a table: name, title, path, schema."""
    return json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))


def columns(name: str) -> list[str]:
    """Column names of a table, in order."""
    return [*_types(name)]


def is_parquet(name: str) -> bool:
    """Whether a table is written as a Parquet file."""
    return resource(name)["path"].endswith(".parquet")


def to_arrow(name: str, rows: Iterable[Row]) -> pyarrow.Table:
    """Rows of a table, NaN as missing, each column of its schema's type."""
    rows = [_complete(name, row) for row in rows]
    types = {column: _ARROW[kind] for column, kind in _types(name).items()}
    values = [pyarrow.array([row[one] for row in rows], kind, from_pandas=True) for one, kind in types.items()]
    return pyarrow.Table.from_arrays(values, schema=pyarrow.schema([*types.items()]))


def write_tables(folder: Path, tables: Mapping[str, Iterable[Row] | pyarrow.Table]) -> dict[str, int]:
    """Write every table (empty where `tables` has none) and then the data package that lists their hashes; returns the
    rows of each."""
    with explain_disk_errors("write the processed tables", folder):
        paths.refuse_link(folder)
        folder.mkdir(parents=True, exist_ok=True)
    whole = {name: _whole(name, tables.get(name, ())) for name in TABLES}
    counts: dict[str, int] = {}
    resources = []
    for name, rows in whole.items():
        data = _parquet(rows) if isinstance(rows, pyarrow.Table) else _csv(name, rows)
        write_bytes(folder / resource(name)["path"], data)
        counts[name] = len(rows)
        resources.append(_described(name, data))
    package = {
        "name": "longlook-processed",
        "title": "QUIC and TCP on emulated links, made from the raw records of every campaign",
        "resources": resources,
    }
    write_bytes(folder / PACKAGE_NAME, json_bytes(package))
    return counts


def _described(name: str, data: bytes) -> dict[str, Any]:
    """The resource with the hash of its bytes.

    A Parquet table is a file to Frictionless, which then checks its hash; of a table it checks none that is not text,
    and takes a millisecond for each row, whose types Parquet itself holds.
    """
    item = dict(resource(name))
    schema, suffix = item.pop("schema"), item["path"].rpartition(".")[2]
    item |= {"format": suffix, "hash": f"sha256:{hashlib.sha256(data).hexdigest()}", "bytes": len(data)}
    return item | ({"type": "file"} if suffix == "parquet" else {}) | {"schema": schema}


def check_tables(folder: Path) -> list[str]:
    """One line per processed table that is missing or is not what its data package says; [] where all is well."""
    if not (folder / PACKAGE_NAME).is_file():
        return [f"{folder}: {PACKAGE_NAME} is missing; make it with: longlook process"]
    problems = []
    for name, item in _listed(folder).items():
        path = folder / resource(name)["path"]
        sealed = item.removeprefix("sha256:")
        if not path.is_file():
            problems.append(f"{path} is missing; make it with: longlook process")
        elif sha256_file(path) != sealed:
            problems.append(f"{path} is not what longlook process wrote; make it again")
    return problems


def _listed(folder: Path) -> dict[str, str]:
    """Table -> the hash that the data package of a folder has for it, for every table."""
    items = read_json(folder / PACKAGE_NAME).get("resources")
    plain = [one for one in items if isinstance(one, dict)] if isinstance(items, list) else []
    found = {one.get("path"): str(one.get("hash") or "") for one in plain}
    return {name: found.get(resource(name)["path"], "") for name in TABLES}


def _complete(name: str, row: Row) -> Row:
    """The row; a column too many or too few is a mistake of this package."""
    if row.keys() != (wanted := _types(name).keys()):
        raise LonglookError(f"table {name}: a row's columns differ from its schema: {sorted(row.keys() ^ wanted)}")
    return row


def _checked(name: str, row: Row) -> dict[str, Any]:
    """The row in column order, NaN as None."""
    row = _complete(name, row)
    return {key: None if _is_missing(row[key]) else row[key] for key in _types(name)}


def check_rows(name: str, rows: Sequence[Row]) -> None:
    """Raise `LonglookError` unless each value of these rows is of the type that the schema of their table states, and
    finite."""
    for column, kind in _types(name).items():
        values = [value for row in rows if not _is_missing(value := row[column])]
        plain = {type(value) for value in values} <= _PLAIN[kind]
        if plain and kind in ("integer", "number"):
            plain = all(abs(value) <= _MOST[kind] for value in values)
        if not plain:
            raise LonglookError(f"table {name}: {column} is not always a finite {kind}")


def _is_missing(value: Any) -> bool:
    return value is None or value is pandas.NA or (isinstance(value, float) and math.isnan(value))


def _whole(name: str, rows: Iterable[Row] | pyarrow.Table) -> list[dict[str, Any]] | pyarrow.Table:
    if isinstance(rows, pyarrow.Table):
        return rows
    return to_arrow(name, rows) if is_parquet(name) else [_checked(name, row) for row in rows]


def _parquet(table: pyarrow.Table) -> bytes:
    """The same bytes of however many parts the table was put together."""
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table.combine_chunks(), buffer, compression="zstd", compression_level=9)
    return buffer.getvalue()


def _csv(name: str, rows: list[dict[str, Any]]) -> bytes:
    """Numbers in their shortest exact form, so nothing is lost and nothing depends on the machine."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns(name), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def rows_by_campaign(folder: Path, name: str) -> dict[str, list[Row] | pyarrow.Table]:
    """What one processed table has of each campaign, as it is written again: texts of a CSV file, and of a Parquet one
    its rows, which stand together."""
    path = folder / resource(name)["path"]
    if is_parquet(name):
        whole = pyarrow.parquet.read_table(path)
        runs = pyarrow.compute.run_end_encode(whole["campaign"].combine_chunks())
        ends = [0, *runs.run_ends.to_pylist()]
        names = runs.values.to_pylist()
        return {one: whole.slice(ends[at], ends[at + 1] - ends[at]) for at, one in enumerate(names)}
    found: dict[str, list[Row]] = {}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            found.setdefault(row["campaign"], []).append(row)
    return dict(found)


def read_table(folder: Path, name: str, study: str | None = None, series: Sequence[str] = ()) -> pandas.DataFrame:
    """One processed table, every column of its schema's type; empty with the right columns where there is no file. With
    a `study` only the rows of these series of it, of a Parquet table; of no series none, and nothing is read.

    Only an empty field is missing (the verdict `none` is a word). Texts that are missing are None, numbers NaN.
    """
    path = folder / resource(name)["path"]
    if not path.exists() or (study is not None and not series):
        return pandas.DataFrame({one: pandas.Series(dtype=_EMPTY[kind]) for one, kind in _types(name).items()})
    again = "make it again with: longlook process"
    try:
        if is_parquet(name):
            frame = pandas.read_parquet(path) if study is None else _of_series(path, study, series)
        else:
            frame = pandas.read_csv(path, dtype=object, keep_default_na=False, encoding="utf-8")  # texts
    except (OSError, ValueError) as error:
        raise LonglookError(f"{path} cannot be read: {error}; {again}") from None
    missing = [column for column in columns(name) if column not in frame]
    if missing:
        raise LonglookError(f"{path} lacks the columns {', '.join(missing)}; {again}")
    try:
        return pandas.DataFrame({one: _typed(frame[one], kind) for one, kind in _types(name).items()})
    except (ValueError, KeyError) as error:
        raise LonglookError(f"{path} holds what its schema does not allow: {error}; {again}") from None


def _of_series(path: Path, study: str, series: Sequence[str]) -> pandas.DataFrame:
    """Read piece by piece: what pyarrow's own filters read and keep takes more memory than the whole table."""
    file = pyarrow.parquet.ParquetFile(path)
    wanted, found = pyarrow.array(series), [file.schema_arrow.empty_table()]
    for batch in file.iter_batches(1 << 14, use_threads=False):
        right = pyarrow.compute.and_(
            pyarrow.compute.equal(batch["study"], study), pyarrow.compute.is_in(batch["series"], wanted)
        )
        found.append(pyarrow.Table.from_batches([batch.filter(right)]))
    return pyarrow.concat_tables(found).to_pandas()


def typed_frame(name: str, rows: Iterable[Row] | pyarrow.Table) -> pandas.DataFrame:
    """Rows of a table as `read_table` would read them back."""
    if isinstance(rows, pyarrow.Table):
        plain = rows.to_pandas()
    else:
        plain = pandas.DataFrame([_checked(name, row) for row in rows], columns=columns(name))
    if plain.empty:
        return pandas.DataFrame({one: pandas.Series(dtype=_EMPTY[kind]) for one, kind in _types(name).items()})
    return pandas.DataFrame({one: _typed(plain[one], kind) for one, kind in _types(name).items()})


_EMPTY = {"string": object, "integer": "int64", "number": "float64", "boolean": bool}
_PLAIN: dict[str, set[type]] = {
    "string": {str},
    "integer": {int},
    "number": {int, float},
    "boolean": {bool},
}
_MOST = {"integer": 2.0**63 - 1024, "number": 1e300}
_BOOLEANS = {"True": True, "False": False, True: True, False: False}
_MAKE: Mapping[str, Callable[[Any], Any]] = {
    "string": lambda one: one,
    "integer": int,
    "number": float,
    "boolean": _BOOLEANS.__getitem__,
}


@cache
def _types(name: str) -> dict[str, str]:
    return {field["name"]: field["type"] for field in resource(name)["schema"]["fields"]}


def _typed(column: pandas.Series, kind: str) -> pandas.Series:
    """A column as its schema says, from the texts of a CSV file or the values of a Parquet one.

    Each value that occurs is made once, however many rows have it: a text of every row's own would take ten times the
    memory. By numpy: pandas takes a millisecond for what there are hundreds of columns of.
    """
    if kind in ("integer", "number") and pandas.api.types.is_numeric_dtype(column):
        return column.astype("float64") if kind == "number" else column
    codes, found = pandas.factorize(column, use_na_sentinel=True)
    values = _typed_values([*found, None], kind)
    some = values[codes]  # of what is missing the code is -1, the last one
    if kind != "string" and not (absent := pandas.isna(some)).any():
        some = some.astype("int64" if kind == "integer" else "float64" if kind == "number" else bool)
    elif kind in ("integer", "number"):
        some = numpy.where(absent, math.nan, some).astype("float64")
    return pandas.Series(some, column.index, dtype=object if some.dtype == object else None)


def _typed_values(values: Sequence[Any], kind: str) -> numpy.ndarray:
    """Values of a kind, None where one is missing. Numbers are read by Python: nothing is rounded."""
    typed = numpy.empty(len(values), dtype=object)
    typed[:] = [None if pandas.isna(one) or one == "" else _MAKE[kind](one) for one in values]
    return typed
