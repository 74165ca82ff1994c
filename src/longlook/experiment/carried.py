"""What the link, the hosts at its ends and the objects of a load say of the same packets, held together. Pure.

Each allowance is above what accepted loads of the reference campaigns came to (89,091, November 2026), where their
records tell it:

- *bytes on the link against bytes of the objects*: the link delivered at least the objects' bytes in every one. No
  upper bound follows for QUIC: a client that is too slow for its socket's buffer has a server send up to 1.45 times
  the bytes on a link that loses nothing (5.9 times of a page of 5 KB). What is too much is told by whose it is instead:
  by port, and at both ends of the link.
- *frames of others* (`OTHER_BYTES`): connections of other arms that are being closed.
- *frames at the ends*: what a host's interface sent is what the link took in, and what the link sent is what the other
  host's interface received. Both ends are read before and after the link, so that a load that ends while packets
  travel has that much room; `SLACK_PACKETS` comes on top.
- *bytes at the ends*: what a host's interface sent is what its network layer sent, with a header for each segment that
  the latter sends as a part of a larger one (`SEGMENTED`: 52 of 1500 bytes).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from longlook.experiment.ends import Reading
from longlook.experiment.opened import OpenedConnections
from longlook.host.interfaces import Counted
from longlook.host.kernel import SEND_BUFFER_BYTES
from longlook.host.tcpdiag import OPTIONS
from longlook.plan.link import BITS_PER_BYTE
from longlook.plan.link import Link as PlannedLink

Span = tuple[int, int]
"""Least and most that was counted meanwhile."""
Hosts = Mapping[str, Mapping[str, Span]]
"""Of `server` and `client`, where they are on this machine."""
Link = Mapping[str, Mapping[str, float]]
"""As of a record: by direction, what the link counted."""
WAYS = {"server_to_client": ("server", "client"), "client_to_server": ("client", "server")}
FAILED = ("send_errors", "memory_drops", "oversize_drops")
"""Packets that the link took in and could not deliver: an interface was down, or frames were no frames of a wire."""
OTHER_BYTES = 20_000
"""8 Mbit/s for 20 ms. Closing a connection takes three packets, and every arm of a cell may have one to close."""
SLACK_PACKETS = 3
LATE_S = 0.01
"""By which the link may take frames from the kernel late: what flows beside a load send meanwhile is on its way."""
SEGMENTED, SLACK_BYTES = 1.05, 3_000
SEGMENT_BYTES = 1448
"""Of TCP over Ethernet, with time stamps (RFC 9293, 7323)."""
MTU_BYTES = 1500
GROWN = 8
"""Send buffers' worth of objects, after which a send buffer that may grow has grown (to four times its size and more in
each of some fifty loads of 1 to 5 MB; after a page of 5 KB none has). Of the receive window there is no such rule: a
browser that is busy leaves one full for half of a load."""
INITIAL_WINDOW = 10
"""Segments (RFC 6928)."""
UNSEEN = 8
"""Packets of the handshake that let a window grow that is smaller, and any of BBR's, which grows by what is
acknowledged whether it was full or not (tools/linkpipe/handshakes.go)."""
ON_THE_WAY = 3
"""Packets that a busy client has acknowledged at the link and not yet at the server: to the server more are in flight
than to the link, and it may let the window grow where the link sees no reason."""


def span(before: Reading, after: Reading) -> Hosts:
    """What hosts counted between two readings: they are taken before and after the link's."""
    readings = [hosts for first, _, again in (before, after) for hosts in (first, again)]
    whole = [who for who in readings[0] if all(who in hosts for hosts in readings)]
    return {who: _span(*(hosts[who] for hosts in readings)) for who in whole}


def _span(before: Counted, before_again: Counted, after: Counted, after_again: Counted) -> dict[str, Span]:
    return {name: (after[name] - before_again[name], after_again[name] - before[name]) for name in after}


@dataclass(frozen=True)
class Crossed:
    """What is to run beside each load."""

    ccas: tuple[str, ...]
    """Of each flow, as `told_flow`."""
    packets: int
    """That may be on their way when a load ends."""

    @classmethod
    def of(cls, link: PlannedLink) -> Self:
        """By a cell's link."""
        packets = link.bandwidth_mbps * 1e6 / BITS_PER_BYTE * LATE_S / MTU_BYTES
        flow = {"cca": link.cross_cca, "protocol": link.cross_protocol}
        return cls((told_flow(flow),) * (link.cross_flows or 0), round(packets) if link.cross_flows else 0)


NOTHING_BESIDE = Crossed((), 0)


def told_flow(flow: Mapping[str, Any]) -> str:
    """`cubic`; over QUIC `quic cubic`."""
    return " ".join(filter(None, (flow.get("protocol"), flow["cca"])))


def wrong_cross_traffic(told: Sequence[Mapping[str, Any]], wanted: Crossed) -> str | None:
    """What is not as stated of the flows that ran beside a load (cross.between); None where nothing is."""
    if (found := sorted(map(told_flow, told))) != sorted(wanted.ccas):
        return f"flows beside it: {', '.join(found) or 'none'}; asked for: {', '.join(wanted.ccas) or 'none'}"
    if still := sum(not one["mbps"] > 0 for one in told):
        return f"{still} of {len(told)} flows beside it carried nothing meanwhile"
    return None


