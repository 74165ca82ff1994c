"""What the probes saw of one flow, as rows of a cell's timeline."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.experiment.flow import Flow
from longlook.probe import acknowledged, allowance, quic_packets, rtt_parts
from longlook.probe.thin import thin

if TYPE_CHECKING:
    import pandas as pd

TIMELINE_BINS = 600
SERIES = [
    "cwnd_bytes",
    "ssthresh_bytes",
    "bytes_in_flight",
    "rtt_ms",
    "lost",
    "spurious",
    "down_ms",
    "hold_ms",
    "up_ms",
    "told_ms",
    "acked_bytes",
    "allowed_bytes",
]
EXTREMES = ("cwnd_bytes", "bytes_in_flight", "down_ms", "hold_ms", "allowed_bytes")
TIMELINE_COLUMNS = ["flow", "source", "time_s", *SERIES, "phase"]


def timeline(flow: Flow, scratch: Path, traced: pd.DataFrame | None, began: float, ended: float) -> pd.DataFrame:
    """Columns TIMELINE_COLUMNS, thinned; times from the start, s. `traced`: the kernel's account of TCP."""
    import pandas as pd

    parts = _of_tcp(flow, scratch, traced) if flow.arm.protocol == "tcp" else _of_quic(flow, scratch)
    found = []
    for source, part in parts:
        part = part.rename(columns={"smoothed_rtt_ms": "rtt_ms", "latest_rtt_ms": "rtt_ms"}).assign(source=source)
        part = part[(part["time_s"] >= began) & (part["time_s"] <= ended)].reindex(columns=TIMELINE_COLUMNS)
        part = thin(part.assign(flow=flow.name, time_s=(part["time_s"] - began).round(6)), EXTREMES, TIMELINE_BINS)
        found.append(part.astype(dict.fromkeys(SERIES, "float64")))
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=TIMELINE_COLUMNS)


def _of_tcp(flow: Flow, scratch: Path, traced: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    yield "tcp_probe", traced[traced["port"] == flow.port].rename(columns={"retransmissions": "lost"})
    yield "acks", acknowledged.of_tcp(acknowledged.segments(scratch / "client.pcap", flow.port))


def _of_quic(flow: Flow, scratch: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """(source, what it saw): the server's own account, and what the captures at both ends tell where there are keys."""
    flow.own = flow.server.congestion()
    if flow.own is not None:
        yield flow.server.name, flow.own
    if flow.keys.exists():
        packets = flow.packets = list(quic_packets.read_packets(scratch / "server.pcap", flow.keys, flow.port))
        yield "capture", quic_packets.follow(packets)
        at_client = rtt_parts.seen_at_client(scratch / "client.pcap", flow.port)
        yield "rtt_parts", rtt_parts.split(packets, at_client)
        yield "acks", acknowledged.of_quic(packets, at_client)
        if (limits := allowance.first_limits(scratch / "server.pcap", flow.port)) is not None:
            yield "flow_control", allowance.follow(packets, limits)
        flow.responses_ms = rtt_parts.response_times_ms(packets)


def counts(table: pd.DataFrame, flow: Flow) -> dict[str, float | int | None]:
    """Packets declared lost and those of them needlessly, and the server's response times, where a probe could tell."""
    own = table[table["flow"] == flow.name]
    times = sorted(flow.responses_ms)
    found: dict[str, float | int | None] = (
        {"response_ms_median": round(times[len(times) // 2], 3), "response_ms_max": round(times[-1], 3)}
        if times
        else {}
    )
    for name in ("lost", "spurious"):
        highest = own[name].max()
        found[name] = None if math.isnan(highest) else int(highest)
    return found
