"""Where each column of a chapter comes from: campaign, stack digest, machine and date."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

from longlook.book.data import PaperData
from longlook.figure.table import html_table

HEAD = ["Column", "Stack", "Machine", "Figures and campaigns"]
PUBLISHED_ROW = [
    "Published",
    "Chromium 111.0.5563.0, QUIC server of Chromium c43017f, Apache 2.4.52 (thesis table 3.2)",
    "Emulab: server d430, client d710, Dummynet bridge (thesis 3.1)",
]


def provenance(data: PaperData, figures: Iterable[str]) -> str:
    """HTML table: the published numbers first, then a row for each stack and machine with the campaigns of it
    that any of `figures` shows."""
    figures = list(figures)
    source = "Muthuraj 2024, appendix B, 20 loads: <code>data/published/muthuraj2024_appendix_b.csv</code>"
    rows: dict[tuple[str, ...], list[str]] = {tuple(PUBLISHED_ROW): [source]}
    for title, campaign, names in campaigns_of(data, figures):
        info = data.campaigns.get(campaign, {})
        key = (title, *_origin(info))
        rows.setdefault(key, []).append(_campaign(campaign, names, info))
    return html_table(HEAD, [[*key, "<br>".join(lines)] for key, lines in rows.items()], escape=False)


def campaigns_of(data: PaperData, figures: Iterable[str]) -> list[tuple[str, str, list[str]]]:
    """(column title, campaign, figures) for every campaign in use, reference campaigns first."""
    used: dict[tuple[str, str], list[str]] = {}
    for role, title in (("reference", "Re-measured (reference)"), ("local", "Yours")):
        for figure in figures:
            campaign = data.newest(figure, role)
            if campaign is not None:
                used.setdefault((title, campaign), []).append(figure)
    return [(title, campaign, names) for (title, campaign), names in used.items()]


def _origin(info: dict[str, Any]) -> tuple[str, str]:
    """Stack with its digest, and machine, of one campaign."""
    if not info:
        return ("not recorded: no campaign.json", "not recorded")
    stack = f"{info.get('stack', 'unknown')}, digest <code>{_digest(info)}</code>"
    return stack, html.escape(_machine(info.get("machine", {})))


def _campaign(campaign: str, figures: list[str], info: dict[str, Any]) -> str:
    """`4.6a: data/raw/<campaign>, 2025-08-01 10:15 UTC, 20 loads`."""
    loads = info.get("sweep_definition", {}).get("loads")
    parts = [f"{', '.join(figures)}: <code>data/raw/{html.escape(campaign)}</code>", _date(info)]
    return ", ".join(part for part in [*parts, f"{loads} loads" if loads else ""] if part)


def _digest(info: dict[str, Any]) -> str:
    """The first 12 hex digits of the stack digest, with its algorithm taken off."""
    return str(info.get("stack_digest") or "unknown").removeprefix("sha256").lstrip(":-")[:12]


def _machine(machine: dict[str, Any]) -> str:
    memory = machine.get("memory_bytes")
    parts = [
        str(machine.get("cpu_model") or "unknown CPU"),
        f"{machine['cpus']} CPUs" if machine.get("cpus") else "",
        f"{memory / 2**30:.0f} GiB" if memory else "",
        f"Linux {machine['kernel']}" if machine.get("kernel") else "",
    ]
    return ", ".join(part for part in parts if part)


def _date(info: dict[str, Any]) -> str:
    if not info:
        return ""
    sealed = "" if info.get("sealed") else ", not sealed"
    return str(info.get("created", ""))[:16].replace("T", " ") + " UTC" + sealed
