"""CSV files of data/published/<study>/, row by row; a mistake in one is an error that names the file and the line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from longlook import paths
from longlook.errors import LonglookError
from longlook.host.files import open_own


def rows(study: str, name: str, folder: Path | None = None) -> Iterator[tuple[str, dict[str, str]]]:
    """(where, row) for each line of a study's file; a row has every column of the head, as text."""
    path = (folder or paths.PUBLISHED) / study / name
    try:
        with open_own(path) as stream, io.TextIOWrapper(stream, encoding="utf-8", newline="") as lines:
            for number, row in enumerate(csv.DictReader(lines), start=2):
                where = f"{path}, line {number}"
                if None in row or None in row.values():
                    raise LonglookError(f"{where}: more or fewer fields than the head has")
                yield where, row
    except FileNotFoundError:
        raise LonglookError(f"{path} is missing: it comes with the repository") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise LonglookError(f"{path} cannot be read: {error}") from None


def studies(folder: Path | None = None) -> list[str]:
    """Names of the studies that have published numbers here."""
    return sorted(path.name for path in (folder or paths.PUBLISHED).glob("*") if path.is_dir())
