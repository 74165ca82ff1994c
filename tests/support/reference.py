"""The data that tests read: the repository's reference campaigns, whatever its reader has measured beside them.

Where `data/` holds other campaigns, `longlook.paths` names a copy without them for as long as the tests run.
"""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow.compute as pc
import pyarrow.parquet as pq

from longlook import paths

PREFIX = "reference-"
GIVEN = "LONGLOOK_TESTED_DATA"
"""The copy that the first process made, for pytest's workers."""


@contextlib.contextmanager
def only(raw: Path, processed: Path):
    """Folder with `raw` and `processed` without a reader's own campaigns; None where there are none."""
    if os.environ.get(GIVEN):
        yield Path(os.environ[GIVEN])
    elif not has_others(raw, processed):
        yield None
    else:
        with tempfile.TemporaryDirectory(prefix="longlook-tests-") as made:
            folder = Path(made)
            for found in (raw, processed):
                shutil.copytree(found, folder / found.name, ignore=_others, copy_function=_linked)
            for table in (folder / processed.name).iterdir():
                _filter(table)
            os.environ[GIVEN] = made
            try:
                yield folder
            finally:
                del os.environ[GIVEN]


@contextlib.contextmanager
def read():
    """`longlook.paths` names only reference data meanwhile."""
    with only(paths.RAW, paths.PROCESSED) as folder:
        before = paths.RAW, paths.PROCESSED
        if folder is not None:
            paths.RAW, paths.PROCESSED = folder / "raw", folder / "processed"
        try:
            yield
        finally:
            paths.RAW, paths.PROCESSED = before


def has_others(raw: Path, processed: Path) -> bool:
    """Whether there is a campaign that is not the repository's."""
    folders = [path.name for path in raw.iterdir() if path.is_dir()] if raw.is_dir() else []
    listed = processed / "campaigns.csv"
    rows = pd.read_csv(listed, dtype=str)["campaign"] if listed.exists() else []
    return not all(name.startswith(PREFIX) for name in (*folders, *rows))


def _others(folder, names):
    """Campaigns, and what is beside them for a moment only."""
    return [name for name in names if Path(folder).name == "raw" and not _is_kept(Path(folder, name))]


def _is_kept(path: Path) -> bool:
    return path.is_file() or path.name.startswith(PREFIX)


def _linked(source, made):
    """Records are never written again, so that a second name is as good as a copy."""
    if Path(source).suffix in (".csv", ".parquet"):
        return shutil.copy2(source, made)
    try:
        os.link(source, made)
    except OSError:
        shutil.copy2(source, made)
    return made


def _filter(table: Path) -> None:
    if table.suffix == ".csv":
        rows = pd.read_csv(table, dtype=str, keep_default_na=False, encoding="utf-8")
        rows[rows["campaign"].str.startswith(PREFIX)].to_csv(table, index=False, lineterminator="\n")
    elif table.suffix == ".parquet":
        rows = pq.read_table(table)
        pq.write_table(rows.filter(pc.starts_with(rows["campaign"].cast("string"), PREFIX)), table)
