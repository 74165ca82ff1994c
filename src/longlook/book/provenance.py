"""Where each column of a chapter comes from: campaign, stack digest, machine and date."""

from __future__ import annotations

import html
from collections.abc import Iterable

import pandas as pd

from longlook import paths
from longlook.book.data import COLUMNS, BookData
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table
from longlook.host.toml import read_toml
from longlook.record.campaign import split_digests

DIGEST_CHARACTERS = 12
HEAD = ["Column", "Stack", "Machine", "Figures and campaigns"]
ORIGIN_NAME = "origin.toml"
"""Beside a study's published numbers: its machine, its stacks, and by experiment its files."""


def provenance(data: BookData, study: str, series: Iterable[str]) -> str:
    """HTML table: the published numbers first, then a row for each stack and machine with the campaigns of it
    that any of `series` shows."""
    series = list(series)
    rows: dict[tuple[str, ...], list[str]] = {}
    published = data.rows("arms", study, series, PUBLISHED.key)
    file = paths.PUBLISHED / study / ORIGIN_NAME
    if len(published) and file.is_file():
        known = read_toml(file)
        stacks = "; ".join(words for name, words in known["stacks"].items() if name in set(published["stack"]))
        rows["Published", stacks, known["machine"]] = [known["files"][one] for one in published["experiment"].unique()]
    for title, campaign, names in campaigns_of(data, study, series):
        row = data.campaign(campaign)
        key = (title, origin_of(row), html.escape(machine_of(row)))
        rows.setdefault(key, []).append(_campaign(data, study, row, names))
    return html_table(HEAD, [[*key, "<br>".join(lines)] for key, lines in rows.items()], escape=False)


def campaigns_of(data: BookData, study: str, series: Iterable[str]) -> list[tuple[str, str, list[str]]]:
    """(column title, campaign, series) for every campaign in use, reference campaigns first."""
    used: dict[tuple[str, str], list[str]] = {}
    for key, _, title in COLUMNS:
        for name in series:
            for campaign in data.rows("cells", study, name, key)["campaign"].unique():
                used.setdefault((title, campaign), []).append(name)
    return [(*key, names) for key, names in used.items()]


def origin_of(row: pd.Series) -> str:
    """Stacks with their digests of one campaign, as HTML."""
    digests = split_digests(row["stack"], row["stack_digest"])
    stacks = [
        f"{html.escape(stack)}, digest <code>{html.escape(digest[:DIGEST_CHARACTERS])}</code>"
        for stack, digest in digests.items()
    ]
    return "; ".join(stacks)


def machine_of(row: pd.Series) -> str:
    """Processor, memory and kernel, as far as they were recorded."""
    parts = [
        str(row["cpu_model"]) if pd.notna(row["cpu_model"]) else "unknown processor",
        f"{row['cpus']:g} CPUs" if pd.notna(row["cpus"]) else "",
        f"{row['memory_bytes'] / 2**30:.0f} GiB" if pd.notna(row["memory_bytes"]) else "",
        f"Linux {row['kernel']}" if pd.notna(row["kernel"]) else "",
    ]
    return ", ".join(part for part in parts if part)


def _campaign(data: BookData, study: str, row: pd.Series, series: list[str]) -> str:
    """`4.6a: data/raw/<campaign>, 2025-08-01 10:15 UTC, 20 loads per arm`, and whether it is whole."""
    arms = data.of("arms", study, series)
    arms = arms[arms["campaign"] == row["campaign"]]
    most = int(arms["n"].max()) if len(arms) else 0
    parts = [
        f"{html.escape(', '.join(series))}: <code>data/raw/{html.escape(row['campaign'])}</code>",
        html.escape(str(row["created"])[:16].replace("T", " ")) + " UTC",
        f"{most} {'run' if most == 1 else 'runs'} of each"
        if "together" in set(arms["mode"])
        else f"{most} loads per arm",
    ]
    if row["cells_measured"] < row["cells"]:
        parts.append(f"{row['cells_measured']:g} of {row['cells']:g} cells so far")
    return ", ".join(parts)
