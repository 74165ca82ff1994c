"""Sessions: interleaved arms that play a film, and what each was like over its time, as a table beside its record."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.client import played
from longlook.experiment.context import Context
from longlook.experiment.interleaved import CellSummary, Progress, run_interleaved
from longlook.experiment.recheck import Recheck, recheck_interleaved
from longlook.plan.cell import Cell
from longlook.record.columns import NUMBER_OF, SECONDS, TEXT, RecordColumn
from longlook.record.samples import read_records

if TYPE_CHECKING:
    import pandas as pd

SESSIONS = "sessions.parquet"
WHICH = ("arm", "index", "attempt")
COLUMNS = {
    "arm": TEXT,
    "index": NUMBER_OF,
    "attempt": NUMBER_OF,
    "time_s": SECONDS,
    "position_s": SECONDS,
    "buffer_s": SECONDS,
    "kbps": RecordColumn("number", 1e7),
    "stalled": RecordColumn("number", 1.0),
}


def run_sessions(
    cell: Cell,
    folder: Path,
    campaign: str,
    testbed: str | dict = "default",
    link: str | None = None,
    progress: Progress | None = None,
) -> CellSummary:
    """Measure one cell of sessions and write its record into `folder`: as interleaved.run_interleaved, and
    `sessions.parquet`."""
    return run_interleaved(cell, folder, campaign, testbed, link, progress, beside=_written)


@contextlib.contextmanager
def _written(context: Context) -> Iterator[None]:
    yield
    over_time(context.folder).to_parquet(context.folder / SESSIONS, compression="zstd", index=False)


def over_time(folder: Path) -> pd.DataFrame:
    """Columns `COLUMNS` of every session of a cell whose client told of it, rejected ones too, from its records."""
    import pandas as pd

    rows = [
        {name: record[name] for name in WHICH} | row
        for record in read_records(folder)
        if record.get("artefact")
        for row in played.timeline(record["artefact"])
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def sessions(folder: Path) -> pd.DataFrame:
    """The table of a finished cell; a damaged one is a `LonglookError`."""
    from longlook.record.parquet import read_columns  # with pandas

    return read_columns(folder / SESSIONS, COLUMNS)


def recheck_sessions(cell: Cell, folder: Path) -> Recheck:
    """As recheck_interleaved; and the table over time is what the records say."""
    found = recheck_interleaved(cell, folder)
    if not found.problems and not sessions(folder).equals(over_time(folder)):
        found.problems.append(f"{SESSIONS} is not what the records of its sessions say")
    return found
