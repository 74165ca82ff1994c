"""`longlook audit`: can the re-measured data be trusted, and does it agree with the published tables?

`audit` is pure; `run_audit` reads the tables and hashes of this repository for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pandas import DataFrame

from longlook import paths
from longlook.audit.checks import NEEDED, allowed_by_chance, audit
from longlook.audit.comparison import Comparison, compare_campaigns
from longlook.audit.comparison_text import format_comparison
from longlook.audit.published import published_without_sweep
from longlook.audit.report import AuditReport, Integrity
from longlook.audit.text import format_summary, format_text, to_json
from longlook.dataset.anew import table_problems
from longlook.dataset.checks import check_campaign
from longlook.dataset.process import Check, make_tables
from longlook.dataset.rows import Row, campaign_row, unreadable_row
from longlook.dataset.tables import PACKAGE_NAME, check_tables, read_table
from longlook.errors import LonglookError
from longlook.published.muthuraj2024 import slips
from longlook.published.registry import published_cells
from longlook.record.campaigns import find_campaign, scan_campaigns, verify
from longlook.record.index import check_index
from longlook.record.parquet import records

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
    anew: bool = True,
    check: Check = check_campaign,
    table: Callable[[str], DataFrame] | None = None,
) -> AuditReport:
    """Audit what is in `data/`, after re-checking every hash; `campaign` restricts it to one campaign.

    `anew`: every sample is rechecked and every table made anew, which takes as long as `longlook process`. `table`: has
    the processed tables already (default: they are read).
    """
    raw, processed, known = raw_root or paths.RAW, processed_root or paths.PROCESSED, published_root or paths.PUBLISHED
    if campaign is not None:
        find_campaign(raw, campaign)
    if not (processed / PACKAGE_NAME).is_file():
        raise LonglookError(f"{processed} holds no tables to audit; make them with: longlook process")
    return audit(
        {name: table(name) if table else read_table(processed, name) for name in NEEDED},
        published_cells(known),
        campaign=campaign,
        slips=slips(known),
        integrity=check_integrity(raw, processed, known, check if anew else None) if verify_hashes else Integrity(),
    )


def check_integrity(
    raw: Path, processed: Path, published: Path | None = None, check: Check | None = check_campaign
) -> Integrity:
    """Re-check every campaign, sealed or growing: hashes, index, samples; that the processed tables are what they give
    today; and that every published cell is in a sweep. Without a `check` the samples and the tables are taken at the
    word of the hashes."""
    campaigns, broken = scan_campaigns(raw)
    sealed = [one for one in campaigns if one.is_sealed]
    problems = [line for one in sealed for line in verify(one.path)]
    damaged = {line.partition(":")[0] for line in problems}
    problems += check_index(raw)
    listed = records(read_table(processed, "campaigns"))
    if check is None:
        left_out = {row["campaign"]: row["left_out"] for row in listed if row["left_out"] is not None}
        there: list[Row] = [campaign_row(one) for one in campaigns] + [unreadable_row(name, "") for name in broken]
    else:
        made = make_tables(raw, published, check)
        left_out, there = made.left_out, made.tables["campaigns"]
    problems += [f"{name}: left out: {why}" for name, why in left_out.items() if name not in damaged]
    problems += check_tables(processed)
    if _cells_in(there) != _cells_in(listed):
        problems.append("the processed tables are not those of the raw records; make them again with: longlook process")
    elif check is not None:
        problems += table_problems(processed, made.tables)
    problems += published_without_sweep(published)
    unsealed = tuple(one.id for one in campaigns if not one.is_sealed)
    return Integrity(tuple(one.id for one in sealed), unsealed, tuple(problems))


def _cells_in(campaigns: Iterable[Mapping[str, Any]]) -> dict[str, float | None]:
    """Campaign -> cells measured, from rows of `campaigns`."""
    found = {row["campaign"]: row["cells_measured"] for row in campaigns}
    return {name: None if cells is None or cells != cells else float(cells) for name, cells in found.items()}
