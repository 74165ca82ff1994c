"""What the chapters read: published numbers, processed tables and the campaigns they come from. Nothing is measured.

A copy without `data/processed` or without any campaign is normal (a fresh clone before its first run): the
tables are then empty, and the chapters say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import pandas as pd

from longlook import paths
from longlook.analysis.agreement import published_as_cells
from longlook.analysis.cells import newest_of
from longlook.analysis.difference import difference
from longlook.analysis.welch import Summary
from longlook.dataset.tables import columns, resource
from longlook.errors import LonglookError
from longlook.figure.squares import CELL_COLUMNS, PUBLISHED, Source

COLUMNS = [("reference", "reference", "Re-measured (reference)"), ("yours", "local", "Yours")]
"""Columns of a figure beside the published one: key, role of its campaign, heading."""


@dataclass(frozen=True)
class PaperData:
    """Every table of the book. Times in ms; columns as in the fixed tables of `data/processed`.

    `published` has the columns of `cells` and `table`.
    """

    published: pd.DataFrame
    cells: pd.DataFrame
    runs: pd.DataFrame
    aa_cells: pd.DataFrame
    aa_runs: pd.DataFrame
    campaigns: pd.DataFrame
    handshake_cells: pd.DataFrame

    @property
    def is_empty(self) -> bool:
        """True before anything has been measured and processed."""
        return self.cells.empty

    def campaign(self, name: str) -> pd.Series:
        """The row of one campaign in `campaigns`."""
        return self.campaigns[self.campaigns["campaign"] == name].iloc[0]

    def sources(self, figure: str) -> dict[Source, pd.DataFrame]:
        """Columns of one figure: published, then the reference campaign, then the reader's newest own one."""
        found = {PUBLISHED: self.published[self.published["figure"] == figure]}
        for key, role, title in COLUMNS:
            rows = newest_of(self.cells, figure, role)
            if len(rows):
                found[Source(key, title, rows["campaign"].iloc[0])] = rows
        return found

    def frame(self, figure: str, key: str) -> pd.DataFrame | None:
        """One column of a figure: `published`, `reference` or `yours`; None where there is none."""
        return next((frame for source, frame in self.sources(figure).items() if source.key == key), None)

    def runs_of(self, figure: str, source: Source) -> pd.DataFrame:
        """Every load, accepted or not, behind one column of one figure."""
        if source.campaign is None:
            return self.runs.iloc[:0]
        return self.runs[(self.runs["figure"] == figure) & (self.runs["campaign"] == source.campaign)]


@lru_cache(maxsize=1)
def load() -> PaperData:
    """All tables of the folders in `longlook.paths`; each file is read once per process."""
    return read(paths.PUBLISHED, paths.PROCESSED)


def read(published: Path, processed: Path) -> PaperData:
    """The tables of two given folders; a missing processed table is an empty one."""
    names = ("plt_cells", "plt_runs", "aa_cells", "aa_runs", "campaigns", "handshake_cells")
    tables = [table(processed, name) for name in names]
    numbers = read_published(published / "muthuraj2024_appendix_b.csv")
    return PaperData(numbers, *tables)


def table(folder: Path, name: str) -> pd.DataFrame:
    """One processed table; empty with the right columns where there is no file."""
    path = folder / resource(name)["path"]
    if not path.exists():
        return pd.DataFrame(columns=columns(name))
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
    else:
        # Only an empty field is missing: the verdict "none" is a word.
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    missing = [column for column in columns(name) if column not in frame]
    if missing:
        raise LonglookError(f"{path} lacks the columns {', '.join(missing)}; make it again with: longlook process")
    return frame


def read_published(path: Path) -> pd.DataFrame:
    """Tables B.1-B.16 in the columns of the cell table; p and verdict by Welch's test from mean, sd and n."""
    frame = published_as_cells(pd.read_csv(path, dtype={"printed_pct_diff": str}))
    squares = [
        difference(Summary(row.quic_mean_ms, row.quic_std_ms, row.quic_n), Summary(row.tcp_mean_ms, row.tcp_std_ms, row.tcp_n))
        for row in frame.itertuples()
    ]
    frame["pct_diff"] = [square.pct for square in squares]
    frame["p_value"] = [square.test.p_value for square in squares]
    frame["verdict"] = [square.verdict for square in squares]
    return frame[["table", *CELL_COLUMNS]]
