"""What the sources of a timeline say against themselves, each other, the link and the throughput beside it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from longlook.experiment.reading import SEEN
from longlook.plan.cell import Cell
from longlook.probe.throughput import BIN_S

if TYPE_CHECKING:
    import pandas as pd

TELLS = {
    "tcp_probe": ("cwnd_bytes", "bytes_in_flight", "rtt_ms", "lost"),
    "capture": ("bytes_in_flight", "lost", "spurious"),
    "rtt_parts": ("rtt_ms", "down_ms", "hold_ms", "up_ms", "told_ms"),
    "acks": ("acked_bytes",),
    "flow_control": ("allowed_bytes",),
}
"""What each row of a source has; of a server's own account (any other source) what its first row has, all have."""
COMES_AND_GOES = ("ssthresh_bytes",)
"""Infinite, which is a gap, whenever a controller forgets it."""


def gaps(lines: pd.DataFrame) -> Iterator[str]:
    """Numbers that a source of a flow tells in some rows and not in a later one, or not at all."""
    for (flow, source), own in lines.groupby(["flow", "source"], sort=False):
        for name in SEEN:
            there = own[name].notna().to_numpy()
            first = int(there.argmax()) if there.any() else len(there)
            if name in TELLS.get(source, ()):
                first = 0
            if name not in COMES_AND_GOES and not there[first:].all():
                yield f"{flow}: a row of its {source} lacks {name}"


PHASES = {"slow_start", "congestion_avoidance", "recovery"}
HIGHEST = ("lost", "spurious", "acked_bytes")
"""What only grows."""
IDLE = {"rtt_parts": 1.3, "capture": 1.7, "tcp_probe": 1.5}
"""Times the link's round trip: the shortest one of sources that are read from packets, but for what a client holds."""
HELD_MS = 25.0
FLIGHT, BEYOND = 0.45, 2.6
"""Largest number of bytes in flight, in largest windows: a window grows only where it is used."""
ACKED = (0.85, 1.0)
"""Bytes that the client acknowledged, of the frames that it got."""


def contradictions(cell: Cell, lines: pd.DataFrame, bins: pd.DataFrame) -> Iterator[str]:
    """Of a transfer that counts."""
    yield from gaps(lines)
    for (flow, source), own in lines.groupby(["flow", "source"], sort=False):
        where = f"{flow}: its {source}"
        if not own["time_s"].is_monotonic_increasing:
            yield f"{where} goes back in time"
        for name in HIGHEST:
            if not own[name].dropna().is_monotonic_increasing:
                yield f"{where} has less {name} than before"
        if strange := {*own["phase"].dropna()} - PHASES:
            yield f"{where} knows a phase {sorted(strange)[0][:40]!r}"
        if source == "rtt_parts":
            apart = (own["down_ms"] + own["hold_ms"] + own["up_ms"] - own["rtt_ms"]).abs().max()
            if apart > 0.01:
                yield f"{where} has parts of a round trip that miss it by {apart:.2f} ms"
        alone = len(cell.arms) == 1 or source != "tcp_probe"  # the kernel's is smoothed: others' queues stay in it
        if source in IDLE and alone and not cell.link.swing_ms:
            least = own["rtt_ms"].min()
            if not 0.98 * cell.link.rtt_ms <= least <= IDLE[source] * cell.link.rtt_ms + HELD_MS:
                yield f"{where} has a shortest round trip of {least:.1f} ms, over a link of {cell.link.rtt_ms:g} ms"
    for flow, own in lines.groupby("flow", sort=False):
        yield from _windows(str(flow), own)
        yield from _bytes(cell, str(flow), own, bins[bins["flow"] == flow])


def _windows(flow: str, own: pd.DataFrame) -> Iterator[str]:
    windows, flight = own["cwnd_bytes"].dropna(), own["bytes_in_flight"].dropna()
    if len(windows) and len(flight) and windows.max() > 2 * windows.iloc[0]:
        share = flight.max() / windows.max()
        if not FLIGHT <= share <= BEYOND:
            yield f"{flow}: at most {flight.max():.0f} bytes were in flight, in windows of up to {windows.max():.0f}"


def _bytes(cell: Cell, flow: str, own: pd.DataFrame, bins: pd.DataFrame) -> Iterator[str]:
    acked, arrived = own["acked_bytes"].max(), float(bins["bytes"].sum())
    last = cell.link.bandwidth_mbps * 1e6 / 8 * BIN_S  # the last part of a bin is in none
    if acked == acked and not ACKED[0] * arrived <= acked <= ACKED[1] * arrived + last:
        yield f"{flow}: {arrived:.0f} bytes of frames arrived, and its client acknowledged {acked:.0f}"


def traced(cell: Cell, text: str, lines: pd.DataFrame, bins: pd.DataFrame) -> Iterator[str]:
    """A cell's whole traces against its thinned ones."""
    quic = [arm.name for arm in cell.arms if arm.protocol == "quic"]
    traces = json.loads(text)["traces"]
    if not 0 < len(traces) <= len(quic):
        yield f"{len(traces)} traces of {len(quic)} flows"
        return
    for trace in traces:
        flow = next((name for name in quic if f", {name}: " in trace["description"]), None)
        if flow is None:
            yield "a trace says of no flow of the cell that it is its"
            return
        yield from _trace(flow, trace["events"], lines[lines["flow"] == flow], bins[bins["flow"] == flow])


def _trace(flow: str, events: list[Mapping[str, Any]], own: pd.DataFrame, bins: pd.DataFrame) -> Iterator[str]:
    moments = [float(one["time"]) for one in events]
    if moments != sorted(moments) or not moments or moments[0] < -1e3 or not moments[-1] < 1e9:
        yield f"{flow}: its trace goes back in time, or beyond it"
    sent = sum(one["data"]["raw"]["length"] for one in events if one["name"] == "transport:packet_sent")
    lost = sum(one["name"] == "recovery:packet_lost" for one in events)
    windows = [one["data"]["congestion_window"] for one in events if "congestion_window" in one["data"]]
    arrived, declared, largest = float(bins["bytes"].sum()), own["lost"].max(), own["cwnd_bytes"].max()
    if not 0.9 * arrived <= sent <= 2 * arrived:
        yield f"{flow}: its trace has {sent} bytes sent, {arrived:.0f} arrived"
    if declared == declared and abs(lost - declared) > 5 + 0.1 * declared:
        yield f"{flow}: its trace has {lost} packets lost, its timeline {declared:.0f}"
    if windows and largest == largest and abs(max(windows) / largest - 1) > 0.1:
        yield f"{flow}: its trace has windows of up to {max(windows):.0f} bytes, its timeline of {largest:.0f}"
