"""What the campaigns of a film that is played found, by loss and arm, and one session of each arm over its time."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd

from longlook import paths
from longlook.book.evidence import StudyColumn
from longlook.book.loads import LOAD
from longlook.errors import LonglookError
from longlook.experiment.metrics import STALLED, STALLS
from longlook.experiment.sessions import WHICH, sessions
from longlook.published.shreedhar2022 import STUDY
from longlook.record.parquet import records
from longlook.record.samples import read_records

SHORT, LONG = "shreedhar-video-short", "shreedhar-video"
"""Series, each of a sweep of its name."""
LOSSES = (0.0, 1.0, 5.0, 10.0)
"""Each way, %."""
QUIC, TCP = "quic", "tcp"
NAMES = {TCP: "HTTP/2", QUIC: "HTTP/3"}
"""Arms, from above."""


def at(series: str, loss_pct: float) -> dict[str, Any]:
    """A cell, by its loss each way, as criteria say it."""
    return {"series": series, "where": {"loss_pct": 2 * loss_pct}}


def stall_ms(own: StudyColumn, series: str, loss_pct: float, arm: str) -> list[float]:
    """How long one of its stalls took on the mean, of every session that counts and stood still."""
    stalls, stood = (
        own.column.by_number(series, arm, one, loss_pct=2 * loss_pct) for one in (STALLS.name, STALLED.name)
    )
    return [stood[index] / count for index, count in stalls.items() if count and index in stood]


def rejections(own: StudyColumn, series: str, loss_pct: float, arm: str) -> Counter[str]:
    """Sessions that were played and do not count, by their reasons; first ones, set aside, are none of them."""
    row = own.column.row(series, arm, STALLS.name, loss_pct=2 * loss_pct) or {}
    rows = own.data.rows("samples", STUDY, series, own.key)
    rows = rows[(rows["cell_id"] == row.get("cell_id")) & (rows["arm"] == arm)]
    rows = rows[~rows["accepted"].astype(bool) & ~rows["set_aside"].astype(bool)]
    return Counter(rows.drop_duplicates(LOAD)["reject_reason"])


def over_time(own: StudyColumn, series: str, loss_pct: float) -> pd.DataFrame:
    """The first session of each arm that counts, as of experiment.sessions.COLUMNS, from the campaign's records;
    without a row where those are not here."""
    rows = own.data.rows("cells", STUDY, series, own.key)
    for row in records(rows[rows["loss_pct"] == 2 * loss_pct]):
        folder = paths.RAW / row["campaign"] / row["cell_id"]
        try:
            if folder.is_dir():
                first: dict[str, tuple] = {}
                for one in read_records(folder):
                    if one["accepted"] and not one["set_aside"]:
                        first.setdefault(one["arm"], tuple(one[name] for name in WHICH))
                table = sessions(folder)
                loads = pd.MultiIndex.from_frame(table[list(WHICH)])
                return table[loads.isin(list(first.values()))]
        except LonglookError:
            break
    return pd.DataFrame(columns=["arm"])
