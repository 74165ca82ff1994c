"""QUIC's page load times of one browser by version; predictions of the sweeps of the years."""

from __future__ import annotations

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.judged import predicted
from longlook.book.varied import REFERENCE
from longlook.book.years.evidence import STUDY
from longlook.book.years.releases import shares
from longlook.book.years.releases_predicted import of_shares
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.table import html_table

VERSIONS = "years-versions"
OLD = ("gquic37", "c64q039")
NEW = ("c92q043", "c92d29", "c92")


def table(data: BookData | None = None) -> HTML:
    """Of all sweeps."""
    data = data or book_data.load()
    return predicted("years", VERSIONS, "years-loss", "years-servers", of_shares(shares(data)), data=data)


Versions = dict[tuple[str, float], dict[str, Summary]]
"""Page and bandwidth -> stack -> QUIC's page load times."""


def by_stack(data: BookData, series: str, key: str = REFERENCE) -> Versions:
    """QUIC's page load times of a series, by page, bandwidth and stack."""
    arms = data.rows("arms", STUDY, series, key)
    found: Versions = {}
    for _, row in arms[arms["metric"] == PLT.name].iterrows():
        found.setdefault((row["workload"], float(row["bandwidth_mbps"])), {})[row["stack"]] = summary_of(row)
    return found


def versions_table(data: BookData | None = None) -> HTML:
    """QUIC's page load times of one browser by version, ms."""
    found = by_stack(data or book_data.load(), VERSIONS)
    if not found:
        return HTML(style.NOTHING_YET)
    heads = ["page", "Mbit/s", "64: Q037", "64: Q039", "92: Q043", "92: draft 29", "92: version 1"]
    rows = [
        [_page(page), f"{mbps:g}", *(_mean(own, stack) for stack in (*OLD, *NEW))]
        for (page, mbps), own in _ordered(found)
    ]
    return HTML(html_table(heads, rows))


def _ordered(found: Versions) -> list[tuple[tuple[str, float], dict[str, Summary]]]:
    """By bandwidth, number of objects and size."""

    def place(item: tuple[tuple[str, float], dict[str, Summary]]) -> tuple[float, int, int]:
        (workload, mbps), _ = item
        size, count = workload.split("-x")
        return mbps, int(count), int(size.removesuffix("kb"))

    return sorted(found.items(), key=place)


def _page(workload: str) -> str:
    size, count = workload.split("-x")
    return f"{size.removesuffix('kb')} KB" + (f" {style.TIMES} {count}" if count != "1" else "")


def _mean(own: dict[str, Summary], stack: str) -> str:
    one = own.get(stack)
    return style.DASH if one is None else " ".join(style.mean_sd(one.mean, one.sd, 1))
