"""The floor of each square: the least PLT that physics and the protocol allow (see `longlook.analysis.floor`)."""

from __future__ import annotations

import pandas as pd

from longlook.analysis.cells import cell_of
from longlook.analysis.floor import floor


def floors_of(squares: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Floor of the analysed (0-RTT) loads in ms, by square and protocol."""
    known = squares[squares["figure"].notna()].drop_duplicates("square")
    return {
        row["square"]: {protocol: round(floor(cell_of(row), protocol).total_ms, 1) for protocol in ("quic", "tcp")}
        for row in known.to_dict("records")
    }
