"""Tables of what browsers and servers were asked, that are kept beside the book."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from longlook.errors import LonglookError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Row = TypeVar("Row")


def write_rows(path: Path, kind: type[DataclassInstance], rows: Iterable[DataclassInstance]) -> None:
    """A line per row, under the names of the fields of `kind`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [field.name for field in fields(kind)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(one) for one in rows)


def read_rows(path: Path, row_of: Callable[[dict[str, str]], Row], command: str) -> list[Row]:
    """What `write_rows` wrote; none before that. A table that is no such is a `LonglookError` that names the command
    which writes it."""
    if not path.is_file():
        return []
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return [row_of(row) for row in csv.DictReader(file)]
    except (OSError, KeyError, ValueError) as error:
        raise LonglookError(f"{path}: cannot be read ({error}): `longlook {command}` writes it anew") from None
