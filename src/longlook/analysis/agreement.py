"""Do two tables of cells agree, the re-measured with the published one? Pure. (`pairing` is for two campaigns.)

Two cells agree where their verdicts are equal: the same arm significantly faster (p < 0.01), or neither. A
cell with too few loads for the test in either table neither agrees nor disagrees.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from longlook.analysis.cells import CELL_KEY, label_of
from longlook.analysis.difference import difference
from longlook.analysis.pairing import CellPair
from longlook.analysis.welch import Summary

STATISTICS = ["quic_mean_ms", "quic_std_ms", "quic_n", "tcp_mean_ms", "tcp_std_ms", "tcp_n"]


@dataclass(frozen=True)
class Side:
    """What one table says about a cell: means (ms), loads, percentage difference, p and verdict."""

    quic_mean_ms: float
    quic_n: int
    tcp_mean_ms: float
    tcp_n: int
    pct_diff: float
    p_value: float
    verdict: str


@dataclass(frozen=True)
class CellAgreement:
    """One cell in two tables; `a` is the earlier or published one, `b` the one held against it."""

    figure: str
    label: str
    campaign: str
    cell_id: str
    a: Side
    b: Side

    @property
    def quic_ratio(self) -> float:
        """Mean QUIC PLT of `b` over that of `a`."""
        return self.b.quic_mean_ms / self.a.quic_mean_ms

    @property
    def tcp_ratio(self) -> float:
        """Mean TCP PLT of `b` over that of `a`."""
        return self.b.tcp_mean_ms / self.a.tcp_mean_ms

    @property
    def tested(self) -> bool:
        """True where both verdicts rest on a test (a cell is white, too, for want of loads)."""
        return not (math.isnan(self.a.p_value) or math.isnan(self.b.p_value))

    @property
    def agrees(self) -> bool:
        """True where both verdicts rest on a test and are equal."""
        return self.tested and self.a.verdict == self.b.verdict


@dataclass(frozen=True)
class Disagreement:
    """One mean that differs, by how much: `ratio` of `b` over `a`."""

    cell: CellAgreement
    protocol: str
    ratio: float


def published_as_cells(published: pd.DataFrame) -> pd.DataFrame:
    """`muthuraj2024_appendix_b.csv` with the column names of the cell table (and `table`, `printed_pct_diff`)."""
    frame = published.rename(columns={"object_size_kb": "workload_size_kb", "object_count": "workload_count"})
    frame = frame.assign(quic_n=frame["runs"], tcp_n=frame["runs"], campaign="published", cell_id="")
    numbers = ("bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms")  # whole ones are read as integers
    frame = frame.astype(dict.fromkeys(numbers, float))
    return frame[["table", "campaign", *CELL_KEY, *STATISTICS, "cell_id", "printed_pct_diff"]]


def compare(cells_a: pd.DataFrame, cells_b: pd.DataFrame) -> tuple[CellAgreement, ...]:
    """Every cell that both tables have, in the order of `cells_a`.

    Either may be `published_as_cells`, or the rows of one campaign of `plt_cells.csv`. Verdicts are computed from
    mean, sd and n.
    """
    for name, frame in (("first", cells_a), ("second", cells_b)):
        twice = frame[frame.duplicated(CELL_KEY)]
        if len(twice):
            raise ValueError(
                f"the {name} table has {label_of(twice.iloc[0])} of figure {twice.iloc[0]['figure']} twice"
            )
    columns = [*CELL_KEY, *STATISTICS, "campaign", "cell_id"]
    both = cells_a[columns].merge(cells_b[columns], on=CELL_KEY, how="inner", suffixes=("_a", "_b"), sort=False)
    return tuple(
        CellAgreement(
            figure=row["figure"],
            label=label_of(row),
            campaign=row["campaign_b"],
            cell_id=row["cell_id_b"],
            a=_side(row, "_a"),
            b=_side(row, "_b"),
        )
        for row in both.to_dict("records")
    )


def _side(row: dict, suffix: str) -> Side:
    quic, tcp = (
        Summary(float(row[f"{arm}_mean_ms{suffix}"]), float(row[f"{arm}_std_ms{suffix}"]), int(row[f"{arm}_n{suffix}"]))
        for arm in ("quic", "tcp")
    )
    found = difference(quic, tcp)
    return Side(quic.mean, quic.n, tcp.mean, tcp.n, found.pct, found.test.p_value, found.verdict)


def share_agreeing(cells: Sequence[CellAgreement | CellPair]) -> float:
    """Share of the tested cells whose verdicts are equal, 0 to 1; NaN of none."""
    tested = [cell.agrees for cell in cells if cell.tested]
    return sum(tested) / len(tested) if tested else math.nan


def median_relative_error(cells: Iterable[CellAgreement], protocol: str) -> float:
    """Median of |b / a - 1| over the means of one protocol; NaN of none."""
    errors = [abs(ratio - 1) for cell in cells if math.isfinite(ratio := getattr(cell, f"{protocol}_ratio"))]
    return statistics.median(errors) if errors else math.nan


def largest_disagreements(cells: Iterable[CellAgreement], n: int = 5) -> tuple[Disagreement, ...]:
    """The n means that differ most, by the absolute logarithm of their ratio, the largest first."""
    found = [
        Disagreement(cell, protocol, ratio)
        for cell in cells
        for protocol in ("quic", "tcp")
        if math.isfinite(ratio := getattr(cell, f"{protocol}_ratio"))
    ]
    return tuple(sorted(found, key=lambda one: -abs(math.log(one.ratio)))[:n])
