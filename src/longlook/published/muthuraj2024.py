"""Muthuraj 2024: tables B.1 to B.16 (page load times), tables 4.1 and 4.2 (shares of a bottleneck), known slips."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from longlook import paths
from longlook.errors import LonglookError
from longlook.plan.cell import Cell
from longlook.published.cells import PublishedCell, PublishedMean, Slip
from longlook.published.files import rows

STUDY = "muthuraj2024"
SERVERS = {"quicv1": {"quic": "envoy", "tcp": "apache"}, "gquic37": {"quic": "gquicd", "tcp": "apache"}}
"""What stands here for the thesis's servers; the client is Chromium."""
FAIRNESS_LINK = {"bandwidth_mbps": 5, "rtt_ms": 36, "queue_bytes": 30720}
FAIRNESS_S = 60
FAIRNESS_OBJECT_KB = 50_000
"""Larger than a minute's worth: the thesis does not say what was transferred."""


def _arm(stack: str, protocol: str, cca: str, emulated: int) -> dict[str, Any]:
    return {
        "stack": stack,
        "protocol": protocol,
        "server": SERVERS[stack][protocol],
        "client": "chromium",
        "cca": cca,
        "emulated_connections": emulated if protocol == "quic" and cca == "cubic" else None,
    }


def page_load_times(folder: Path | None = None) -> list[PublishedCell]:
    """Every row of tables B.1 to B.16, in their order; arms `quic` and `tcp`, PLT in ms."""
    return list(_pages(folder or paths.PUBLISHED))


@cache
def _pages(folder: Path) -> tuple[PublishedCell, ...]:
    return tuple(_page(where, row) for where, row in rows(STUDY, "appendix_b.csv", folder))


def _page(where: str, row: dict[str, str]) -> PublishedCell:
    try:
        cell = Cell.parse(
            {
                "study": STUDY,
                "series": row["figure"],
                "experiment": "plt",
                "arms": [
                    _arm(row["stack"], protocol, row["cca"], int(row["emulated_connections"]))
                    for protocol in ("quic", "tcp")
                ],
                "workload": {"size_kb": int(row["object_size_kb"]), "count": int(row["object_count"])},
                "link": {key: float(row[key]) for key in ("bandwidth_mbps", "rtt_ms", "loss_pct", "jitter_ms")},
                "loads": int(row["runs"]),
            }
        )
        arms = {
            name: PublishedMean(float(row[f"{name}_mean_ms"]), float(row[f"{name}_std_ms"]), int(row["runs"]))
            for name in cell.arm_names
        }
        return PublishedCell(row["table"], cell, "plt_ms", arms, row["printed_pct_diff"], where)
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None


def shares(folder: Path | None = None) -> list[PublishedCell]:
    """Every scenario of tables 4.1 and 4.2, in their order; one arm per flow, rates in Mbit/s."""
    found: dict[tuple[str, str], list[tuple[str, dict[str, str]]]] = {}
    for where, row in rows(STUDY, "fairness.csv", folder):
        found.setdefault((row["table"], row["scenario"]), []).append((where, row))
    return [_scenario(table, scenario, flows) for (table, scenario), flows in found.items()]


def _scenario(table: str, scenario: str, flows: list[tuple[str, dict[str, str]]]) -> PublishedCell:
    try:
        cell = Cell.parse(
            {
                "study": STUDY,
                "series": f"table-{table}",
                "label": scenario,
                "experiment": "fairness",
                "mode": "together",
                "arms": [_arm("quicv1", row["protocol"], row["cca"], 2) for _, row in flows],
                "workload": {"size_kb": FAIRNESS_OBJECT_KB},
                "link": FAIRNESS_LINK,
                "duration_s": FAIRNESS_S,
                "loads": 1,
            }
        )
        means = [PublishedMean(float(row["mean_mbps"]), float(row["std_mbps"]), int(row["runs"])) for _, row in flows]
        return PublishedCell(table, cell, "mean_mbps", dict(zip(cell.arm_names, means, strict=True)), where=flows[0][0])
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{flows[0][0]}: {error}") from None


def slips(folder: Path | None = None) -> list[Slip]:
    """Known contradictions within the thesis."""
    return [Slip(**row) for _, row in rows(STUDY, "known_slips.csv", folder)]
