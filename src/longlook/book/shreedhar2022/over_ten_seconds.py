"""How the shares of flows that begin together change over their ten seconds."""

from __future__ import annotations

from longlook.book.data import BookData
from longlook.book.shreedhar2022.names import FLOWS
from longlook.published.shreedhar2022 import STUDY

PAIR = "1 QUIC + 1 TCP"
QUIC = "quic1"
SPAN_S = 2.0
LAST_S = 10.0


def parts(data: BookData, key: str) -> tuple[float, float] | None:
    """QUIC's part of all that arrived in the first and in the last `SPAN_S` of the pair, 0 to 1, over all its runs.

    None where they are not measured.
    """
    rows = data.rows("throughput", STUDY, FLOWS, key)
    rows = rows[rows["label"] == PAIR]
    if rows.empty:
        return None
    spans = (rows["time_s"] < SPAN_S, (rows["time_s"] >= LAST_S - SPAN_S) & (rows["time_s"] < LAST_S))
    first, last = (
        float(own.loc[own["arm"] == QUIC, "bytes"].sum() / own["bytes"].sum()) for own in (rows[span] for span in spans)
    )
    return first, last
