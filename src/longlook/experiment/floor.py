r"""The floor model: the least time of a page load or a download that physics and the protocol allow, ms.

No correct load on a correct link can be below it, so one that is tells of a broken link, cache, clock or definition: of
the 89,004 accepted loads and downloads of the reference campaigns (November 2026) six were, each of which used a
connection that was there before and counts no more (`opened.py`); all others are above it by at least half a percent.
It is a bound and not a prediction: wherever a real stack may do better than a
textbook, the model gives it the benefit. The parts are

1. *handshake*: round trips before the page's request may leave. TCP needs one (RFC 9293, 3.5) and TLS 1.3 one more (RFC
   8446, 2); TLS 1.2 with False Start or a resumed session also one more (RFC 7918, RFC 5246); with early data (RFC
   8446, 2.3) TCP's own is all, and on a connection that is kept there is none. QUIC needs one (RFC 9001, 4.1) and with
   0-RTT none (RFC 8446, 2.3; RFC 9001, 4.6; thesis 2.1.1).
2. *requests*: one round trip for the first byte of the page, one for the first byte of an image: the browser learns of
   the images from the page (thesis 3.3). A download has no page: one for the first byte of its files.
3. *serialisation*: the images' (files') bytes and the headers of the fewest, largest packets at the rate of the
   link from the server to the client; what its clients send is left out, whatever their own rate. Header, TLS-record
   and HTTP framing bytes that could be absent are not counted. Of a link with a token bucket only what is beyond a
   full bucket, which passes in no time; of a trace nothing, since it may pass any number of packets at once.
4. *slow start*: what that takes longer because the server may not send at line rate at first. Let the images' first
   byte be sendable at T0, W the window by then, and g the growth of the window per round trip. Whatever is
   acknowledged before T0 + R was sent before T0, so before T0 + (k-1) R at most D(k) = W (1 + g + ... + g^(k-2)) image
   bytes can have left; the others still have to be serialised: transfer >= max over k of (k-1) R + serialise(bytes -
   D(k)).

What makes it a true bound: W counts not only the initial window (10 segments for TCP, RFC 6928, or what the arm's route
is given; 32 packets for QUIC, Google's `kInitialCongestionWindow`, the largest of any server of a stack, or what the
arm's connection options ask for: IW03, IW10, IW20, IW50; without bound where TCP's connection is kept, and over QUIC
to a server by file, which tells none: nginx 1.26 begins with 131,054 bytes) but also that every
packet of handshake and page was acknowledged and let the window grow before the images (slow start grows by what is
acknowledged: RFC 5681, 3.1; RFC 9002, 7.3.1); pacing, HyStart, delayed acknowledgements, flow control, loss, request
bytes and all browser time are left out, they only add. TCP's g is 2. Google's QUIC adds a whole 1460 bytes for each
acknowledged packet whatever its size (`TcpCubicSenderBytes::MaybeIncreaseCwnd`), so its g is above 2 by the ratio of
1460 to the size of its packets. Objects of several sizes count by all their bytes together, in whatever order they are
sent: an object's last packet is its only small one, so that no more packets have left than bytes have left over the
bytes per packet of the object whose packets are the smallest on average, and g is taken from that object. Loss cannot
lower the floor. Jitter can: it may take up to `jitter_ms` off a round trip (half of it in each direction), a normal one
four standard deviations in each direction (`Link.swing_ms`), so the floor uses the shortest round trip.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longlook.client.observation import SeenObject
from longlook.experiment.metrics import PLT, TTLB
from longlook.plan.arm import Arm
from longlook.plan.cell import Cell
from longlook.plan.link import BITS_PER_BYTE, Link
from longlook.plan.quic_options import initial_windows
from longlook.plan.recorded import RecordedSite
from longlook.plan.workload import FILM_KBPS, SEGMENT_S, Download, Page, Video, WebPage, Workload
from longlook.site.webpage import resources

BOUNDED = frozenset({PLT.name, TTLB.name})
"""Metrics that have a floor: the time until everything is there, from the start of the connection."""
MTU_BYTES = 1500
CREDIT_BYTES = 1460
"""What one acknowledged packet adds to the window at most: TCP's largest segment, QUIC's `kDefaultTCPMSS`."""
CONTROL_PACKETS = 8
"""Most packets a server has acknowledged before the images besides the page: TLS flight, tickets, settings, headers."""

PER_FILE = "aiohttp-connections"
"""The client that opens a connection for each file."""


def connections_of(arm: Arm, files: int) -> int:
    """How many connections a load of so many files opens, unless it is to use one that stands."""
    return files if arm.client == PER_FILE else 1


@dataclass(frozen=True)
class Transport:
    """What of an arm's protocol the floor depends on."""

    handshake_rounds: int
    initial_window_packets: float
    """Infinite where a connection may have any window."""
    payload_bytes: int
    """Most image bytes in one packet of `MTU_BYTES`."""
    overshoot_packets: int
    """Packets that may leave beyond the window."""


