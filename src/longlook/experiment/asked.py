"""Tables of what browsers and servers were asked, that are kept beside the book."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def write_rows(path: Path, kind: type[DataclassInstance], rows: Iterable[DataclassInstance]) -> None:
    """A line per row, under the names of the fields of `kind`."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [field.name for field in fields(kind)], lineterminator="\n")
        table.writeheader()
        table.writerows(asdict(one) for one in rows)
