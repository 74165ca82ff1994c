r"""The floor model: the least PLT that physics and the protocol allow for a cell, ms.

No measurement of a correct load on a correct link can have a mean below it, so a mean that does tells of a
broken link, cache, clock or definition. It is a bound and not a prediction: wherever a real stack may do
better than a textbook, the model gives it the benefit. The parts are

1. *handshake*: round trips before the page's request may leave. TCP needs one (RFC 9293, 3.5) and TLS 1.3
   one more (RFC 8446, 2); TLS 1.2 with False Start or a resumed session also one more (RFC 7918, RFC 5246).
   QUIC needs one (RFC 9001, 4.1) and with 0-RTT none (RFC 8446, 2.3; RFC 9001, 4.6; thesis 2.1.1).
2. *requests*: one round trip for the first byte of the page, one for the first byte of an image: the browser
   learns of the images from the page (thesis 3.3).
3. *serialisation*: the images' bytes and the headers of the fewest, largest packets at the bandwidth of the
   link. Header, TLS-record and HTTP framing bytes that could be absent are not counted.
4. *slow start*: what that takes longer because the server may not send at line rate at first. Let the images'
   first byte be sendable at T0, W the window by then, and g the growth of the window per round trip.
   Whatever is acknowledged before T0 + R was sent before T0, so before T0 + (k-1) R at most
   D(k) = W (1 + g + ... + g^(k-2)) image bytes can have left; the others still have to be serialised:
   transfer >= max over k of (k-1) R + serialise(bytes - D(k)).

What makes it a true bound: W counts not only the initial window (10 segments for TCP: RFC 6928; 32 packets
for Google's QUIC: `kInitialCongestionWindow`) but also that every packet of handshake and page was acknowledged and
let the window grow before the images (slow start grows by what is acknowledged: RFC 5681, 3.1; RFC 9002,
7.3.1); pacing, HyStart, delayed acknowledgements, flow control, loss, request bytes and all browser time
are left out, they only add. TCP's g is 2. Google's QUIC adds a whole 1460 bytes for each acknowledged
packet whatever its size (`TcpCubicSenderBytes::MaybeIncreaseCwnd`), so its g is above 2 by the ratio of
1460 to the size of its packets. Loss cannot lower the floor. Jitter can: it may take up to `jitter_ms`
off a round trip (half of it in each direction), so the floor uses the shortest round trip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from longlook.scenario import Cell, Protocol, Workload

BITS_PER_BYTE = 8
MTU_BYTES = 1500
CREDIT_BYTES = 1460
"""What one acknowledged packet adds to the window at most: TCP's largest segment, QUIC's `kDefaultTCPMSS`."""
CONTROL_PACKETS = 8
"""Most packets a server has acknowledged before the images besides the page: TLS flight, tickets, settings, headers."""
REQUEST_ROUNDS = 2


@dataclass(frozen=True)
class Transport:
    """What of a protocol the floor depends on."""

    handshake_rounds: int
    initial_window_packets: int
    payload_bytes: int
    """Most image bytes in one packet of `MTU_BYTES`."""
    overshoot_packets: int
    """Packets that may leave beyond the window."""


TCP = Transport(
    handshake_rounds=2,
    initial_window_packets=10,
    payload_bytes=MTU_BYTES - 20 - 20,  # IPv4 and TCP headers without options
    overshoot_packets=0,
)
QUIC_0RTT = Transport(
    handshake_rounds=0,
    initial_window_packets=32,
    # The least headers of either version: IPv4 20, UDP 8, flags and packet number 2 (RFC 9000, 17.3.1), AEAD
    # tag 12 (gQUIC; 16 in RFC 9001, 5.3), STREAM frame type and stream id 2 (RFC 9000, 19.8).
    payload_bytes=MTU_BYTES - 20 - 8 - 2 - 12 - 2,
    overshoot_packets=1,  # it sends while the bytes in flight are below the window, so the last packet may exceed it
)
QUIC_1RTT = Transport(
    handshake_rounds=1,
    initial_window_packets=QUIC_0RTT.initial_window_packets,
    payload_bytes=QUIC_0RTT.payload_bytes,
    overshoot_packets=QUIC_0RTT.overshoot_packets,
)


@dataclass(frozen=True)
class Floor:
    """The parts of the floor, ms; `slow_start_ms` is what slow start adds to the bare serialisation."""

    handshake_ms: float
    requests_ms: float
    slow_start_ms: float
    serialisation_ms: float

    @property
    def total_ms(self) -> float:
        return self.handshake_ms + self.requests_ms + self.slow_start_ms + self.serialisation_ms


def transport_of(protocol: Protocol, zero_rtt: bool = True) -> Transport:
    """Parameters of `tcp`, or of `quic` with or without 0-RTT."""
    if protocol == "tcp":
        return TCP
    if protocol == "quic":
        return QUIC_0RTT if zero_rtt else QUIC_1RTT
    raise ValueError(f"protocol {protocol!r} is not one of quic, tcp")


def floor(cell: Cell, protocol: Protocol, *, zero_rtt: bool = True, initial_window_packets: int | None = None) -> Floor:
    """The floor of one protocol in a cell. `zero_rtt=False` is for QUIC's cold loads (TCP ignores it)."""
    transport = transport_of(protocol, zero_rtt)
    round_ms = max(cell.link.rtt_ms - cell.link.jitter_ms, 0.0)
    total_bytes = cell.workload.object_bytes * cell.workload.count
    packets_per_ms = cell.link.bandwidth_mbps * 1e3 / BITS_PER_BYTE / MTU_BYTES

    def serialise_ms(image_bytes: float) -> float:
        return image_bytes / transport.payload_bytes / packets_per_ms

    own = cell.tcp_initial_window if protocol == "tcp" else None
    window = _window_at_images(
        transport, cell.workload, initial_window_packets or own or transport.initial_window_packets
    )
    growth = _growth(protocol, cell.workload)
    transfer_ms = serialise_ms(total_bytes)
    sendable, rounds = window, 1
    while sendable < total_bytes:
        transfer_ms = max(transfer_ms, rounds * round_ms + serialise_ms(total_bytes - sendable))
        window *= growth
        sendable += window
        rounds += 1
    serialisation_ms = serialise_ms(total_bytes)
    return Floor(
        handshake_ms=transport.handshake_rounds * round_ms,
        requests_ms=REQUEST_ROUNDS * round_ms,
        slow_start_ms=transfer_ms - serialisation_ms,
        serialisation_ms=serialisation_ms,
    )


def most_page_bytes(count: int) -> int:
    """More than any page that references `count` images has, with its response headers."""
    return 1024 + 128 * count


def _window_at_images(transport: Transport, workload: Workload, initial_packets: int) -> float:
    """Most image bytes that can leave before the first image byte is acknowledged."""
    page_packets = math.ceil(most_page_bytes(workload.count) / 1000)  # 1000: the smallest full packets in use
    packets = initial_packets + CONTROL_PACKETS + page_packets + transport.overshoot_packets
    return float(packets * CREDIT_BYTES)


def _growth(protocol: Protocol, workload: Workload) -> float:
    """Window after a round trip over window before it, at most, while in slow start."""
    if protocol == "tcp":
        return 2.0
    full = 1200 - 48  # payload of the smallest datagrams a QUIC sender fills (RFC 9000, 14) less generous headers
    per_packet = workload.object_bytes / math.ceil(workload.object_bytes / full)  # an object's last packet is smaller
    return 1.0 + CREDIT_BYTES / per_packet
