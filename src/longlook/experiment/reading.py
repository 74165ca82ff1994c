"""Samples and timelines from the folder of a finished cell, whichever version wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longlook.errors import LonglookError
from longlook.plan.cell import Cell
from longlook.record import upgrade
from longlook.record.campaign import CELL_NAME
from longlook.record.columns import BYTES, SECONDS, TEXT, RecordColumn
from longlook.record.durable import read_bytes, read_json
from longlook.record.samples import Sample, check_record, read_records, sample_of

if TYPE_CHECKING:
    import pandas as pd

TIMELINE, THROUGHPUT = "timeline.parquet", "throughput.parquet"
TRACES = "traces.qlog.zst"
"""Whole traces, of experiments that keep them: a qlog with a trace of each flow."""
MOST_TRACED_BYTES = 10**9
"""Of a cell's traces, unpacked."""
MAY_LACK = ("down_ms", "hold_ms", "up_ms", "told_ms", "acked_bytes", "allowed_bytes")
"""Columns that the first timelines do not have."""
MOST = {"bytes": 1e12, "flight": 1e12, "ms": 1e7, "lost": 1e9, "spurious": 1e9}
"""By what the name of a column ends in."""
SEEN = ("cwnd_bytes", "ssthresh_bytes", "bytes_in_flight", "rtt_ms", "lost", "spurious", *MAY_LACK)
COLUMNS = {
    TIMELINE: {"flow": TEXT, "source": TEXT, "time_s": SECONDS, "phase": RecordColumn("text", gaps=True)}
    | {
        name: RecordColumn("number", MOST[name.rpartition("_")[2]], gaps=True, files=name not in MAY_LACK)
        for name in SEEN
    },
    THROUGHPUT: {"flow": TEXT, "time_s": SECONDS, "bytes": BYTES},
}


def read_together(_: Cell, folder: Path) -> Sequence[Sample]:
    """Samples of arms that ran together; those of the last attempt with what its timeline tells of their extremes."""
    return with_extremes([sample_of(one) for one in records_together(folder)], table(folder / TIMELINE))


def with_extremes(samples: Sequence[Sample], lines: pd.DataFrame) -> list[Sample]:
    """Samples of arms that ran together; those of the last attempt with what its timeline tells of their extremes."""
    last = max((one.attempt for one in samples), default=0)
    return [
        replace(one, metrics=dict(one.metrics) | extremes(lines[lines["flow"] == one.arm]))
        if one.attempt == last
        else one
        for one in samples
    ]


def records_together(folder: Path) -> list[dict[str, Any]]:
    """Records of arms that ran together, one per flow and attempt."""
    record = read_json(folder / CELL_NAME)
    if not upgrade.is_old(record):
        return list(read_records(folder))
    records = upgrade.flow_records(record)
    for one in records:
        check_record(one, str(folder / CELL_NAME))
    return records


def extremes(lines: pd.DataFrame) -> dict[str, float]:
    """Largest window (bytes), queue on the way down and wait of the client (ms) of one flow, where its probes tell."""
    windows, downs, holds = (lines[name].dropna() for name in ("cwnd_bytes", "down_ms", "hold_ms"))
    found = {}
    if len(windows):
        found["cwnd_max_bytes"] = float(windows.max())
    if len(downs):
        found["queue_max_ms"] = float(downs.max() - downs.min())
    if len(holds):
        found["hold_max_ms"] = float(holds.max())
    return found


def timelines(folder: Path) -> dict[str, pd.DataFrame]:
    """What was watched over the time of a transfer."""
    return {"timelines": table(folder / TIMELINE), "throughput": table(folder / THROUGHPUT)}


def traces(folder: Path) -> str:
    """The qlog of a cell that keeps whole traces, as a text; `LonglookError` where it is damaged or there is none."""
    import zstandard

    path = folder / TRACES
    try:
        packed = read_bytes(path)
        if not 0 < zstandard.frame_content_size(packed) <= MOST_TRACED_BYTES:
            raise LonglookError(f"{path} does not say how large it is, or is larger than any trace")
        return zstandard.ZstdDecompressor().decompress(packed).decode()
    except (OSError, zstandard.ZstdError, UnicodeDecodeError) as error:
        raise LonglookError(f"{path} cannot be read: {error}") from None


def table(path: Path) -> pd.DataFrame:
    """A Parquet file of a record; a damaged one is a `LonglookError` that names it."""
    # pandas and pyarrow take a second, and most cells have no such file
    from longlook.record.parquet import read_columns

    found = read_columns(path, COLUMNS[path.name])
    if path.name == TIMELINE:
        found = found.assign(**{name: float("nan") for name in MAY_LACK if name not in found})
    return found
