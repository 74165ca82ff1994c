"""The oracle: which loads may count. Pure: an observation and the server's testimony in, a verdict out.

Every load is judged, none is assumed: every request answered to its end, status 200, the protocol asked for on every
object, the exact count, size and (where the client keeps it) content of objects, no compression, nothing from a cache,
one fresh connection, or one for each file (of an arm that is to be warm: the one of the loads before), and for QUIC
whether the server took the first request as 0-RTT data; then what the link, the hosts at its ends and the kernel's
connection say of the same bytes (`carried.py`), and that it took no less time than the least that is possible
(`floor.py`).
Each way of being wrong has its own reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from longlook.client.observation import Observation, VideoSession
from longlook.experiment.carried import (
    NOTHING_BESIDE,
    Crossed,
    Hosts,
    begun_anew,
    bypassed,
    other_traffic,
    wrong_cross_traffic,
    wrong_session_of_tls,
    wrong_tcp,
    wrong_window,
)
from longlook.experiment.floor import Floor, too_early
from longlook.experiment.opened import OpenedConnections
from longlook.experiment.reasons import REASONS
from longlook.host.clock import set_by
from longlook.plan.quic_options import differing
from longlook.site.tree import SiteFile


@dataclass(frozen=True)
class Expectation:
    """What a correct load looks like."""

    files: Mapping[str, SiteFile]
    """By path: the site's."""
    protocol: str
    """As the client names it: `h3`, `h2`."""
    zero_rtt: bool | None
    """True: the first request must be accepted as 0-RTT data; False: must not; None: does not apply (TCP, unless it is
    to send early data)."""
    cca: str = "cubic"
    rtt_ms: float = 0.0
    """Of the link; tells an attempt at 0-RTT from none."""
    reused: bool = False
    """The load must use a connection of an earlier one and open none."""
    chosen: bool = False
    """Which of the files it asks for, and how often, is the client's choice: a player's."""
    reorders: bool = False
    """The link puts packets out of order: early data may arrive before what it is to be read with."""
    options: tuple[str, ...] = ()
    """Connection options that the client is to ask for."""
    floor: Floor | None = None
    """The least that it takes; None: not asked."""
    initial_window: int | None = None
    """Of TCP, segments; None: the kernel's."""
    tls_resumed: bool | None = None
    """Whether TLS over TCP is to resume a session; None: not asked."""
    groups_stated: bool = False
    """The arm says which groups its ends know, so that a handshake may have to begin anew."""
    learns: bool = False
    """Of a browser that learns of HTTP/3 by Alt-Svc: a connection may stand that the server does not count anew."""
    ecn: bool = False
    """TCP's connections are to negotiate ECN."""
    crossed: Crossed = NOTHING_BESIDE
    """What is to run beside it."""
    counted: bool = False
    """Of QUIC, from a server that does not tell its connections: browsers have one name for all of theirs, and the
    link's count tells whether one was opened."""
    connections: int = 1
    """So many, all its own: no more, but where packets of handshakes were lost, and no fewer."""


@dataclass(frozen=True)
class Evidence:
    """What others than the client saw of a load."""

    known_connections: frozenset[str]
    """Connection ids that earlier loads of this client used."""
    server_connections: Mapping[str, bool] | None = None
    """Connections that the server accepted during this load -> first request was 0-RTT data; None: it cannot tell."""
    cca: str = "cubic"
    """The controller of the load's connection (`in_force.py`)."""
    client_packets_lost: int = 0
    """Packets from the client that the emulated link lost during this load."""
    opened: OpenedConnections | None = None
    """Connections that the link saw being opened during this load; None: it does not look into packets."""
    options: tuple[str, ...] | None = None
    """Connection options that the client asked for; None: they mean nothing to the server, or nobody saw them."""
    link: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """What the link counted during this load, per direction."""
    hosts: Hosts | None = None
    """What the interfaces at its ends counted; None: they are not on this machine."""
    tcp: Sequence[Mapping[str, Any]] = ()
    """What its TCP connections negotiated and waited for, by the server's kernel (host.tcpdiag.Info)."""
    cross_traffic: Sequence[Mapping[str, Any]] = ()
    """What ran beside it (cross.between)."""


@dataclass(frozen=True)
class Verdict:
    """Accepted or not; the reason is a key of `REASONS`."""

    accepted: bool
    reason: str | None = None
    detail: str | None = None
    connections: tuple[str, ...] = ()
    protocols_seen: tuple[str, ...] = ()
    zero_rtt: bool | None = None
    resumed: bool | None = None

    def __post_init__(self):
        if self.accepted == (self.reason is not None) or not (self.accepted or self.reason in REASONS):
            raise ValueError(f"accepted = {self.accepted} with reason {self.reason!r} (known: {', '.join(REASONS)})")


