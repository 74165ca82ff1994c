"""Halme 2021: tables 2 to 5 (downloads of 1 MB), what its text says in numbers, its scenarios (table 1).

Its tables print the least, mean and greatest of ten downloads and no standard deviation, so that no test can be made of
them: they are no `PublishedCell`s.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError
from longlook.plan.cell import Cell
from longlook.plan.conditions import ARM, PLACE, Row, rows_of
from longlook.published.files import rows

STUDY = "halme2021"
COMMON = {"stack": STUDY, "handshake": "1rtt"}
ARMS: dict[str, dict[str, Any]] = {
    "aioquic": {"protocol": "quic", "server": "aioquic", "client": "aioquic", "cca": "reno"},
    "lsquic": {"protocol": "quic", "server": "lsquic", "client": "lsquic", "cca": "bbr"},
    "ngtcp2": {"protocol": "quic", "server": "ngtcp2", "client": "ngtcp2"},
    "tcp": {"protocol": "tcp", "server": "aiohttp", "client": "aiohttp"},
}
"""What stands here for the thesis's implementations, by its names. It states no controllers: these are their own
(LSQUIC takes BBR where the RTT is above 1.5 ms)."""
BESIDE_TCP = {
    "finished_s": ("time_increase_pct", "time_ratio_to_solo"),
    "connect_ms": ("handshake_ratio_to_solo",),
}
"""Of scenario 3: metric, and how the text's numbers of it are called."""
QUEUE_PACKETS = 1000
"""What "buffer 0" is taken for: Mininet's default, which is netem's."""


@dataclass(frozen=True)
class PrintedTimes:
    """One implementation in one table: times of a connection from its first packet to its last, s."""

    time_min_s: float
    time_avg_s: float
    time_max_s: float
    handshake_s: float
    """Mean; by qlog (aioquic, ngtcp2) or by capture (LSQUIC, TCP), which has a packet more."""
    packets: float
    """Mean, both ways together."""
    client_share_pct: float
    """Of the packets."""
    n: int


@dataclass(frozen=True)
class PrintedTable:
    """Tables 2 to 5, by implementation."""

    table: str
    cell: Cell
    """As the thesis's text describes it. Its key tells which measured cells are the same."""
    printed: Mapping[str, PrintedTimes]
    where: str = ""
    """File and first line, for messages."""


@dataclass(frozen=True)
class Remark:
    """A number in its text."""

    scenario: str
    implementation: str
    compared_with: str
    metric: str
    """With its unit: `handshake_ms`, `time_increase_pct`."""
    statistic: str
    value: float
    basis: str
    """`printed`, or `derived by us`."""
    source: str
    note: str
    conditions: Mapping[str, str]
    """Those stated of `delay_ms` (one way), `loss_pct` (each way), `bandwidth_mbps`, `size_bytes`,
    `run_in_parallel_with`."""


def tables(folder: Path | None = None) -> list[PrintedTable]:
    """Tables 2 to 5, in their order."""
    found: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for where, row in rows(STUDY, "tables.csv", folder):
        found.setdefault(row.get("table", ""), []).append((where, row))
    return [_table(name, lines) for name, lines in found.items()]


def _table(name: str, lines: list[tuple[str, dict[str, str]]]) -> PrintedTable:
    where, first = lines[0]
    names = [row.get("implementation", "") for _, row in lines]
    try:
        cell = Cell.parse(
            {
                "study": STUDY,
                "series": f"table-{name}",
                "experiment": "download",
                "arms": [COMMON | ARMS[one] | {"name": one} for one in names],
                "workload": {"kind": "download", "size_kb": int(first["object_size_kb"])},
                "link": {
                    "bandwidth_mbps": float(first["bandwidth_mbps"]),
                    "rtt_ms": 2 * float(first["delay_ms"]),
                    "loss_pct": 2 * float(first["loss_pct"]),
                    "queue_packets": QUEUE_PACKETS,
                },
                "loads": int(first["runs"]),
            }
        )
        return PrintedTable(name, cell, {row["implementation"]: _printed(row) for _, row in lines}, where)
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None


