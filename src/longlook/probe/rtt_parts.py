"""Of what a QUIC sender's RTT samples are made.

They are the way down with the bottleneck's queue, the client's wait before it acknowledges, and the way back. From
captures at both ends, whose clocks are one and the same on one machine. A packet is known again by the beginning of its
ciphertext, which no two packets share.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from longlook.probe.capture import fields
from longlook.probe.quic_packets import PREFIX_HEX, Packet

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ["time_s", "latest_rtt_ms", "down_ms", "hold_ms", "up_ms", "told_ms"]


def seen_at_client(pcap: Path, port: int) -> dict[str, float]:
    """Beginning of each UDP payload from or to a server's port -> Unix time at the client."""
    rows = fields(pcap, ("frame.time_epoch", "udp.payload"), ("-Y", f"udp.port == {port}"))
    return {payload[:PREFIX_HEX]: float(at) for at, payload in rows if payload}


def split(packets: Iterable[Packet], at_client: dict[str, float]) -> pd.DataFrame:
    """One row per RTT sample of the server, columns COLUMNS, ms. Pure.

    A sample is an ACK that newly acknowledges its largest packet. `down_ms`: from the server to the client,
    serialisation and queue included; `hold_ms`: from there until the client sent the ACK; `up_ms`: the ACK's way. They
    add up to the RTT. `told_ms`: the delay that the ACK itself owns up to.
    """
    import pandas as pd

    sent: dict[int, tuple[float, str]] = {}
    rows = []
    for packet in packets:
        if packet.from_server:
            sent[packet.number] = (packet.time_s, packet.prefix)
        elif packet.acked and (found := sent.pop(packet.acked[0][1], None)):
            at, prefix = found
            arrived, left = at_client.get(prefix), at_client.get(packet.prefix)
            if arrived is not None and left is not None:
                parts = (packet.time_s - at, arrived - at, left - arrived, packet.time_s - left)
                rows.append((packet.time_s, *(part * 1e3 for part in parts), packet.ack_delay_ms))
    return pd.DataFrame(rows, columns=COLUMNS)


def response_times_ms(packets: Iterable[Packet]) -> list[float]:
    """Per request stream of HTTP/3 the time until the server answers. Pure.

    From the request's first packet at the server to the first packet of the answer.
    """
    asked: dict[int, float] = {}
    answered: dict[int, float] = {}
    for packet in packets:
        times = answered if packet.from_server else asked
        for stream, _ in packet.streams:
            if stream % 4 == 0:  # opened by the client, both ways (RFC 9000, 2.1)
                times.setdefault(stream, packet.time_s)
    return [(answered[stream] - at) * 1e3 for stream, at in asked.items() if stream in answered]
