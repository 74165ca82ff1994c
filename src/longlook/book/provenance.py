"""Where each column of a chapter comes from: campaign, stack digest, machine and date."""

from __future__ import annotations

import html
from collections.abc import Iterable

import pandas as pd

from longlook.book.data import COLUMNS, PaperData
from longlook.record.campaign import split_digests
from longlook.figure.table import html_table

DIGEST_CHARACTERS = 12
HEAD = ["Column", "Stack", "Machine", "Figures and campaigns"]
EMULAB = "Emulab: server d430, client d710, Dummynet bridge (thesis 3.1)"
PUBLISHED_STACKS = {
    "quicv1": "Chromium 111.0.5563.0, QUIC server of Chromium c43017f, Apache 2.4.52 (thesis table 3.2)",
    "gquic37": "Chromium 60.0.3108, its QUIC server, Apache 2.4.29 (thesis table 3.2)",
}


def provenance(data: PaperData, figures: Iterable[str]) -> str:
    """HTML table: the published numbers first, then a row for each stack and machine with the campaigns of it
    that any of `figures` shows."""
    figures = list(figures)
    source = "Muthuraj 2024, appendix B, 20 loads: <code>data/published/muthuraj2024_appendix_b.csv</code>"
    published = data.published[data.published["figure"].isin(figures)]
    stacks = "; ".join(words for name, words in PUBLISHED_STACKS.items() if name in set(published["stack"]))
    rows: dict[tuple[str, ...], list[str]] = {("Published", stacks, EMULAB): [source]}
    for title, campaign, names in campaigns_of(data, figures):
        row = data.campaign(campaign)
        loads = data.cells.loc[data.cells["campaign"] == campaign, ["quic_n", "tcp_n"]].max().max()
        rows.setdefault((title, origin_of(row), html.escape(machine_of(row))), []).append(_campaign(row, names, int(loads)))
    return html_table(HEAD, [[*key, "<br>".join(lines)] for key, lines in rows.items()], escape=False)


def campaigns_of(data: PaperData, figures: Iterable[str]) -> list[tuple[str, str, list[str]]]:
    """(column title, campaign, figures) for every campaign in use, reference campaigns first."""
    used: dict[tuple[str, str], list[str]] = {}
    for figure in figures:
        for source in data.sources(figure):
            if source.campaign is not None:
                used.setdefault((source.title, source.campaign), []).append(figure)
    titles = [title for _, _, title in COLUMNS]
    return sorted(((*key, names) for key, names in used.items()), key=lambda item: titles.index(item[0]))


def origin_of(row: pd.Series) -> str:
    """Stacks with their digests of one campaign, as HTML."""
    digests = split_digests(row["stack"], row["stack_digest"])
    stacks = [f"{html.escape(stack)}, digest <code>{html.escape(digest[:DIGEST_CHARACTERS])}</code>" for stack, digest in digests.items()]
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


def _campaign(row: pd.Series, figures: list[str], loads: int) -> str:
    """`4.6a: data/raw/<campaign>, 2025-08-01 10:15 UTC, 20 loads per protocol`, and whether it is whole."""
    parts = [
        f"{', '.join(figures)}: <code>data/raw/{html.escape(row['campaign'])}</code>",
        str(row["created"])[:16].replace("T", " ") + " UTC",
        f"{loads} loads per protocol",
    ]
    if row["cells_measured"] < row["cells"]:
        parts.append(f"{row['cells_measured']:g} of {row['cells']:g} cells so far")
    return ", ".join(parts)
