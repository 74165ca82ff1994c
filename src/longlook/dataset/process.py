"""data/raw -> data/processed: one command, every table, deterministic bytes for the same raw records.

Counted are the finished cells of every campaign, sealed or still growing. Interrupted cells are never read.
Means and standard deviations are over the samples that were accepted and not set aside (the first, cold load).
"""

from __future__ import annotations

from pathlib import Path

from longlook.dataset import rows
from longlook.dataset.agreement import agreement_rows
from longlook.dataset.results import read_results, with_folders
from longlook.dataset.tables import TABLES, write_tables
from longlook.experiment.registry import named
from longlook.record.campaign import Campaign
from longlook.record.campaigns import read_campaigns

Tables = dict[str, list[rows.Row]]


def process(raw_root: Path, processed_root: Path, published_root: Path | None = None) -> dict[str, int]:
    """Make every processed table from every campaign; returns the number of rows of each.

    A damaged record is a `LonglookError` that names it, and leaves the tables as they were.
    """
    tables: Tables = {name: [] for name in TABLES}
    for campaign in read_campaigns(Path(raw_root)):
        _add(tables, campaign, published_root)
    _sort(tables)
    return write_tables(Path(processed_root), tables)


def _add(tables: Tables, campaign: Campaign, published_root: Path | None) -> None:
    experiment = named(campaign.experiment, f"campaign {campaign.id}")
    tables["campaigns"].append(rows.campaign_row(campaign))
    for cell, folder in with_folders(campaign):
        tables["cells"].append(rows.cell_row(campaign.id, cell, folder))
        for name, found in rows.timeline_rows(experiment, campaign.id, cell, folder).items():
            tables[name] += found
    results = read_results(campaign)
    for result in results:
        tables["samples"] += rows.sample_rows(result)
        tables["arms"] += rows.arm_rows(result)
        tables["contrasts"] += rows.contrast_rows(result)
    means, verdicts = agreement_rows(results, published_root)
    tables["agreement_means"] += means
    tables["agreement_verdicts"] += verdicts


def _sort(tables: Tables) -> None:
    """By campaign and condition; the sorts are stable, so that samples and times stay in order."""
    link = ("rtt_ms", "loss_pct", "jitter_ms", "bandwidth_mbps", "object_count", "total_bytes")
    place = {
        (row["campaign"], row["cell_id"]): (
            row["campaign"],
            row["series"],
            *(row[name] for name in link),
            row["cell_id"],
        )
        for row in tables["cells"]
    }
    for name, own in tables.items():
        if name != "campaigns" and not name.startswith("agreement"):
            own.sort(key=lambda row: place[(row["campaign"], row["cell_id"])])
    tables["campaigns"].sort(key=lambda row: row["campaign"])