def bypassed(link: Link, object_bytes: int, hosts: Hosts | None = None, beside: int = 0) -> str | None:
    """Why a load did not cross the link, or not the link alone; None where nothing says so. `beside`: packets of others
    that may be on their way."""
    delivered = link.get("server_to_client", {}).get("bytes_out")
    if delivered is not None and delivered < object_bytes:
        return f"the link delivered {delivered:.0f} bytes to the client, its objects alone have {object_bytes}"
    for failed in FAILED:
        if count := sum(counted.get(failed, 0) for counted in link.values()):
            return f"the link counts {count:.0f} {failed}"
    return next(_at_the_ends(link, hosts or {}, beside), None)


def _at_the_ends(link: Link, hosts: Hosts, beside: int) -> Iterator[str]:
    slack, slack_bytes = SLACK_PACKETS + beside, SLACK_BYTES + beside * MTU_BYTES
    for way, (sender, receiver) in WAYS.items():
        counted = link.get(way, {})
        if sender in hosts and "packets_in" in counted:
            taken = counted["packets_in"] + counted.get("socket_drops", 0)
            yield from _differs(hosts[sender]["out_packets"], taken, slack, f"the {sender} sent", "the link took in")
        if receiver in hosts and "packets_out" in counted:
            yield from _differs(
                hosts[receiver]["in_packets"],
                counted["packets_out"],
                slack,
                f"the {receiver} received",
                "the link sent",
            )
    for who, own in hosts.items():
        for way, most in (("out", SEGMENTED), ("in", 1.0)):
            (low, high), (ip_low, ip_high) = own[f"{way}_bytes"], own[f"ip_{way}_bytes"]
            if low > most * ip_high + slack_bytes or high < ip_low - slack_bytes:
                verb = "sent" if way == "out" else "received"
                yield f"the {who}'s interface {verb} {high} bytes of IP, its network layer {ip_high}"


def _differs(host: Span, link: float, slack: int, said: str, told: str) -> Iterator[str]:
    if not host[0] - slack <= link <= host[1] + slack:
        yield f"{said} {host[1]} packets, {told} {link:.0f}"


def other_traffic(opened: OpenedConnections | None) -> str | None:
    """What crossed the link beside a load; None where that is next to nothing, or not told."""
    if opened is None or opened.other_bytes is None or opened.other_bytes <= OTHER_BYTES:
        return None
    return f"{opened.other_bytes} bytes that are none of its connection's crossed the link"


def begun_anew(opened: OpenedConnections | None, stated: bool) -> str | None:
    """Why a handshake took a round trip more; None where it did not, or its groups are `stated`, so that it may."""
    if opened is None or not opened.retries or stated:
        return None
    return f"the server made its client begin anew {opened.retries} times: HelloRetryRequest or Retry"


def wrong_session_of_tls(opened: OpenedConnections | None, wanted: bool | None) -> str | None:
    """Why a handshake over TCP is not the arm's: a certificate more or less. None where it is, or nothing tells."""
    if wanted is None or opened is None or opened.tls_resumed is None or wanted == (opened.tls_resumed > 0):
        return None
    return "the server resumed no session of TLS" if wanted else "the server resumed a session of TLS"


def wrong_tcp(told: Sequence[Mapping[str, Any]], object_bytes: int, ecn: bool = False) -> str | None:
    """What is not as the testbed has it of TCP connections (host.tcpdiag.Info): options, segments, send buffers; None
    where nothing is. `ecn`: whether they were to negotiate ECN."""
    for one in told:
        if ("ecn" in one["options"]) != ecn:
            return f"a connection {'without' if ecn else 'with'} ECN"
        if lacking := [name for name in OPTIONS if name not in ("ecn", *one["options"])]:
            return f"a connection without {', '.join(lacking)}"
        if (one["mss_bytes"], one["mtu_bytes"]) != (SEGMENT_BYTES, MTU_BYTES):
            return f"segments of {one['mss_bytes']} bytes, an MTU of {one['mtu_bytes']}"
    buffers = [one["send_buffer_bytes"] for one in told]
    if buffers and min(buffers) < SEND_BUFFER_BYTES:
        return f"a send buffer of {min(buffers)} bytes"
    # A spare connection, which a browser opens after a lost SYN, carries nothing, and its buffer does not grow.
    if buffers and object_bytes > GROWN * SEND_BUFFER_BYTES and max(buffers) == SEND_BUFFER_BYTES:
        return f"a send buffer of {max(buffers)} bytes after objects of {object_bytes}"
    return None


def wrong_window(
    opened: OpenedConnections | None, stated: int | None, cca: str = "cubic", connections: int = 1
) -> str | None:
    """Why TCP's connection began with a larger window than its arm states (segments; None: the kernel's); None where
    nothing says so. One that is too small does not show: a server that is slow to write never fills it (that a route
    was changed, the settings tell: settings.py). Of several the link tells the largest; it follows each by itself."""
    if opened is None or not opened.window_packets or opened.own != connections:
        return None
    wanted, used = stated or INITIAL_WINDOW, opened.window_packets
    most = wanted + ON_THE_WAY + (UNSEEN if wanted < INITIAL_WINDOW or cca == "bbr" else 0)
    if used > most:
        return f"{used} packets in flight at the beginning, an initial window of {wanted}"
    return None
