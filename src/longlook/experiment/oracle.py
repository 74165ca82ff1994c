"""The oracle: which page loads may count. Pure: HAR and the server's testimony in, a verdict out.

Every load is judged, none is assumed: status 200, the protocol asked for on every entry, the exact count
and size of objects, no compression, nothing from a cache, one fresh connection, and for QUIC whether the
server took the first request as 0-RTT data. Each way of being wrong has its own reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Expectation:
    """What a correct load looks like."""

    sizes: Mapping[str, int]
    """Body size in bytes by path."""
    har_protocol: str
    """The protocol's name in a HAR: `h3`, `h2`."""
    zero_rtt: bool | None
    """True: the first request must be accepted as 0-RTT data; False: must not; None: does not apply (TCP)."""
    cca: str = "cubic"
    rtt_ms: float = 0.0
    """Of the link; tells an attempt at 0-RTT from none."""


@dataclass(frozen=True)
class Evidence:
    """What others than the browser saw of a load."""

    known_connections: frozenset[str]
    """Connection ids that earlier loads of this browser used."""
    server_connections: Mapping[str, bool] | None = None
    """Connections that the server accepted during this load -> first request was 0-RTT data; None: it cannot tell."""
    cca: str = "cubic"
    """The controller in force, read back from the kernel or the server."""
    client_packets_lost: int = 0
    """Packets from the client that the emulated link lost during this load."""


@dataclass(frozen=True)
class Verdict:
    """Accepted or not; the reason is a key of `REASONS`."""

    accepted: bool
    reason: str | None = None
    detail: str | None = None
    connection_ids: tuple[str, ...] = ()
    protocols_seen: tuple[str, ...] = ()
    zero_rtt: bool | None = None
    resumed: bool | None = None


def page_load_time_ms(har: Mapping[str, Any]) -> float:
    """PLT: `onLoad` minus the DNS time of the first entry, ms (thesis, section 3.3)."""
    return har["pages"][0]["pageTimings"]["onLoad"] - max(har["entries"][0]["timings"]["dns"], 0.0)


def judge(har: Mapping[str, Any], wanted: Expectation, seen: Evidence) -> Verdict:
    """Check one load's HAR (the `log` object) and its evidence; the first thing wrong is the reason."""
    entries = har["entries"]
    connections, zero_rtt = _connections(entries, seen)
    summary = {
        "connection_ids": connections,
        "protocols_seen": tuple(sorted({entry["response"]["httpVersion"] for entry in entries})),
        "zero_rtt": zero_rtt,
        "resumed": zero_rtt,  # a server that accepts early data has resumed the session (RFC 8446, 4.2.10)
    }
    for reason, check in _ENTRY_CHECKS.items():
        if wrong := check(entries, wanted):
            return Verdict(False, reason, wrong, **summary)
    reason, wrong = _freshness(entries, connections, zero_rtt, wanted, seen)
    return Verdict(reason is None, reason, wrong, **summary)


def _path(entry) -> str:
    return urlsplit(entry["request"]["url"]).path


def _connections(entries, seen: Evidence) -> tuple[tuple[str, ...], bool | None]:
    """Connection ids of a load and whether it was 0-RTT: the server's word where it has one, else the browser's."""
    if seen.server_connections is not None:
        opened = seen.server_connections
        return tuple(sorted(opened)), (any(opened.values()) if opened else None)
    return tuple(sorted({entry["connection"] for entry in entries})), None


def _status(entries, _):
    bad = Counter(entry["response"]["status"] for entry in entries if entry["response"]["status"] != 200)
    return f"statuses {dict(bad)}" if bad else None


def _protocol(entries, wanted):
    bad = Counter(
        entry["response"]["httpVersion"] for entry in entries if entry["response"]["httpVersion"] != wanted.har_protocol
    )
    return f"{dict(bad)} instead of {wanted.har_protocol}" if bad else None


def _compressed(entries, _):
    for entry in entries:
        for header in entry["response"]["headers"]:
            if header["name"].lower() == "content-encoding":
                return f"{_path(entry)}: {header['value']}"
    return None


def _cached(entries, _):
    return next((_path(entry) for entry in entries if entry.get("_fromDiskCache")), None)


def _count(entries, wanted):
    loaded = Counter(_path(entry) for entry in entries)
    if loaded == Counter(wanted.sizes.keys()):
        return None
    missing, extra = set(wanted.sizes) - set(loaded), set(loaded) - set(wanted.sizes)
    return f"{len(entries)} loaded, {len(wanted.sizes)} expected; missing {sorted(missing)[:3]}, not expected {sorted(extra)[:3]}"


def _size(entries, wanted):
    for entry in entries:
        got, right = entry["response"]["content"]["size"], wanted.sizes[_path(entry)]
        if got != right:
            return f"{_path(entry)}: {got} bytes, {right} expected"
    return None


_ENTRY_CHECKS = {
    "status": _status,
    "protocol": _protocol,
    "compressed": _compressed,
    "cached": _cached,
    "object_count": _count,
    "object_size": _size,
}


def _freshness(entries, connections, zero_rtt, wanted: Expectation, seen: Evidence) -> tuple[str | None, str | None]:
    if seen.cca != wanted.cca:
        return "cca", f"{seen.cca} in force, {wanted.cca} asked for"
    if len(connections) > 1:
        return "several_connections", f"connections {', '.join(connections)}"
    if not connections or connections[0] in seen.known_connections:
        return "connection_reused", f"connection {connections[0] if connections else 'of an earlier load'}"
    if wanted.zero_rtt is True and not zero_rtt and not _lost_on_the_way(entries, wanted, seen):
        return "zero_rtt_rejected", "the server saw no early data"
    if wanted.zero_rtt is False and zero_rtt:
        return "unexpected_zero_rtt", "the server took early data"
    return None, None


def _lost_on_the_way(entries, wanted: Expectation, seen: Evidence) -> bool:
    """True when the browser did send its request as 0-RTT data and the link lost a packet of the client's.

    Such a request arrives as 1-RTT data, one retransmission later. That is what loss does to 0-RTT: to reject
    the load would leave QUIC's unlucky loads out of its mean. An attempt shows in the HAR: the browser took the
    connection for usable long before a round trip.
    """
    return seen.client_packets_lost > 0 and 0 <= entries[0]["timings"]["connect"] < wanted.rtt_ms / 2


def disturbance(
    plt_ms: float,
    stalls_ms: list[float],
    machine_busy: float,
    duration_ms: float,
    link: Mapping[str, Mapping[str, float]],
) -> str | None:
    """Why a load says more of the machine than of the protocol; None when it does not.

    Stalls above 5 ms count as soon as they add up to more than half a percent of the PLT; saturation means
    less than 3 % idle over both CPUs, judged from 200 ms on (the kernel counts idle time in ticks). `link` holds
    the emulator's counters of this load: packets lost outside its queue, or more than 1 % sent over 1 ms late.
    """
    stalled = sum(stalls_ms)
    if stalled > 0.005 * plt_ms:
        return f"stalled for {stalled:.1f} ms in {len(stalls_ms)} gaps"
    if duration_ms >= 200 and machine_busy > 0.97:
        return f"machine {machine_busy:.0%} busy"
    if lost := sum(counters.get("socket_drops", 0) for counters in link.values()):
        return f"the link emulator lost {lost:.0f} packets before its queue"
    sent = sum(counters.get("packets_out", 0) for counters in link.values())
    late = sum(counters.get("late_over_1ms", 0) for counters in link.values())
    if late > 0.01 * sent:
        return f"the link emulator sent {late:.0f} of {sent:.0f} packets more than 1 ms late"
    return None
