"""The loads that count, as the tables have them, by where they were measured. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from longlook.analysis.course import Course
from longlook.analysis.paired import Place
from longlook.book.data import BookData
from longlook.experiment.schedule import seed_of
from longlook.link.drawn import lost_packets
from longlook.plan.link import Link
from longlook.record.parquet import records

LOAD = ["campaign", "cell_id", "arm", "index", "attempt"]
"""Columns that name one."""
MEASURED = ["campaign", "cell_id", "arm", "metric", "index", "draw", "value"]
DOWN = "server_to_client"
Row = Mapping[Any, Any]


def counting(data: BookData, study: str, series: str, key: str) -> list[dict[Any, Any]]:
    """Rows of `samples` of the loads that count, with a value: which load, and what was measured."""
    return records(that_count(data.rows("samples", study, series, key))[MEASURED])


def that_count(rows: pd.DataFrame) -> pd.DataFrame:
    """Of rows of `samples`."""
    rows = rows[rows["accepted"].astype(bool) & ~rows["set_aside"].astype(bool)]
    return rows.dropna(subset=["value"])


def load_number(row: Row) -> Place:
    """A load's number in its arm, and its draw: from both follow the losses, and the part of a trace, that it meets.
    Loads of two arms are a pair where both are equal."""
    return int(row["index"]), int(row["draw"])


@lru_cache(maxsize=8)
def first_lost(
    data: BookData, study: str, series: str, key: str
) -> Mapping[tuple[str, str, str], Mapping[Place, float]]:
    """Campaign, cell and arm -> number of each load that counts -> number of the first packet from the server that the
    link lost.

    Which packets the link loses follows from each load's seed (`link/drawn.py`), so that records without a packet
    tell it. A packet or two of the connection before may be counted with them.
    """
    cells = {(row["campaign"], row["cell_id"]): row for row in records(data.rows("cells", study, series, key))}
    found: dict[tuple[str, str, str], dict[Place, float]] = {}
    for row in counting(data, study, series, key):
        own = found.setdefault((row["campaign"], row["cell_id"], row["arm"]), {})
        if (number := load_number(row)) not in own:
            own[number] = _first_lost(cells[row["campaign"], row["cell_id"]], *number)
    return found


@lru_cache(maxsize=8)
def courses(data: BookData, study: str, series: str, key: str) -> Mapping[tuple[str, str, str], Sequence[Course]]:
    """Campaign, key of its conditions and arm -> its transfers that count, of which a timeline is kept."""
    metrics: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in counting(data, study, series, key):
        own = metrics.setdefault((row["campaign"], row["cell_id"], row["arm"]), {})
        own[row["metric"]] = float(row["value"])
    lines = dict(tuple(data.rows("timelines", study, series, key).groupby(["campaign", "cell_id", "arm"])))
    found: dict[tuple[str, str, str], list[Course]] = {}
    for cell in records(data.rows("cells", study, series, key)):
        for arm in cell["arms"].split():
            place = cell["campaign"], cell["cell_id"], arm
            if place in metrics and place in lines:
                ordered = lines[place].sort_values("time_s", kind="stable")
                course = Course(*place[:2], cell["bandwidth_mbps"], cell["rtt_ms"], metrics[place], ordered)
                found.setdefault((cell["campaign"], cell["key"], arm), []).append(course)
    return found


def _first_lost(cell: Row, index: int, draw: int) -> float:
    """In a load of a row of `cells`."""
    link = {name: cell[name] for name in ("bandwidth_mbps", "rtt_ms", "loss_pct")}
    if "loss_direction=down" in str(cell["netem"]):
        link |= {"loss_direction": "down"}
    seed = seed_of(int(cell["seed"]), index, draw)
    return float(next(lost_packets(Link.parse(link), DOWN, seed)))
