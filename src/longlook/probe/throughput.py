"""Throughput of each flow, from the frames that reached the client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.probe.capture import fields

if TYPE_CHECKING:
    import pandas as pd

BIN_S = 0.25
NAMES = ("frame.time_epoch", "frame.len", "tcp.srcport", "udp.srcport")


def frames(pcap: Path) -> Iterable[tuple[float, int, str, int]]:
    """(Unix time, frame bytes, protocol, server port) of each frame from a server."""
    for at, size, tcp, udp in fields(pcap, NAMES):
        if tcp or udp:
            yield float(at), int(size), "tcp" if tcp else "quic", int(tcp or udp)


def binned(
    seen: Iterable[tuple[float, int, str, int]], flows: dict[tuple[str, int], str], began_s: float, until_s: float
) -> pd.DataFrame:
    """Columns flow, time_s (start of a bin, from `began_s`), bytes (Ethernet frames, headers included).

    Every flow has every bin. `flows`: (protocol, server port) -> name.
    """
    import pandas as pd

    count = max(1, round((until_s - began_s) / BIN_S))
    totals = {name: [0] * count for name in flows.values()}
    for at, size, protocol, port in seen:
        index = int((at - began_s) / BIN_S)
        name = flows.get((protocol, port))
        if name is not None and 0 <= index < count and at >= began_s:
            totals[name][index] += size
    return pd.DataFrame(
        [(name, index * BIN_S, total) for name, bins in totals.items() for index, total in enumerate(bins)],
        columns=["flow", "time_s", "bytes"],
    )


def mean_mbps(bins: pd.DataFrame, names: Sequence[str]) -> dict[str, float]:
    """Mean rate of each flow over all bins, Mbit/s of Ethernet frames."""
    seconds = bins["time_s"].nunique() * BIN_S
    totals = bins.groupby("flow")["bytes"].sum()
    return {name: float(totals[name]) * 8 / 1e6 / seconds for name in names}
