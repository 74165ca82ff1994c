"""Connections that clients opened over the link, and what crossed it beside them, by the link's own count. Pure.

The count is complete: a connection's first packet crosses the link, whatever the servers log and whenever. Browsers
open one per load: so did each of 160 loads (QUIC and TCP, both stacks, 1 and 100 objects, no loss and 2 %). But where
the first TCP connection is not there within 250 ms, Chromium opens another: in both of 15 loads whose SYN or its
answer was lost, and in 15 of 15 over a link of 600 ms. Such a spare one is allowed: as many as the link dropped
packets of handshakes, and one where the link is that slow, or may pause for so long by its trace. Which of them a load
used its client and its server tell. The same holds of a client that opens one for each file (`floor.connections_of`).
QUIC's are never doubled: 11 of 15 loads that lost first packets opened one.

A spare connection that a load leaves may be the next one's, whose handshake then costs no time of its own: so it was in
15 of 3,450 sealed loads of pages over TCP with loss that were measured before the link counted, up to 54 ms below their
floor, and in none of 30,100 others. Their tables leave these out (`stood_before`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from longlook.client.observation import Observation
from longlook.experiment.floor import transport_of
from longlook.experiment.metrics import PLT
from longlook.plan.arm import Arm
from longlook.plan.link import Link

Counts = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""As of link.base.LinkDriver.connections."""
PATIENCE_MS = 250
"""Chromium's, with a connection that it is opening (kMaxConnectRetryIntervalMs)."""
Place = tuple[str, int]
"""Transport (`tcp`, `quic`) and server port."""
SINCE_ASKED = ("window_packets",)
"""What the link tells since it was asked the last time, and not since its start."""
LATER = ("retries", "other_bytes", "window_packets", "tls_resumed", "raced")
"""Fields that the first records lack."""


@dataclass(frozen=True)
class OpenedConnections:
    """While a load was under way."""

    own: int
    """To its own server."""
    handshake_lost: int
    """Packets of these connections' handshakes, dropped by the link."""
    others: Mapping[str, int]
    """To anything else but the servers of arms that run at the same time."""
    spare: int = 0
    """So many more may be opened without anything being lost."""
    asked: tuple[tuple[str, ...], ...] | None = None
    """Connection options that clients of QUIC asked for in their hellos, each way of asking once; None where not every
    hello could be read."""
    retries: int | None = None
    """How often the server had the client begin its handshake anew, a round trip more: HelloRetryRequest, Retry,
    Version Negotiation. None, as all that follows: the link did not count that then."""
    other_bytes: int | None = None
    """Of frames in both directions that are of none of the servers in use."""
    window_packets: int | None = None
    """The most packets that the server had in flight over TCP beyond those acknowledged so far: at most its initial
    window."""
    tls_resumed: int | None = None
    """Handshakes over TCP in which the server resumed a session of TLS."""
    raced: int | None = None
    """Of a browser that learns of HTTP/3 by Alt-Svc: TCP connections that it opened beside, to the port of the same
    number."""

    def record(self) -> dict[str, Any]:
        """As it goes into a sample's record."""
        asked = {} if self.asked is None else {"asked": [list(options) for options in self.asked]}
        later = {name: value for name in LATER if (value := getattr(self, name)) is not None}
        return {"opened": self.own, "handshake_lost": self.handshake_lost, "others": dict(self.others), **later} | asked

    def too_many(self, wanted: int) -> str | None:
        """What there are too many of, where so many are to be opened; None if that is nothing."""
        if self.others:
            return (
                f"the link saw connections to {', '.join(f'{name} ({count})' for name, count in self.others.items())}"
            )
        if self.own > wanted + self.handshake_lost + self.spare:
            return f"the link saw {self.own} connections opened, {self.handshake_lost} packets of handshakes lost"
        return None


def spare_connections(transport: str, handshake_ms: float) -> int:
    """So many more than one a browser may open where nothing is lost."""
    return int(transport == "tcp" and handshake_ms >= PATIENCE_MS)


def stood_before(arm: Arm, link: Link, seen: Observation) -> bool:
    """Whether a page's load over TCP used a connection that was there: its handshake took the client none of the time,
    or lacks a round trip."""
    if arm.protocol != "tcp" or arm.keeps_connection or PLT.name not in seen.metrics:
        return False
    least_ms = (transport_of(arm).handshake_rounds - 0.5) * (link.rtt_ms - link.swing_ms)
    return seen.connect_ms is None or seen.connect_ms < least_ms


def opened_between(
    before: Counts | None,
    after: Counts | None,
    transport: str,
    port: int,
    handshake_ms: float = 0.0,
    beside: Collection[Place] = (),
    races: bool = False,
) -> OpenedConnections | None:
    """Of one server; `handshake_ms`: what a round trip may take when the load begins; `beside`: servers of arms that
    run at the same time; `races`: TCP may be tried beside QUIC. None where the link does not count."""
    if before is None or after is None:
        return None
    found = {
        (name, int(number)): {
            key: value - before[name].get(number, {}).get(key, 0) for key, value in count.items() if key != "asked"
        }
        | {key: count[key] for key in SINCE_ASKED if key in count}
        for name, ports in after.items()
        for number, count in ports.items()
    }
    own = found.pop((transport, port), {})
    raced = found.pop(("tcp", port), {}).get("opened", 0) if races else None
    strange = {place: count for place, count in found.items() if place not in beside}
    others = {f"{name} port {number}": count["opened"] for (name, number), count in strange.items() if count["opened"]}
    tells = any("bytes" in count for ports in after.values() for count in ports.values())
    return OpenedConnections(
        own.get("opened", 0),
        own.get("handshake_lost", 0),
        others,
        spare_connections(transport, handshake_ms),
        asked=_asked(before, after, transport, port) if own.get("opened") else None,
        retries=own.get("retries", 0) if tells else None,
        other_bytes=sum(count["bytes"] for count in strange.values()) if tells else None,
        window_packets=own.get("window_packets", 0) if tells and transport == "tcp" else None,
        tls_resumed=own.get("resumed") if transport == "tcp" else None,
        raced=raced,
    )


def _asked(before: Counts, after: Counts, transport: str, port: int) -> tuple[tuple[str, ...], ...] | None:
    """Options of the connections to one server's port that were opened in between."""
    was, now = (
        {str(name): one for name, one in counts[transport].items()}.get(str(port), {}) for counts in (before, after)
    )
    known = was.get("asked", {})
    new = {text: times - known.get(text, 0) for text, times in now.get("asked", {}).items()}
    if sum(new.values()) < now["opened"] - was.get("opened", 0):
        return None
    return tuple(tuple(one for one in text.split(",") if one) for text, times in sorted(new.items()) if times)
