"""The floor of each square: the least PLT that physics and the protocol allow (see `longlook.analysis.floor`)."""

from __future__ import annotations

import pandas as pd

from longlook.analysis.floor import floor
from longlook.scenario import Cell, Link, Workload


def floors_of(squares: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Floor of the analysed (0-RTT) loads in ms, by square and protocol."""
    return {
        row.square: {protocol: round(floor(_cell(row), protocol).total_ms, 1) for protocol in ("quic", "tcp")}
        for row in squares.drop_duplicates("square").itertuples()
    }


def _cell(row) -> Cell:
    """The cell of a square, as far as the floor depends on it."""
    return Cell(
        figure=row.figure if isinstance(row.figure, str) else "any",
        stack="any",
        workload=Workload(size_kb=int(row.workload_size_kb), count=int(row.workload_count)),
        link=Link(
            bandwidth_mbps=float(row.bandwidth_mbps),
            rtt_ms=float(row.rtt_ms),
            loss_pct=float(row.loss_pct),
            jitter_ms=float(row.jitter_ms),
        ),
    )
