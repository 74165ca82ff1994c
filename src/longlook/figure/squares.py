"""From tables of cells to the squares of one figure: published, reference and yours, on one grid.

Pure functions over data frames. A `square` is one condition (workload and link); each source that knows
it contributes one row, and a source that does not has a row marked as not measured, so that columns line up.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from longlook.analysis.cells import CONDITION
from longlook.analysis.welch import ALPHA
from longlook.figure import style

STATISTICS = ["quic_mean_ms", "quic_std_ms", "quic_n", "tcp_mean_ms", "tcp_std_ms", "tcp_n", "pct_diff", "p_value"]
CELL_COLUMNS = [
    "campaign", "stack", "figure", *CONDITION, "cca", "emulated_connections", *STATISTICS, "verdict", "cell_id",
]  # fmt: skip


@dataclass(frozen=True)
class Source:
    """Where one column of a figure comes from: its key, its heading and its campaign (None if published)."""

    key: str
    title: str
    campaign: str | None = None


PUBLISHED = Source("published", "Published (Emulab)")


def square_key(row: pd.Series) -> str:
    """A short text that names one condition: size x count, bandwidth, RTT, loss, jitter."""
    return "{:g}kb-x{:g}_{:g}mbps_{:g}ms_{:g}pct_{:g}msjitter".format(*(row[name] for name in CONDITION))


def figure_squares(cells_of: dict[Source, pd.DataFrame]) -> pd.DataFrame:
    """All squares of one figure, one row per source and condition.

    `cells_of` maps each source to its rows of the cell table (columns `CELL_COLUMNS`, times in ms,
    differences in %). Added columns: source, source_title, square, workload, workload_order, bandwidth,
    block, measured, significant, label, label_colour, raw (path of the raw record, or empty).
    """
    known = [frame for frame in cells_of.values() if len(frame)]
    if not known:
        return pd.DataFrame(columns=["source", "square", *CELL_COLUMNS])
    grid = pd.concat([frame[CONDITION] for frame in known]).drop_duplicates()
    rows = [_one_source(source, frame, grid) for source, frame in cells_of.items()]
    return _with_labels(pd.concat(rows, ignore_index=True))


def _one_source(source: Source, frame: pd.DataFrame, grid: pd.DataFrame) -> pd.DataFrame:
    """The grid with this source's statistics where it has them."""
    found = grid.merge(frame.drop_duplicates(CONDITION), on=CONDITION, how="left")
    found["source"], found["source_title"] = source.key, source.title
    # A cell with too few accepted loads for a test is shown as not measured; its loads can still be looked at.
    found["measured"] = found["p_value"].notna()
    found["raw"] = [
        f"data/raw/{campaign}/{cell}" if source.campaign and pd.notna(cell) else ""
        for campaign, cell in zip(found["campaign"], found["cell_id"], strict=True)
    ]
    return found


def _with_labels(squares: pd.DataFrame) -> pd.DataFrame:
    """Adds what is printed and drawn: labels, block titles, order, significance."""
    with_count = bool((squares["workload_count"] > 1).any())
    squares["square"] = squares.apply(square_key, axis=1)
    squares["workload"] = [
        style.workload_label(size, int(count), with_count)
        for size, count in zip(squares["workload_size_kb"], squares["workload_count"], strict=True)
    ]
    # Size figures grow to the right; count figures go from one large object to many small ones (thesis 4.6).
    squares["workload_order"] = squares["workload_count"] if with_count else squares["workload_size_kb"]
    squares["bandwidth"] = squares["bandwidth_mbps"].map(lambda value: f"{value:g}")
    squares["block"] = [
        style.link_label(*link) for link in squares[["rtt_ms", "loss_pct", "jitter_ms"]].itertuples(index=False)
    ]
    squares["significant"] = squares["measured"] & (squares["p_value"] < ALPHA)
    squares["label"] = squares["pct_diff"].map(style.signed_pct).where(squares["measured"], "\N{EN DASH}")
    squares["label_colour"] = [
        style.text_on(pct, significant) if measured else style.GREY
        for pct, significant, measured in zip(
            squares["pct_diff"], squares["significant"], squares["measured"], strict=True
        )
    ]
    return squares.sort_values(["rtt_ms", "loss_pct", "jitter_ms", "bandwidth_mbps", "workload_order"]).reset_index(
        drop=True
    )