def judge(seen: Observation, wanted: Expectation, evidence: Evidence) -> Verdict:
    """Check one load and its evidence; the first thing wrong is the reason."""
    connections, zero_rtt = _connections(seen, evidence)
    verdict = partial(
        Verdict,
        connections=connections,
        protocols_seen=seen.protocols,
        zero_rtt=zero_rtt,
        resumed=zero_rtt,  # a server that accepts early data has resumed the session (RFC 8446, 4.2.10)
    )
    if seen.unfinished:
        lost = seen.unfinished[0]
        return verdict(False, "cut_short" if lost.answered else "unanswered", f"{lost.path}: {lost.ended}")
    for failed, check in _OBJECT_CHECKS.items():
        if wrong := check(seen.objects, wanted):
            return verdict(False, failed, wrong)
    if seen.session is not None and (wrong := wrong_session(seen.session)):
        return verdict(False, *wrong)
    reason, detail = _freshness(seen, connections, zero_rtt, wanted, evidence)
    if reason is None:
        reason, detail = _contradicted(seen, wanted, evidence)
    return verdict(reason is None, reason, detail)


def _contradicted(seen: Observation, wanted: Expectation, evidence: Evidence) -> tuple[str, str] | tuple[None, None]:
    """What the link, the hosts and the connection say against a load whose objects are right."""
    object_bytes = sum(one.size_bytes for one in seen.objects)
    opened = evidence.opened
    told = {
        "bypassed": bypassed(evidence.link, object_bytes, evidence.hosts, wanted.crossed.packets),
        "other_traffic": other_traffic(opened),
        "cross_traffic": wrong_cross_traffic(evidence.cross_traffic, wanted.crossed),
        "handshake": begun_anew(opened, wanted.groups_stated),
        "tls_session": wrong_session_of_tls(opened, wanted.tls_resumed),
        "tcp_options": wrong_tcp(evidence.tcp, object_bytes // wanted.connections, wanted.ecn),
        "initial_window": wrong_window(opened, wanted.initial_window, wanted.cca, wanted.connections),
        "below_floor": too_early(wanted.floor, seen.metrics, seen.objects) if wanted.floor else None,
    }
    return next(((reason, detail) for reason, detail in told.items() if detail is not None), (None, None))


DROPPED = 0.05
"""Share of a session's frames; dash.js and the browser drop a few where the bitrate changes."""


def wrong_session(session: VideoSession) -> tuple[str, str] | None:
    """Reason and detail of a session of a film that may not count; None of one that may."""
    if not session.started:
        return "not_started", "; ".join(session.errors) or "it made no complaint"
    if session.frames_dropped > DROPPED * session.frames:
        return "frames_dropped", f"{session.frames_dropped} of {session.frames} frames"
    return None if session.wrong is None else ("playback", session.wrong)


def _connections(seen: Observation, evidence: Evidence) -> tuple[tuple[str, ...], bool | None]:
    """Connection ids of a load and whether it was 0-RTT: the server's word where it has one, else the client's."""
    if evidence.server_connections is not None:
        opened = evidence.server_connections
        return tuple(sorted(opened)), (any(opened.values()) if opened else None)
    return seen.connections, None


def _status(objects, _):
    bad = Counter(one.status for one in objects if one.status != 200)
    return f"statuses {dict(bad)}" if bad else None


def _protocol(objects, wanted):
    bad = Counter(one.protocol for one in objects if one.protocol != wanted.protocol)
    return f"{dict(bad)} instead of {wanted.protocol}" if bad else None


def _compressed(objects, _):
    return next((f"{one.path}: {one.encoding}" for one in objects if one.encoding is not None), None)


def _cached(objects, _):
    return next((one.path for one in objects if one.cached), None)


def _count(objects, wanted):
    loaded = Counter(one.path for one in objects)
    if wanted.chosen:
        strange = sorted(loaded.keys() - wanted.files.keys())
        return f"not expected {strange[:3]}" if strange else None
    if loaded == Counter(wanted.files.keys()):
        return None
    missing, extra = set(wanted.files) - set(loaded), set(loaded) - set(wanted.files)
    counts = f"{len(objects)} loaded, {len(wanted.files)} expected"
    return f"{counts}; missing {sorted(missing)[:3]}, not expected {sorted(extra)[:3]}"


def _size(objects, wanted):
    for one in objects:
        right = wanted.files[one.path].size_bytes
        if one.size_bytes != right:
            return f"{one.path}: {one.size_bytes} bytes, {right} expected"
    return None


def _content(objects, wanted):
    for one in objects:
        right = wanted.files[one.path].sha256
        if one.sha256 is not None and one.sha256 != right:
            return f"{one.path}: sha256 {one.sha256[:12]}..., {right[:12]}... expected"
    return None


_OBJECT_CHECKS = {
    "status": _status,
    "protocol": _protocol,
    "compressed": _compressed,
    "cached": _cached,
    "object_count": _count,
    "object_size": _size,
    "object_content": _content,
}


def _freshness(
    seen: Observation, connections, zero_rtt, wanted: Expectation, evidence: Evidence
) -> tuple[str | None, str | None]:
    if evidence.cca != wanted.cca:
        return "cca", f"{evidence.cca} in force, {wanted.cca} asked for"
    if evidence.options is not None and (wrong := next(differing(evidence.options, wanted.options, wanted.cca), None)):
        return "connection_options", wrong
    if len(connections) > wanted.connections:
        return "several_connections", f"connections {', '.join(connections)}"
    if wanted.reused:
        return _reuse(connections, evidence)
    if evidence.opened is not None:
        if wrong := evidence.opened.too_many(wanted.connections):
            return "several_connections", wrong
        if (own := evidence.opened.own) < wanted.connections:
            return "connection_reused", f"the link saw {own} connections being opened, of {wanted.connections}"
    if wanted.learns and seen.connect_ms is None:
        return "connection_reused", "its page was asked for on a connection that stood"
    named = not wanted.counted or evidence.opened is None
    used = [one for one in connections if named and one in evidence.known_connections]
    if used or len(connections) < wanted.connections:
        return "connection_reused", f"connection {', '.join(used or connections) or 'of an earlier load'}"
    if wanted.zero_rtt is True and not zero_rtt and not _lost_on_the_way(seen, wanted, evidence):
        return "zero_rtt_rejected", "the server saw no early data"
    if wanted.zero_rtt is True and zero_rtt and seen.early_data is False:
        return "zero_rtt_rejected", "the client's request was no early data, or was not accepted"
    if wanted.zero_rtt is False and zero_rtt:
        return "unexpected_zero_rtt", "the server took early data"
    return None, None


def _reuse(connections: tuple[str, ...], evidence: Evidence) -> tuple[str | None, str | None]:
    """Of a load that was to open nothing: the link saw no connection being opened, and the client used one before."""
    seen = evidence.opened
    if seen is not None and (seen.own or seen.others):
        return "connection_not_reused", seen.too_many(1) or f"the link saw {seen.own} connections being opened"
    if not connections or connections[0] not in evidence.known_connections:
        return "connection_not_reused", f"connection {connections[0] if connections else 'of no load'} is a new one"
    return None, None


def _lost_on_the_way(seen: Observation, wanted: Expectation, evidence: Evidence) -> bool:
    """True when the client did send its request as 0-RTT data and the link lost a packet of the client's, or reorders.

    Such a request arrives as 1-RTT data, one retransmission later. That is what loss and disorder do to 0-RTT: to
    reject the load would leave QUIC's unlucky loads out of its mean. An attempt shows in the client's account: it took
    the connection for usable long before a round trip, over TCP long before a second one.
    """
    if seen.connect_ms is None or not (evidence.client_packets_lost or wanted.reorders):
        return False
    rounds = int(wanted.protocol in OVER_TCP)  # of TCP's own handshake, which comes before any data
    return 0 <= seen.connect_ms < (rounds + 0.5) * wanted.rtt_ms


OVER_TCP = ("h2", "http/1.1")
"""Protocols as clients name them."""
STARVED = {"server": 0.5, "client": 4.0}
"""Times a load's duration that a program's threads may have waited for a processor: the client's all added up, the
server's divided among those that were busy (`told.waited_s`). On two processors with six busy programs each, accepted
QUIC loads of 100 ms came to 0.1 to 0.4 (server, one thread) and 1.4 to 2.6 (browser, about a hundred threads), those
that took twice their time to 1 to 3 and 5 to 28. The bounds find what is starved, not what is slowed down a little.
On a quiet machine they rejected 38 of 4,697 loads (ten campaigns) while the server's threads were added up as well:
most were pages of 100 and 200 objects from Apache, whose threads wait for each other. Of the load's own duration they
are, and stay under rule 2: a browser's hundred threads wait for each other, too, and on a quiet machine (`exact-bytes`)
three of four loads of a hundred objects wait for more than four times their floor, so that no milliseconds of a cell's
plan tell a starved browser from a busy one."""


def stopped_text(stopped_s: Mapping[str, float]) -> str:
    """Which programs somebody stopped, and for how long."""
    return f"stopped: {', '.join(f'{who} for about {1e3 * took:.0f} ms' for who, took in stopped_s.items())}"


SATURATED = 0.97
"""Share of both processors' time beyond which a load was one among too many programs."""
LONG_MS = 200.0
"""From here on a load is long enough to tell it: the kernel counts idle time in ticks."""


RULE = 2
"""Version of what disturbs a load, in its record; records without one were judged by the first."""
STALLED = 0.005
"""Share of a time that a stall, or an emulator that is behind, may come to."""
GAP_MS = 5.0
"""The least gap that the stall watch, and the emulator, tell."""


@dataclass(frozen=True)
class Tolerated:
    """What of the machine's a load may have met."""

    stalled_ms: float
    """By gaps above `GAP_MS`; the emulator's own as well."""
    tells_busy: bool
    """It takes long enough for the kernel's count of idle time."""


def tolerated(least_ms: float) -> Tolerated:
    """Rule 2, in milliseconds that are the same for every load of a cell, whichever arm it is of and however long it
    took: `least_ms` is the least floor of the cell's arms, which its plan gives. The share is that of rule 1, which
    took it of the load's own time: what is tolerated is now at most half a percent of any load of the cell. No watch
    tells less than `GAP_MS`, so that a bound below it is any gap at all.

    Packets that are late stay a share of those sent, which is no time. A number that is the same for all loads of a
    cell, 1 % of the packets that its bytes fill, was tried on the sealed loads: QUIC, which sends more packets, lost
    2,422 of 32,395 first attempts by it, TCP 2,112 of 32,534 (p < 0.0001)."""
    return Tolerated(max(GAP_MS, STALLED * least_ms), least_ms >= LONG_MS)


def tolerated_at_first(took_ms: float, duration_ms: float) -> Tolerated:
    """Rule 1, by the load's own time, which is what is measured: a slower load was allowed a longer stall."""
    return Tolerated(STALLED * took_ms, duration_ms >= LONG_MS)


def disturbance(
    took_ms: float,
    stalls_ms: list[float],
    machine_busy: float,
    duration_ms: float,
    link: Mapping[str, Mapping[str, float]],
    stopped_s: Mapping[str, float] | None = None,
    waited_s: Mapping[str, float] | None = None,
    clock_step_s: float = 0.0,
    within: Tolerated | None = None,
) -> str | None:
    """Why a load says more of the machine than of the protocol; None when it does not.

    Stalls above `GAP_MS` count as soon as they add up to more than is tolerated (`within`; None: by rule 1); saturation
    means less than 3 % idle over both CPUs. `link` holds the emulator's counters of this load: packets lost outside its
    queue, more than 1 % sent over 1 ms late, or its own wake-ups over 5 ms late, which count as stalls do.
    `stopped_s`: programs of the cell that somebody stopped, and for how long; none ever is by itself.
    `waited_s`: of `client` and `server`, how long their threads, added up, were ready to run and did not (see
    `STARVED`). `clock_step_s`: by how much the wall clock was set meanwhile, by which the stamps of a browser, of a
    capture and of logs go.
    """
    within = within or tolerated_at_first(took_ms, duration_ms)
    if stopped_s:
        return stopped_text(stopped_s)
    if clock_step_s:
        return f"the wall clock was {set_by(clock_step_s)} meanwhile"
    for who, waited in (waited_s or {}).items():
        if waited * 1e3 > STARVED[who] * duration_ms:
            return f"the {who} waited {1e3 * waited:.0f} ms for a processor within {duration_ms:.0f} ms"
    stalled = sum(stalls_ms)
    if stalled > within.stalled_ms:
        return f"stalled for {stalled:.1f} ms in {len(stalls_ms)} gaps"
    if within.tells_busy and machine_busy > SATURATED:
        return f"machine {machine_busy:.0%} busy"
    if lost := sum(counters.get("socket_drops", 0) for counters in link.values()):
        return f"the link emulator lost {lost:.0f} packets before its queue"
    sent = sum(counters.get("packets_out", 0) for counters in link.values())
    late = sum(counters.get("late_over_1ms", 0) for counters in link.values())
    if late > 0.01 * sent:
        return f"the link emulator sent {late:.0f} of {sent:.0f} packets more than 1 ms late"
    behind_ms = max((counters.get("behind_us", 0) for counters in link.values()), default=0) / 1e3
    if behind_ms > within.stalled_ms:
        return f"the link emulator was {behind_ms:.0f} ms behind"
    return None
