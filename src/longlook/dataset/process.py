"""data/raw -> data/processed: one command, every table, deterministic bytes for the same raw records.

Counted are the finished cells of every campaign, sealed or still growing, that stands its checks; another one is left
out, by name and with the reason, and the others' tables are made all the same. Interrupted cells are never read. Means
and standard deviations are over the samples that were accepted and not set aside (the first, cold load).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from longlook.dataset import rows
from longlook.dataset.agreement import agreement_rows
from longlook.dataset.checks import Checked, check_campaign
from longlook.dataset.results import results_of, with_folders
from longlook.dataset.tables import TABLES, check_rows, write_tables
from longlook.errors import LonglookError, one_line
from longlook.experiment.registry import named
from longlook.record import index
from longlook.record.campaign import Campaign
from longlook.record.campaigns import scan_campaigns, unreadable

Tables = dict[str, list[rows.Row]]
Check = Callable[[Campaign], Checked]


@dataclass
class Made:
    """Tables, as rows, and what is not in them."""

    tables: Tables = field(default_factory=lambda: {name: [] for name in TABLES})
    left_out: dict[str, str] = field(default_factory=dict)
    """Campaign -> why."""


@dataclass(frozen=True)
class Processed:
    """Rows of each table that was written, and campaign -> why it is in none but `campaigns`."""

    rows: dict[str, int]
    left_out: dict[str, str]


def process(
    raw_root: Path, processed_root: Path, published_root: Path | None = None, check: Check = check_campaign
) -> Processed:
    """Make every processed table from every campaign that can be believed, which `check` says."""
    made = make_tables(Path(raw_root), published_root, check)
    return Processed(write_tables(Path(processed_root), made.tables), made.left_out)


def make_tables(raw_root: Path, published_root: Path | None = None, check: Check = check_campaign) -> Made:
    """The tables, without writing them. Never raises for what is wrong with a campaign."""
    made = Made()
    campaigns, broken = scan_campaigns(raw_root)
    for name, reason in broken.items():
        made.left_out[name] = one_line(reason)
        made.tables["campaigns"].append(rows.unreadable_row(name, made.left_out[name]))
    sealed = index.read_index(raw_root)
    prints: dict[int, str] = {}
    tables: dict[str, Tables] = {}
    for campaign in sorted(
        campaigns, key=lambda one: one.id not in sealed
    ):  # of two copies the one that is known counts
        try:
            checked = _checked(campaign, sealed, prints, check)
            tables[campaign.id] = _tables_of(campaign, checked, published_root)
        except Exception as error:  # whatever somebody else's records make ours raise, the others' tables are made
            made.left_out[campaign.id] = one_line(str(error) if isinstance(error, LonglookError) else unreadable(error))
            made.tables["campaigns"].append(rows.campaign_row(campaign, made.left_out[campaign.id]))
            continue
        prints |= dict.fromkeys(checked.prints, campaign.id)
    for name, own in ((name, own) for one in campaigns for name, own in tables.get(one.id, {}).items()):
        made.tables[name] += own
    _sort(made.tables)
    return made


def _checked(campaign: Campaign, sealed: Mapping[str, str], prints: Mapping[int, str], check: Check) -> Checked:
    """What the checks of a campaign found; raises `LonglookError` with the first problem."""
    problems = index.problems_of(campaign, sealed)
    checked = Checked() if problems else check(campaign)
    problems += checked.problems
    if not problems and (twice := checked.prints.keys() & prints.keys()):
        others = ", ".join(sorted({prints[one] for one in twice}))
        problems.append(f"{len(twice)} of its samples are those of {others}")
    if problems:
        raise LonglookError(problems[0] + (f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""))
    return checked


def _tables_of(campaign: Campaign, checked: Checked, published_root: Path | None) -> Tables:
    """Rows of one campaign."""
    experiment = named(campaign.experiment, f"campaign {campaign.id}")
    tables: Tables = {
        "campaigns": [rows.campaign_row(campaign)],
        "cells": [],
        "samples": [],
        "objects": [],
        "arms": [],
        "contrasts": [],
    }
    for cell, folder in with_folders(campaign):
        tables["cells"].append(rows.cell_row(campaign.id, cell, folder))
        tables["objects"] += rows.object_rows(campaign.id, cell, checked.typical.get(folder.name, ()))
        for name, found in rows.timeline_rows(experiment, campaign.id, cell, folder).items():
            tables.setdefault(name, []).extend(found)
    results = results_of(campaign, checked.samples)
    for result in results:
        tables["samples"] += rows.sample_rows(result)
        tables["arms"] += rows.arm_rows(result)
        tables["contrasts"] += rows.contrast_rows(result)
    tables["agreement_means"], tables["agreement_verdicts"] = agreement_rows(results, published_root)
    for name in tables.keys() - {"timelines", "throughput"}:  # these are as their files, which have schemas
        check_rows(name, tables[name])
    return tables


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