TCP_PAYLOAD_BYTES = MTU_BYTES - 20 - 20
"""IPv4 and TCP headers without options."""
QUIC_PAYLOAD_BYTES = MTU_BYTES - 20 - 8 - 2 - 12 - 2
"""The least headers of either version: IPv4 20, UDP 8, flags and packet number 2 (RFC 9000, 17.3.1), AEAD tag 12
(gQUIC; 16 in RFC 9001, 5.3), STREAM frame type and stream id 2 (RFC 9000, 19.8)."""
TCP_WINDOW_PACKETS, QUIC_WINDOW_PACKETS = 10, 32


@dataclass(frozen=True)
class Line:
    """How soon bytes can arrive, whatever the window: of films, whose player asks when it likes."""

    first_ms: float
    """Handshake and one request."""
    ms_per_byte: float
    burst_bytes: float
    """That pass in no time."""

    def least_ms(self, objects_bytes: float) -> float:
        return self.first_ms + max(objects_bytes - self.burst_bytes, 0.0) * self.ms_per_byte


@dataclass(frozen=True)
class Floor:
    """The parts of the floor, ms; `slow_start_ms` is what slow start adds to the bare serialisation."""

    handshake_ms: float
    requests_ms: float
    slow_start_ms: float
    serialisation_ms: float
    line: Line

    @property
    def total_ms(self) -> float:
        return self.handshake_ms + self.requests_ms + self.slow_start_ms + self.serialisation_ms


def transport_of(arm: Arm) -> Transport:
    """Round trips, window and packets of an arm."""
    early = arm.may_send_early and arm.handshake in ("0rtt", "resumed")
    if arm.protocol == "tcp":
        new = arm.initial_window or TCP_WINDOW_PACKETS
        return Transport(
            handshake_rounds=0 if arm.keeps_connection else 1 if early else 2,
            initial_window_packets=math.inf if arm.keeps_connection else new,
            payload_bytes=TCP_PAYLOAD_BYTES,
            overshoot_packets=0,
        )
    return Transport(
        handshake_rounds=0 if early else 1,
        initial_window_packets=math.inf if arm.server_file else _quic_window(arm),
        payload_bytes=QUIC_PAYLOAD_BYTES,
        overshoot_packets=1,  # it sends while the bytes in flight are below the window: the last packet may exceed it
    )


def _quic_window(arm: Arm) -> float:
    return max(initial_windows(arm.quic_options), default=QUIC_WINDOW_PACKETS)


def floor(cell: Cell, arm: Arm) -> Floor:
    """The floor of one arm in a cell."""
    return floor_of(cell.link, cell.workload, arm)


