"""What the chapters read: published numbers, processed tables and the campaigns they come from. Nothing is measured.

A copy without `data/processed` or without any campaign is normal (a fresh clone before its first run): the
tables are then empty, and the chapters say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd
from scipy import stats

from longlook import paths
from longlook.dataset.raw import read_campaigns
from longlook.errors import LonglookError
from longlook.figure import style
from longlook.figure.squares import CELL_COLUMNS, CONDITION, PUBLISHED, Source

RUN_COLUMNS = ["campaign", "stack", "figure", *CONDITION, "protocol", "load_index", "accepted", "reject_reason", "plt_ms"]
AA_CELL_COLUMNS = ["campaign", "stack", "figure", *CONDITION, "protocol", "pct_diff", "p_value", "verdict", "cell_id"]


@dataclass(frozen=True)
class PaperData:
    """Every table of the book. Times in ms; columns as in the fixed tables of `data/processed`.

    `published` has the columns of `cells` and `table`; `campaigns` maps a campaign to its `campaign.json`.
    """

    published: pd.DataFrame
    cells: pd.DataFrame
    runs: pd.DataFrame
    aa_cells: pd.DataFrame
    aa_runs: pd.DataFrame
    campaigns: dict[str, dict[str, Any]]

    @property
    def is_empty(self) -> bool:
        """True before anything has been measured and processed."""
        return self.cells.empty

    def newest(self, figure: str, role: str) -> str | None:
        """The campaign of this role that measured `figure` last, or None."""
        names = self.cells.loc[self.cells["figure"] == figure, "campaign"].unique()
        found = [name for name in names if self.role(name) == role]
        return max(found, key=self.created) if found else None

    def role(self, campaign: str) -> str:
        """`reference` (in the repository) or `local` (the reader's own)."""
        info = self.campaigns.get(campaign, {})
        return info.get("role") or ("reference" if campaign.startswith("reference-") else "local")

    def created(self, campaign: str) -> str:
        """When it began, as text that sorts by time: ISO 8601, or the stamp at the end of its name."""
        text = self.campaigns.get(campaign, {}).get("created") or campaign.rsplit("-", 1)[-1]
        return text.replace("-", "").replace(":", "")

    def sources(self, figure: str) -> dict[Source, pd.DataFrame]:
        """Columns of one figure: published, then the reference campaign, then the reader's newest own one."""
        found = {PUBLISHED: self.published[self.published["figure"] == figure]}
        for key, role, title in (("reference", "reference", "Re-measured (reference)"), ("yours", "local", "Yours")):
            campaign = self.newest(figure, role)
            if campaign is not None:
                rows = (self.cells["figure"] == figure) & (self.cells["campaign"] == campaign)
                found[Source(key, title, campaign)] = self.cells[rows]
        return found

    def runs_of(self, figure: str, source: Source) -> pd.DataFrame:
        """Every load, accepted or not, behind one column of one figure."""
        if source.campaign is None:
            return self.runs.iloc[:0]
        return self.runs[(self.runs["figure"] == figure) & (self.runs["campaign"] == source.campaign)]


@lru_cache(maxsize=1)
def load() -> PaperData:
    """All tables of the folders in `longlook.paths`; each file is read once per process."""
    return read(paths.PUBLISHED, paths.PROCESSED, paths.RAW)


def read(published: Path, processed: Path, raw: Path) -> PaperData:
    """The tables of three given folders; a missing processed table is an empty one."""
    campaigns = {item.id: item.info for item in read_campaigns(raw)} if raw.is_dir() else {}
    return PaperData(
        published=read_published(published / "muthuraj2024_appendix_b.csv"),
        cells=_table(processed / "plt_cells.csv", CELL_COLUMNS),
        runs=_table(processed / "plt_runs.parquet", RUN_COLUMNS),
        aa_cells=_table(processed / "aa_cells.csv", AA_CELL_COLUMNS),
        aa_runs=_table(processed / "aa_runs.parquet", RUN_COLUMNS),
        campaigns=campaigns,
    )


def _table(path: Path, columns: list[str]) -> pd.DataFrame:
    """One processed table; empty with the right columns where there is no file."""
    if not path.exists():
        return pd.DataFrame(columns=columns)
    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, keep_default_na=True)
    missing = [name for name in columns if name not in frame]
    if missing:
        raise LonglookError(f"{path} lacks the columns {', '.join(missing)}; make it again with: longlook process")
    return frame


def read_published(path: Path) -> pd.DataFrame:
    """Tables B.1-B.16 in the columns of the cell table; p and verdict by Welch's test from mean, sd and n."""
    frame = pd.read_csv(path).rename(
        columns={"object_size_kb": "workload_size_kb", "object_count": "workload_count", "computed_pct_diff": "pct_diff"}
    )
    frame["quic_n"] = frame["tcp_n"] = frame["runs"]
    frame["campaign"] = "published"
    frame["cell_id"] = None
    arms = [frame[f"{arm}_{name}"].to_numpy(float) for arm in ("tcp", "quic") for name in ("mean_ms", "std_ms", "n")]
    frame["p_value"] = stats.ttest_ind_from_stats(*arms, equal_var=False).pvalue
    faster = frame["pct_diff"].map(lambda value: "quic" if value > 0 else "tcp")
    frame["verdict"] = faster.where(frame["p_value"] < style.SIGNIFICANCE, "none")
    return frame[["table", *CELL_COLUMNS]]
