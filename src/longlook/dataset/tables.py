"""The processed tables: their schemas (Frictionless, `schemas/*.json`) and how they are written.

The schema files are the one list of columns: rows are checked against them, Parquet types come from them,
and `datapackage.json` is made of them with the hash of each table. Same rows, same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet

from longlook.errors import LonglookError
from longlook.record.durable import json_bytes, read_json, sha256_file, write_bytes

SCHEMAS = Path(__file__).with_name("schemas")
TABLES = (
    "plt_runs", "plt_cells", "aa_runs", "aa_cells", "handshake_cells", "transfer_flows", "transfer_timelines", "transfer_throughput", "campaigns",
)  # fmt: skip
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
    return [field["name"] for field in resource(name)["schema"]["fields"]]


def write_tables(folder: Path, tables: Mapping[str, Iterable[Row]]) -> dict[str, int]:
    """Write every table (empty where `tables` has none) and then the data package that lists their hashes; returns the rows of each."""
    folder.mkdir(parents=True, exist_ok=True)
    counts, resources = {}, []
    for name in TABLES:
        rows = [_checked(name, row) for row in tables.get(name, ())]
        path = folder / resource(name)["path"]
        data = _parquet(name, rows) if path.suffix == ".parquet" else _csv(name, rows)
        write_bytes(path, data)
        counts[name] = len(rows)
        resources.append(_described(name, data))
    package = {
        "name": "longlook-processed",
        "title": "Page load times of QUIC and TCP, made from the raw records of every campaign",
        "resources": resources,
    }
    write_bytes(folder / PACKAGE_NAME, json_bytes(package))
    return counts


def _described(name: str, data: bytes) -> dict[str, Any]:
    """The resource with the hash of its bytes.

    Frictionless can check `hash` for text tables only, so the hash of a Parquet table has a name of its own.
    """
    item = dict(resource(name))
    schema, suffix = item.pop("schema"), item["path"].rpartition(".")[2]
    digest = hashlib.sha256(data).hexdigest()
    item |= {"format": suffix} | (
        {"hash": f"sha256:{digest}", "bytes": len(data)} if suffix == "csv" else {"sha256": digest}
    )
    return item | {"schema": schema}


def check_tables(folder: Path) -> list[str]:
    """One line per processed table that is missing or is not what its data package says; [] where all is well."""
    if not (folder / PACKAGE_NAME).is_file():
        return [f"{folder}: {PACKAGE_NAME} is missing; make it with: longlook process"]
    problems = []
    for item in read_json(folder / PACKAGE_NAME).get("resources", []):
        path = folder / item["path"]
        sealed = (item.get("hash") or item.get("sha256") or "").removeprefix("sha256:")
        if not path.is_file():
            problems.append(f"{path} is missing; make it with: longlook process")
        elif sha256_file(path) != sealed:
            problems.append(f"{path} is not what longlook process wrote; make it again")
    return problems


def _checked(name: str, row: Row) -> dict[str, Any]:
    """The row in column order, NaN as None; a key too many or too few is a mistake of this package."""
    wanted = columns(name)
    if set(row) != set(wanted):
        raise LonglookError(f"table {name}: a row's columns differ from its schema: {sorted(set(row) ^ set(wanted))}")
    return {key: None if isinstance(row[key], float) and math.isnan(row[key]) else row[key] for key in wanted}


def _parquet(name: str, rows: list[dict[str, Any]]) -> bytes:
    fields = [pyarrow.field(field["name"], _ARROW[field["type"]]) for field in resource(name)["schema"]["fields"]]
    table = pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(fields))
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, compression="zstd", compression_level=9)
    return buffer.getvalue()


def _csv(name: str, rows: list[dict[str, Any]]) -> bytes:
    """Numbers in their shortest exact form, so nothing is lost and nothing depends on the machine."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns(name), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()