def floor_of(link: Link, workload: Workload, arm: Arm) -> Floor:
    """The floor of one arm; of a film it is no bound on its session, which lasts as long as the film does, but `line`
    holds of its segments."""
    transport = transport_of(arm)
    round_ms = max(link.rtt_ms - link.swing_ms, 0.0)
    sizes = _sizes(workload)
    total_bytes = sum(sizes)
    packets_per_ms = math.inf if link.trace else link.bandwidth_mbps * 1e3 / BITS_PER_BYTE / MTU_BYTES
    line = Line(
        first_ms=(transport.handshake_rounds + 1) * round_ms,
        ms_per_byte=1 / transport.payload_bytes / packets_per_ms,
        burst_bytes=link.burst_bytes or 0,
    )

    def serialise_ms(image_bytes: float) -> float:
        """Behind a bucket that is full, as it is at the most whenever they begin to leave."""
        return max(image_bytes - line.burst_bytes, 0.0) / transport.payload_bytes / packets_per_ms

    window = connections_of(arm, len(sizes)) * _window_at_images(transport, workload)
    growth = _growth(arm, workload)
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
        requests_ms=_request_rounds(workload) * round_ms,
        slow_start_ms=transfer_ms - serialisation_ms,
        serialisation_ms=serialisation_ms,
        line=line,
    )


def too_early(least: Floor, metrics: Mapping[str, float], objects: Sequence[SeenObject]) -> str | None:
    """Why a load was quicker than its floor, or the objects of a film than their line; None where nothing was."""
    for name in BOUNDED & metrics.keys():
        if metrics[name] < least.total_ms:
            return f"{name} is {metrics[name]:.1f}, its link and bytes take {least.total_ms:.1f} ms"
    if BOUNDED & metrics.keys():
        return None
    arrived = 0
    for one in sorted(objects, key=lambda one: one.ended_ms):
        arrived += one.size_bytes
        if one.ended_ms < least.line.least_ms(arrived):
            soonest_ms = least.line.least_ms(arrived)
            return f"{arrived} bytes were there after {one.ended_ms:.1f} ms, its link takes {soonest_ms:.1f} ms"
    return None


def _sizes(workload: Workload) -> list[int]:
    """Bytes of each object, the page itself left out; of a film the least that shows all of it."""
    if isinstance(workload, WebPage):
        return [one.size_bytes for one in resources(workload)[1:]]
    if isinstance(workload, RecordedSite):
        return [workload.start_bytes]  # which of the others the load event waits for, nobody knows beforehand
    if isinstance(workload, Page):
        return [one.size_bytes for one in workload.objects for _ in range(one.count)]
    if isinstance(workload, Video):
        return [FILM_KBPS[0] * 125 * SEGMENT_S] * workload.segments
    return [workload.size_bytes] * workload.count


def _request_rounds(workload: Workload) -> int:
    return 1 if isinstance(workload, Download | RecordedSite) else 2


def most_page_bytes(count: int) -> int:
    """More than any page that references `count` images has, with its response headers."""
    return 1024 + 128 * count


def _window_at_images(transport: Transport, workload: Workload) -> float:
    """Most image bytes that can leave before the first image byte is acknowledged."""
    page_bytes = 0 if isinstance(workload, Download | RecordedSite) else most_page_bytes(workload.object_count)
    if isinstance(workload, WebPage):
        page_bytes += resources(workload)[0].size_bytes
    page_packets = math.ceil(page_bytes / 1000)  # 1000: the smallest full packets in use
    packets = transport.initial_window_packets + CONTROL_PACKETS + page_packets + transport.overshoot_packets
    return float(packets * CREDIT_BYTES)


def _growth(arm: Arm, workload: Workload) -> float:
    """Window after a round trip over window before it, at most, while in slow start."""
    if arm.protocol == "tcp":
        return 2.0
    full = 1200 - 48  # payload of the smallest datagrams a QUIC sender fills (RFC 9000, 14) less generous headers
    per_packet = min(size / math.ceil(size / full) for size in _sizes(workload))  # an object's last packet is smaller
    return 1.0 + CREDIT_BYTES / per_packet
