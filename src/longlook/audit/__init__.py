"""`longlook audit`: can the re-measured data be trusted, and does it agree with the published tables?

`audit` is pure; `run_audit` reads the tables and hashes of this repository for it.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pandas as pd

from longlook import paths
from longlook.analysis.agreement import CellAgreement, compare
from longlook.audit.checks import allowed_by_chance, audit
from longlook.audit.comparison import Comparison, compare_campaigns
from longlook.audit.comparison_text import format_comparison
from longlook.audit.report import AuditReport, Integrity
from longlook.audit.text import format_summary, format_text, to_json
from longlook.dataset.tables import PACKAGE_NAME, check_tables
from longlook.errors import LonglookError
from longlook.record.campaigns import find_campaign, read_campaigns, verify

__all__ = [
    "AuditReport", "CellAgreement", "Comparison", "allowed_by_chance", "audit", "check_integrity", "compare",
    "compare_campaigns", "format_comparison", "format_summary", "format_text", "run_audit", "to_json",
]  # fmt: skip


def run_audit(
    campaign: str | None = None,
    *,
    raw_root: Path | None = None,
    processed_root: Path | None = None,
    published_root: Path | None = None,
    verify_hashes: bool = True,
) -> AuditReport:
    """Audit what is in `data/`, after re-checking every hash; `campaign` restricts it to one campaign."""
    raw, processed, known = raw_root or paths.RAW, processed_root or paths.PROCESSED, published_root or paths.PUBLISHED
    if campaign is not None:
        find_campaign(raw, campaign)
    if not (processed / PACKAGE_NAME).is_file():
        raise LonglookError(f"{processed} holds no tables to audit; make them with: longlook process")
    return audit(
        read_published(known),
        pd.read_csv(processed / "plt_cells.csv"),
        pd.read_parquet(processed / "plt_runs.parquet"),
        pd.read_csv(processed / "aa_cells.csv"),
        published_fairness=read_shares(known),
        flows=pd.read_csv(processed / "transfer_flows.csv", keep_default_na=False, na_values=[""]),
        campaign=campaign,
        slips=read_slips(known),
        integrity=check_integrity(raw, processed) if verify_hashes else Integrity(),
    )


def read_published(folder: Path) -> pd.DataFrame:
    """Tables B.1-B.16 of the thesis; percentage differences as they are printed."""
    return pd.read_csv(folder / "muthuraj2024_appendix_b.csv", dtype={"printed_pct_diff": str})


def read_shares(folder: Path) -> pd.DataFrame:
    """Tables 4.1 and 4.2 of the thesis: rates of flows that share a bottleneck, Mbit/s."""
    return pd.read_csv(folder / "muthuraj2024_fairness.csv", dtype={"table": str})


def read_slips(folder: Path) -> list[dict[str, str]]:
    """Known contradictions within the thesis: item, where, says, elsewhere, elsewhere_says."""
    with (folder / "known_slips.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def check_integrity(raw: Path, processed: Path) -> Integrity:
    """Re-check the hashes of every sealed campaign and of the processed tables, and that these are up to date."""
    campaigns = read_campaigns(raw)
    sealed = [one for one in campaigns if one.is_sealed]
    problems = [line for one in sealed for line in verify(one.path)]
    problems += [
        f"{one.id}: sealed, but its manifest is missing"
        for one in campaigns
        if one.info.get("sealed") and not one.is_sealed
    ]
    problems += check_tables(processed)
    if (processed / "campaigns.csv").is_file():
        table = pd.read_csv(processed / "campaigns.csv")
        processed_cells = dict(zip(table["campaign"], table["cells_measured"], strict=True))
        if processed_cells != {one.id: len(one.finished_cells()) for one in campaigns}:
            problems.append(
                "the processed tables are not those of the raw records; make them again with: longlook process"
            )
    unsealed = tuple(one.id for one in campaigns if not one.is_sealed)
    return Integrity(tuple(one.id for one in sealed), unsealed, tuple(problems))
