"""Where every number comes from: campaign, stack digest, machine and date. One file for the whole book."""

from __future__ import annotations

import html
from collections.abc import Iterator

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.newest import newest
from longlook.book.data import COLUMNS, BookData, load
from longlook.figure.live import csv_file, offered
from longlook.figure.table import html_table
from longlook.host.toml import read_toml
from longlook.record.campaign import split_digests
from longlook.record.parquet import records

DIGEST_CHARACTERS = 12
DAY = len("2026-11-21")
HEAD = ["study", "figures and series", "campaign", "loads or runs of an arm", "stack, digest", "machine"]
ORIGIN_NAME = "origin.toml"
"""Beside a study's published numbers: its machine, its stacks, and by experiment its files."""


def provenance(data: BookData | None = None) -> HTML:
    """A row for each study, to which its figures link; every campaign, superseded ones too, is a row of the file beside
    it."""
    found = data or load()
    every = [*_published(), *_measured(found)]
    cells, campaigns = found.whole("cells"), found.whole("campaigns")
    rows = [
        [
            f'<span id="{html.escape(study)}">{html.escape(study)}</span>',
            str(cells[cells["campaign"].isin(own["campaign"])]["series"].nunique()),
            str(len(own)),
            html.escape(f"{own['created'].min()[:DAY]} to {own['created'].max()[:DAY]}"),
            html.escape(", ".join(sorted(map(str, own["cpu_model"].dropna().unique())))),
        ]
        for study, own in campaigns.astype({"study": str}).groupby("study")
    ]
    table = html_table(["study", "series", "campaigns", "measured", "processors"], rows, escape=False, numeric={1, 2})
    return HTML(table + offered(csv_file("every-campaign.csv", HEAD, every)))


def _published() -> Iterator[list[str]]:
    for file in sorted(paths.PUBLISHED.glob(f"*/{ORIGIN_NAME}")):
        known = read_toml(file)
        stacks = "; ".join(known["stacks"].values())
        yield [file.parent.name, "published", "; ".join(known["files"].values()), "", stacks, known["machine"]]


def _measured(data: BookData) -> Iterator[list[str]]:
    cells, campaigns = data.whole("cells"), data.whole("campaigns")
    counting = {pair for _, role, _ in COLUMNS for pair in _pairs(newest(cells, role))}
    most = data.whole("arms").groupby("campaign")["n"].max()
    for row in records(campaigns.sort_values(["study", "created"])):
        own = cells[cells["campaign"] == row["campaign"]]
        series = list(dict.fromkeys(own["series"]))
        counts = any((row["campaign"], one) in counting for one in series)
        whole = (
            "" if row["cells_measured"] == row["cells"] else f", {row['cells_measured']:g} of {row['cells']:g} cells"
        )
        what = f"{most.get(row['campaign'], 0):g}{whole}"
        yield [
            str(row["study"]),
            ", ".join(series) + ("" if counts else "; a newer campaign counts"),
            f"data/raw/{row['campaign']}",
            what,
            _stacks(row),
            machine_of(row),
        ]


def _pairs(rows: pd.DataFrame) -> set[tuple[str, str]]:
    return set(rows[["campaign", "series"]].itertuples(index=False, name=None))


def _stacks(row: dict) -> str:
    digests = split_digests(row["stack"], row["stack_digest"]).items()
    return "; ".join(f"{one} {digest[:DIGEST_CHARACTERS]}" for one, digest in digests)


def machine_of(row: dict) -> str:
    """Processor, memory and kernel, as far as they were recorded."""
    parts = [
        str(row["cpu_model"]) if pd.notna(row["cpu_model"]) else "unknown processor",
        f"{row['cpus']:g} CPUs" if pd.notna(row["cpus"]) else "",
        f"{row['memory_bytes'] / 2**30:.0f} GiB" if pd.notna(row["memory_bytes"]) else "",
        f"Linux {row['kernel']}" if pd.notna(row["kernel"]) else "",
    ]
    return ", ".join(part for part in parts if part)
