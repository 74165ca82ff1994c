"""Baxter and Simmons 2018: page load times of a poster and of a report, computed from their public samples.

Its text says little of the conditions; its repository has them, and `BASE_RTT_MS` follows from the numbers. A condition
that cannot be set here as it was there is no cell (`_is_other_here`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from longlook.errors import LonglookError
from longlook.plan.cell import Cell
from longlook.published.cells import PublishedCell, PublishedMean
from longlook.published.files import rows

STUDY = "baxter2018"
QUIC, NEW, WARM = "quic", "tcp new", "tcp warm"
ARMS: tuple[dict[str, Any], ...] = (
    {"name": QUIC, "protocol": "quic", "server": "gquicd", "emulated_connections": 2},
    {"name": NEW, "protocol": "tcp", "server": "nginx"},
    {"name": WARM, "protocol": "tcp", "server": "nginx", "handshake": "warm"},
)
"""What stands here for its two browsers. Their TCP is held to the arm whose connections are new: their script closes
them before each load."""
BY_PROTOCOL = {"gquic": QUIC, "h2-tls1.2-tcp": NEW}
METRIC = "plt_by_stamps_ms"
"""Their stopwatch: from the browser's first `Network.requestWillBeSent` to its `Page.loadEventFired`. Browsers of that
age stamp the page's own request when its answer is there, so that the round trips before it are not counted."""
PLACES = {"local": "local", "ec2": "vlan", "ec2-east1": "vlan", "ec2-west1": "west"}
"""Where the client was -> what it is called here: in Victoria, in the server's own network, in another region."""
BASE_RTT_MS = {"local": 87.0, "vlan": 0.8, "west": 75.0}
"""Deduced. A page of five images takes QUIC two round trips: its baseline in Victoria is 173 ms above that in the
server's network. In the other region TCP takes four of it and of 40 ms. `vlan`: below 1 ms there. Not less here: over a
link without any delay the handshake of a 0-RTT load is often over before the browser has sent its request, which is
then none."""
QUEUES = ((102_400, 200), (1_200_000, 1000), (6_000_000, 4000))
"""Bytes of a page at most -> packets of the queue: any of them holds more than a whole page, as their 10,000 (poster)
and 100,000 (report) do, so that neither is ever full. A longer one only takes longer to calibrate."""
CORRELATION_PCT = 25
"""Of corruption and duplication, which makes them much rarer than they say (tools/linkpipe/README.md). That of their
normal jitter is lost in netem's own table."""
UNCUT_SDS = 4
"""netem's normal delay is cut at 0, by its own mean; here by that of the whole path."""
Condition = tuple[str, ...]
CONDITION = (
    "environment",
    "object_count",
    "size_bytes",
    "bandwidth_mbps",
    "delay_each_way_ms",
    "jitter_each_way_ms",
    "loss_each_way_pct",
    "corrupt_pct",
    "duplicate_pct",
)


def poster(folder: Path | None = None) -> list[PublishedCell]:
    """21 conditions in two places, 100 loads each."""
    return _cells("poster", folder)


def report(folder: Path | None = None) -> list[PublishedCell]:
    """Its conditions in three places, 50 loads each, without the copies of the baseline."""
    return _cells("report", folder)


def _cells(name: str, folder: Path | None) -> list[PublishedCell]:
    found: dict[Condition, list[tuple[str, dict[str, str]]]] = {}
    for where, row in rows(STUDY, f"{name}.csv", folder):
        if row["repeat_of_baseline"] == "0":
            found.setdefault(tuple(row[one] for one in CONDITION), []).append((where, row))
    return [_published(name, lines) for lines in found.values() if not _is_other_here(lines[0][1])]


def _is_other_here(row: Mapping[str, str]) -> bool:
    """Whether a delay was cut at 0 below the path's own, which no single emulator between two hosts does."""
    cut = UNCUT_SDS * float(row["jitter_each_way_ms"]) > float(row["delay_each_way_ms"])
    return cut and PLACES[row["environment"]] != "vlan"


def _published(name: str, lines: list[tuple[str, dict[str, str]]]) -> PublishedCell:
    where, first = lines[0]
    series = f"{name}-{PLACES[first['environment']]}"
    try:
        cell = Cell.parse(
            {
                "study": STUDY,
                "series": series,
                "experiment": "plt",
                "arms": [{"stack": STUDY, "client": "chromium"} | arm for arm in ARMS],
                "workload": {"size_bytes": int(first["size_bytes"]), "count": int(first["object_count"])},
                "link": _link(first),
                "loads": int(first["n"]),
            }
        )
        return PublishedCell(series, cell, METRIC, _means(lines), where=where)
    except (KeyError, ValueError, StopIteration) as error:
        raise LonglookError(f"{where}: {error!r}") from None


def _link(row: Mapping[str, str]) -> dict[str, Any]:
    """Their loss, delay and jitter act on each direction."""
    page = int(row["size_bytes"]) * int(row["object_count"])
    loss, jitter = float(row["loss_each_way_pct"]), float(row["jitter_each_way_ms"])
    link: dict[str, Any] = {
        "bandwidth_mbps": float(row["bandwidth_mbps"]),
        "rtt_ms": BASE_RTT_MS[PLACES[row["environment"]]] + 2 * float(row["delay_each_way_ms"]),
        "queue_packets": next(packets for most, packets in QUEUES if page <= most),
    }
    if jitter:
        link["jitter_sd_ms"] = jitter
    if loss and row["loss_model"].startswith("netem gemodel"):
        states = {"p_pct": loss, "r_pct": 100 - loss, "one_minus_h_pct": 100, "one_minus_k_pct": 0}
        link |= {f"gemodel_{name}": value for name, value in states.items()}
    elif loss:
        link["loss_pct"] = 2 * loss
    for fate in ("corrupt", "duplicate"):
        if share := float(row[f"{fate}_pct"]):
            link |= {f"{fate}_pct": share, f"{fate}_correlation_pct": CORRELATION_PCT}
    return link


def _means(lines: list[tuple[str, dict[str, str]]]) -> dict[str, PublishedMean]:
    told: dict[str, dict[str, float]] = {}
    sizes = {}
    for _, row in lines:
        arm = BY_PROTOCOL[row["protocol"]]
        told.setdefault(arm, {})[row["statistic"]] = float(row["value"])
        sizes[arm] = int(row["n"])
    return {arm: PublishedMean(own["mean"], own["sd_sample"], sizes[arm], own["median"]) for arm, own in told.items()}


def slopes(folder: Path | None = None) -> Iterator[dict[str, str]]:
    """How many ms of page load time each further ms of round trip costs, by place and protocol, as derived from
    both."""
    return (row for _, row in rows(STUDY, "slopes.csv", folder))
