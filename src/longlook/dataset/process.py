"""data/raw -> data/processed: one command, every table, deterministic bytes for the same raw records.

Counted are the finished cells of every campaign, sealed or still growing, that stands its checks; another one is left
out, by name and with the reason, and the others' tables are made all the same. Interrupted cells are never read. Means
and standard deviations are over the samples that were accepted and not set aside (the first, cold load).
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType

import pyarrow

from longlook.dataset import rows
from longlook.dataset.agreement import agreement_rows
from longlook.dataset.checks import Checked, check_campaign
from longlook.dataset.results import results_of, with_folders
from longlook.dataset.tables import (
    TABLES,
    check_rows,
    check_tables,
    is_parquet,
    rows_by_campaign,
    to_arrow,
    write_tables,
)
from longlook.errors import LonglookError, one_line
from longlook.experiment.registry import named
from longlook.record.campaign import Campaign
from longlook.record.campaigns import scan_campaigns, unreadable
from longlook.record.index import problems_of, read_index

Tables = dict[str, list[rows.Row] | pyarrow.Table]
"""Rows of the tables that are written as CSV, Arrow tables of the long ones, which are Parquet files."""
Check = Callable[[Campaign], Checked]
LINK = ("rtt_ms", "loss_pct", "jitter_ms", "bandwidth_mbps", "object_count", "total_bytes")
BY_CONDITION = tuple(one for one in TABLES if one != "campaigns" and not one.startswith("agreement"))
AT_ONCE = 2
FEW = 8
"""So many campaigns are not worth a process of their own."""


@dataclass
class Made:
    """Tables, and what is not in them."""

    tables: Tables = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Campaign -> why."""


@dataclass(frozen=True)
class Processed:
    """Rows of each table that was written, and campaign -> why it is in none but `campaigns`."""

    rows: dict[str, int]
    left_out: dict[str, str]


@dataclass(frozen=True)
class _Own:
    """What one campaign gives: its tables and what tells its samples from all others, or why it is left out."""

    tables: Tables = field(default_factory=dict)
    prints: frozenset[int] = frozenset()
    left_out: str | None = None


def process(
    raw_root: Path,
    processed_root: Path,
    published_root: Path | None = None,
    check: Check = check_campaign,
    *,
    keep: bool = False,
) -> Processed:
    """Make every processed table from every campaign that can be believed, which `check` says.

    With `keep` the rows of campaigns that the index of `raw_root` knows are taken from the tables of `processed_root`,
    where these are what was written: their samples are not judged again, and nothing finds a copy of theirs.
    """
    raw_root, processed_root = Path(raw_root), Path(processed_root)
    known = _kept(processed_root, read_index(raw_root)) if keep and not check_tables(processed_root) else {}
    made = make_tables(raw_root, published_root, check, known)
    return Processed(write_tables(processed_root, made.tables), made.left_out)


def _kept(processed_root: Path, sealed: Mapping[str, str]) -> dict[str, Tables]:
    """Campaign -> its rows in the tables that are there, of those that an index knows and that were not left out."""
    parts = {name: rows_by_campaign(processed_root, name) for name in TABLES}
    counted = [one for one, (row,) in parts["campaigns"].items() if one in sealed and not row["left_out"]]
    empty = {name: to_arrow(name, ()) if is_parquet(name) else [] for name in TABLES}
    return {one: {name: parts[name].get(one, empty[name]) for name in TABLES} for one in counted}


def make_tables(
    raw_root: Path,
    published_root: Path | None = None,
    check: Check = check_campaign,
    known: Mapping[str, Tables] = MappingProxyType({}),
) -> Made:
    """The tables, without writing them; those of `known` campaigns are what they are. Never raises for what is wrong
    with a campaign."""
    campaigns, broken = scan_campaigns(raw_root)
    left_out = {name: one_line(reason) for name, reason in broken.items()}
    unread = [rows.unreadable_row(name, reason) for name, reason in left_out.items()]
    sealed = read_index(raw_root)
    found = {one.id: _Own(known[one.id]) for one in campaigns if one.id in known and not problems_of(one, sealed)}
    new = [one for one in campaigns if one.id not in found]
    found |= _each(new, partial(_own, sealed=sealed, published_root=published_root, check=check))
    prints: dict[int, str] = {}
    tables: dict[str, Tables] = {}
    for campaign in sorted(
        campaigns, key=lambda one: one.id not in sealed
    ):  # of two copies the one that is known counts
        own = found[campaign.id]
        why = own.left_out
        if twice := own.prints & prints.keys():
            others = ", ".join(sorted({prints[one] for one in twice}))
            why = f"{len(twice)} of its samples are those of {others}"
        if why is not None:
            left_out[campaign.id] = why
            unread.append(rows.campaign_row(campaign, why))
            continue
        prints |= dict.fromkeys(own.prints, campaign.id)
        tables[campaign.id] = own.tables
    return Made(_together([one.id for one in campaigns], tables, unread), left_out)


