"""Connections as a capture beside the server has them: from the first packet to the last, packets and bytes each way.

What the link loses on the way up is not there, what it loses on the way down is. Halme 2021 measures connections so.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.probe.capture import fields

if TYPE_CHECKING:
    import pandas as pd

NAMES = ("frame.time_epoch", "frame.len", "tcp.srcport", "tcp.dstport", "udp.srcport", "udp.dstport")
WHICH = ("arm", "index", "attempt")
COUNTED = ("duration_ms", "packets_up", "packets_down", "bytes_up", "bytes_down")


@dataclass(frozen=True)
class LoadConnection:
    """A load that had a connection of its own."""

    arm: str
    index: int
    attempt: int
    began_s: float
    """Unix time, before its first packet."""
    protocol: str
    client_port: int


@dataclass(frozen=True)
class CapturedPacket:
    """One frame with a packet of TCP or UDP."""

    time_s: float
    """Unix time."""
    size: int
    """Bytes of the Ethernet frame."""
    protocol: str
    client_port: int
    up: bool
    """Towards the server."""


def read_packets(pcap: Path, ports: Container[int]) -> Iterator[CapturedPacket]:
    """The packets of a capture from or to a server's port; `ports`: those of servers."""
    for at, size, *of_tcp, udp_source, udp_target in fields(pcap, NAMES):
        protocol = "tcp" if of_tcp[0] else "quic"
        source, target = of_tcp if of_tcp[0] else (udp_source, udp_target)
        if not source or (int(source) in ports) == (int(target) in ports):
            continue
        up = int(target) in ports
        yield CapturedPacket(float(at), int(size), protocol, int(source if up else target), up)


def connections(packets: Iterable[CapturedPacket], loads: Sequence[LoadConnection]) -> pd.DataFrame:
    """One row per load whose connection is in the capture: WHICH and COUNTED, durations in ms.

    A port that was used again belongs to each load from when that load began.
    """
    import pandas as pd

    of_port: dict[tuple[str, int], list[LoadConnection]] = {}
    for load in sorted(loads, key=lambda one: one.began_s):
        of_port.setdefault((load.protocol, load.client_port), []).append(load)
    own: dict[LoadConnection, _Count] = {}
    for packet in packets:
        begun = [one for one in of_port.get((packet.protocol, packet.client_port), ()) if one.began_s <= packet.time_s]
        if begun:
            own.setdefault(begun[-1], _Count()).add(packet)
    rows = [(load.arm, load.index, load.attempt, *own[load].told()) for load in loads if load in own]
    return pd.DataFrame(rows, columns=[*WHICH, *COUNTED])


@dataclass
class _Count:
    """Of one connection: a file of 2 GB is millions of packets, and none is kept."""

    first_s: float = math.inf
    last_s: float = -math.inf
    packets: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    size: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    """Both by `CapturedPacket.up`."""

    def add(self, packet: CapturedPacket) -> None:
        self.first_s, self.last_s = min(self.first_s, packet.time_s), max(self.last_s, packet.time_s)
        self.packets[packet.up] += 1
        self.size[packet.up] += packet.size

    def told(self) -> tuple[float, int, int, int, int]:
        """COUNTED."""
        duration_ms = round((self.last_s - self.first_s) * 1e3, 3)
        return duration_ms, self.packets[True], self.packets[False], self.size[True], self.size[False]
