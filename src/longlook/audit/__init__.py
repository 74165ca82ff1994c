"""`longlook audit`: can the re-measured data be trusted, and does it agree with the published tables?

`audit` is pure; `run_audit` reads the tables and hashes of this repository for it.
"""

from __future__ import annotations

from pathlib import Path

from longlook import paths
from longlook.audit.checks import NEEDED, allowed_by_chance, audit
from longlook.audit.comparison import Comparison, compare_campaigns
from longlook.audit.comparison_text import format_comparison
from longlook.audit.published import published_without_sweep
from longlook.audit.report import AuditReport, Integrity
from longlook.audit.text import format_summary, format_text, to_json
from longlook.dataset.tables import PACKAGE_NAME, check_tables, read_table
from longlook.errors import LonglookError
from longlook.published.muthuraj2024 import slips
from longlook.published.registry import published_cells
from longlook.record.campaigns import find_campaign, read_campaigns, verify

__all__ = [
    "AuditReport", "Comparison", "allowed_by_chance", "audit", "check_integrity", "compare_campaigns",
    "format_comparison", "format_summary", "format_text", "published_without_sweep", "run_audit", "to_json",
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
        {name: read_table(processed, name) for name in NEEDED},
        published_cells(known),
        campaign=campaign,
        slips=slips(known),
        integrity=check_integrity(raw, processed, known) if verify_hashes else Integrity(),
    )


def check_integrity(raw: Path, processed: Path, published: Path | None = None) -> Integrity:
    """Re-check the hashes of every sealed campaign and of the processed tables, that these are up to date, and that
    every published cell is in a sweep."""
    campaigns = read_campaigns(raw)
    sealed = [one for one in campaigns if one.is_sealed]
    problems = [line for one in sealed for line in verify(one.path)]
    problems += [
        f"{one.id}: sealed, but its manifest is missing"
        for one in campaigns
        if one.info.get("sealed") and not one.is_sealed
    ]
    problems += check_tables(processed)
    table = read_table(processed, "campaigns")
    processed_cells = dict(zip(table["campaign"], table["cells_measured"], strict=True))
    if processed_cells != {one.id: len(one.finished_cells()) for one in campaigns}:
        problems.append("the processed tables are not those of the raw records; make them again with: longlook process")
    problems += published_without_sweep(published)
    unsealed = tuple(one.id for one in campaigns if not one.is_sealed)
    return Integrity(tuple(one.id for one in sealed), unsealed, tuple(problems))