def _each(campaigns: Sequence[Campaign], make: Callable[[Campaign], _Own]) -> dict[str, _Own]:
    """What each campaign gives, by its name: by processes of their own where they are many, the largest ones first."""
    if len(campaigns) <= FEW:
        return {one.id: make(one) for one in campaigns}
    largest_first = sorted(campaigns, key=lambda one: -len(os.listdir(one.path)))
    with ProcessPoolExecutor(AT_ONCE, multiprocessing.get_context("fork")) as pool:
        try:
            return {one.id: own for one, own in zip(largest_first, pool.map(make, largest_first), strict=True)}
        except BaseException as error:
            for one in multiprocessing.active_children():  # else each would first end its campaign
                one.kill()
            if isinstance(error, BrokenProcessPool):
                raise LonglookError("a process that makes tables was killed: it needs 2 GB of memory") from None
            raise


def _own(campaign: Campaign, sealed: Mapping[str, str], published_root: Path | None, check: Check) -> _Own:
    """What a campaign gives; whatever somebody else's records make ours raise, it is only left out."""
    try:
        checked = _checked(campaign, sealed, check)
        return _Own(_tables_of(campaign, checked, published_root), frozenset(checked.prints))
    except Exception as error:
        return _Own(left_out=one_line(str(error) if isinstance(error, LonglookError) else unreadable(error)))


def _checked(campaign: Campaign, sealed: Mapping[str, str], check: Check) -> Checked:
    """What the checks of a campaign found; raises `LonglookError` with the first problem."""
    problems = problems_of(campaign, sealed)
    checked = Checked() if problems else check(campaign)
    if problems := problems + checked.problems:
        raise LonglookError(problems[0] + (f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""))
    return checked


def _tables_of(campaign: Campaign, checked: Checked, published_root: Path | None) -> Tables:
    """Tables of one campaign, by condition; samples and times stay in order."""
    experiment = named(campaign.experiment, f"campaign {campaign.id}")
    found: dict[str, list[rows.Row]] = {name: [] for name in TABLES}
    found["campaigns"].append(rows.campaign_row(campaign))
    for cell, folder in with_folders(campaign):
        found["cells"].append(rows.cell_row(campaign.id, cell, folder))
        found["objects"] += rows.object_rows(campaign.id, cell, checked.typical.get(folder.name, ()))
        for name, own in rows.timeline_rows(experiment, campaign.id, cell, folder).items():
            found[name] += own
    results = results_of(campaign, checked.samples)
    for result in results:
        found["samples"] += rows.sample_rows(result)
        found["arms"] += rows.arm_rows(result)
        found["contrasts"] += rows.contrast_rows(result)
    found["agreement_means"], found["agreement_verdicts"] = agreement_rows(results, published_root)
    for name in found.keys() - {"timelines", "throughput"}:  # these are as their files, which have schemas
        check_rows(name, found[name])
    place = {row["cell_id"]: (row["series"], *(row[name] for name in LINK), row["cell_id"]) for row in found["cells"]}
    for name in BY_CONDITION:
        found[name].sort(key=lambda row: place[row["cell_id"]])
    return {name: to_arrow(name, own) if is_parquet(name) else own for name, own in found.items()}


def _together(order: Sequence[str], tables: Mapping[str, Tables], unread: Sequence[rows.Row]) -> Tables:
    """Tables of all campaigns: those of agreement in the order in which these were measured (`order`), others by
    name."""
    found: Tables = {}
    for name in TABLES:
        own = [tables[one][name] for one in (sorted(order) if name in BY_CONDITION else order) if one in tables]
        found[name] = pyarrow.concat_tables([to_arrow(name, ()), *own]) if is_parquet(name) else [*chain(*own)]
    found["campaigns"] = sorted([*found["campaigns"], *unread], key=lambda row: row["campaign"])
    return found