def _printed(row: Mapping[str, str]) -> PrintedTimes:
    times = {f"time_{one}_s": float(row[f"time_{one}_s"]) for one in ("min", "avg", "max")}
    return PrintedTimes(
        **times,
        handshake_s=float(row["handshake_s"]),
        packets=float(row["packets_avg"]),
        client_share_pct=float(row["client_share_pct"]),
        n=int(row["runs"]),
    )


def remarks(folder: Path | None = None) -> list[Remark]:
    """Numbers of its text, in its order."""
    return [_remark(where, row) for where, row in rows(STUDY, "text.csv", folder)]


def _remark(where: str, row: dict[str, str]) -> Remark:
    stated = ("delay_ms", "loss_pct", "bandwidth_mbps", "size_bytes", "run_in_parallel_with")
    kept = ("scenario", "implementation", "compared_with", "metric", "statistic", "basis", "source", "note")
    try:
        conditions = {name: row[name] for name in stated if row[name]}
        return Remark(**{name: row[name] for name in kept}, value=float(row["value"]), conditions=conditions)
    except (KeyError, ValueError) as error:
        raise LonglookError(f"{where}: {error}") from None


def scenarios(folder: Path | None = None) -> list[dict[str, str]]:
    """Table 1 as it is printed; several values of a column are separated by blanks."""
    return [row for _, row in rows(STUDY, "scenarios.csv", folder)]


def means(folder: Path | None = None) -> list[Row]:
    """Means of tables 2 to 5, and what the text says of scenario 3 in times of what each takes alone, as rows of
    `arms`; `least` and `most` where it says between which two numbers something lies."""
    found = [
        {**row, "metric": metric, "unit": unit, "mean": mean, "sd": None, "n": own.n}
        for one in tables(folder)
        for row in rows_of(one.cell)
        for own in (one.printed[row["arm"]],)
        for metric, unit, mean in (
            ("duration_ms", "ms", own.time_avg_s * 1e3),
            ("handshake_ms", "ms", own.handshake_s * 1e3),
            ("packets", "packets", own.packets),
            ("packets_up", "packets", own.packets * own.client_share_pct / 100),
        )
    ]
    return found + list(_beside_tcp(remarks(folder)))


def _beside_tcp(said: list[Remark]) -> Iterator[Row]:
    """Scenario 3, in times of once: what each takes alone."""
    same = dict.fromkeys((*PLACE, *ARM)) | {"rtt_ms": 100.0, "loss_pct": 0.0, "unit": "times", "sd": None, "n": 10}
    for arm, label in (("aioquic", "aioquic vs TCP"), ("lsquic", "LSQUIC vs TCP"), ("ngtcp2", "ngtcp2 vs TCP")):
        for (own, other), (metric, spelled) in product(((arm, "tcp"), ("tcp", arm)), BESIDE_TCP.items()):
            ends = [_times(one) for one in said if one.metric in spelled and _is_of(one, own, other)]
            ranged = {"least": min(ends), "most": max(ends)} if len(ends) > 1 else {}
            if ends:
                beside = {"series": "parallel", "label": label, "metric": metric, "mean": sum(ends) / len(ends)}
                yield same | beside | {"arm": own} | ranged
    for arm, metric in product(ARMS, ("ttlb_ms", "connect_ms")):
        yield same | {"series": "not-printed", "arm": arm, "metric": metric, "mean": 1.0}


def _times(remark: Remark) -> float:
    return 1 + remark.value / 100 if remark.metric.endswith("_pct") else remark.value


def _is_of(remark: Remark, own: str, other: str) -> bool:
    beside = remark.conditions.get("run_in_parallel_with", "").split(" or ")
    return remark.implementation == own and other in beside
