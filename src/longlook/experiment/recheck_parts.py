"""What two parts of a load's record say of the same thing: its client's times, its capture, the link's counters. Pure.

The allowances are wider than anything in 19,000 loads and sessions that were measured before there were these checks.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise
from typing import Any

from longlook.client import played
from longlook.experiment.floor import PER_FILE
from longlook.experiment.metrics import CONNECT, TTFB, TTLB
from longlook.plan.arm import Arm
from longlook.plan.link import Link
from longlook.record.samples import Sample
from longlook.server.stated import is_named

NEARLY = 0.98
"""Of a time that the link sets: what is left is the clients' rounding, and what calibration allows."""
PACKET_BYTES = 1500
BURST_PACKETS = 300.0
"""More may be under way at once through a token bucket."""
CLOSING = ("curl", "systemcurl", "aioquic", "ngtcp2", "quicgo", "quicgo-one-stream")
"""Clients that close a connection as soon as they have their file: the others' stay until a server has had enough."""
START_MS = (-100.0, 50.0)
"""Between when a film began to play and what its places in the film at later times say: 19,000 looks found -52 to 0."""
FPS, FPS_PCT = 24.0, 3.0
PHASES = ("blocked", "dns", "connect", "send", "wait", "receive")
"""Of a HAR's request, one after the other; `ssl` is a part of `connect`."""
PHASES_MS = 0.01
"""Each is rounded to the microsecond."""
Record = Mapping[str, Any]


def times(arm: Arm, link: Link, index: int, size_bytes: int, metrics: Mapping[str, float | None]) -> Iterator[str]:
    """Of a download that counts: a client's moments follow each other, no sooner than the link lets them."""
    connect, first, last = (metrics.get(one.name) for one in (CONNECT, TTFB, TTLB))
    if last is None:
        return
    early = (index > 0 and not arm.is_cold) or arm.keeps_connection
    trips = 0 if early else 1 + (arm.protocol == "tcp")
    trip_ms = NEARLY * max(link.rtt_ms - link.swing_ms, 0.0)
    floors = {CONNECT.name: (connect, trips * trip_ms), TTFB.name: (first, (trips + 1) * trip_ms)}
    if link.burst_bytes is None and link.trace is None:
        floors[TTLB.name] = (last, NEARLY * size_bytes * 8 / (link.bandwidth_mbps * 1e3))
    for name, (given, floor) in floors.items():
        if given is not None and given < floor:
            yield f"{name} is {given}, and the link lets it be {floor:.1f} at least"
    follow: list[tuple[float | None, ...]]
    follow = [(connect, last), (first, last)] if arm.client == PER_FILE else [(connect, first, last)]
    for moments in ([one for one in some if one is not None] for some in follow):
        if moments != sorted(moments):
            yield f"its client says connected, first byte, last byte at {moments} ms: one before the one it follows"


def stamped(record: Record, following: Record | None) -> str | None:
    """What is wrong with when the browser says that a page was asked for: after the load began, before the next one."""
    artefact = record.get("artefact") or {}
    if artefact.get("kind") != "har":
        return None
    asked, began = (
        datetime.fromisoformat(text) for text in (artefact["log"]["page"]["startedDateTime"], record["started_at"])
    )
    late_s = (asked - began).total_seconds()
    most_s = float("inf")
    if following is not None:
        most_s = (datetime.fromisoformat(following["started_at"]) - began).total_seconds()
    if -0.002 <= late_s <= most_s:
        return None
    return f"it began at {record['started_at']}, and its browser's page at {artefact['log']['page']['startedDateTime']}"


def phases(artefact: Record) -> Iterator[str]:
    """The first request of a browser whose phases do not add up to its time: a first byte's moment is made of them."""
    for entry in artefact["log"]["entries"] if artefact.get("kind") == "har" else ():
        told = sum(max(entry["timings"].get(name) or 0.0, 0.0) for name in PHASES)
        if abs(told - entry["time"]) > PHASES_MS:
            yield f"{entry['url'][:80]} took {entry['time']} ms, its phases add up to {told:.3f}"
            return


def film(artefact: Record) -> Iterator[str]:
    """Of a session that counts: it began when its later places say, and has the frames of what was played."""
    began = next((float(at_ms) for at_ms, name in artefact["events"] if name == "playing"), None)
    if began is None:
        return
    stalls = played.stalls_ms(artefact)
    ended = next((at_ms for at_ms, name in artefact["events"] if name == "ended"), artefact["session_ms"])
    apart = []
    for at_ms, place_s, _ in artefact["timeline"]:
        near = any(begin - 50 <= at_ms <= end + 300 for begin, end in stalls)
        if began <= at_ms <= ended and not near:
            stalled = sum(min(end, at_ms) - begin for begin, end in stalls if begin < at_ms)
            apart.append(at_ms - began - stalled - place_s * 1e3)
    if apart and not START_MS[0] <= statistics.median(apart) <= START_MS[1]:
        yield f"it began to play at {began:.0f} ms, by its later places {statistics.median(apart):.0f} ms after that"
    frames, media_s = artefact["frames"], artefact["media_s"]
    if abs(frames - media_s * FPS) > FPS_PCT / 100 * media_s * FPS + FPS:
        yield f"{frames} frames of {media_s:.1f} s of a film that has {FPS:g} in each"
    if not 0 <= artefact["frames_dropped"] <= frames:
        yield f"{artefact['frames_dropped']} of {frames} frames were dropped"
    looks = [one[:2] for one in artefact["timeline"]]
    if any(after < before for one, other in pairwise(looks) for before, after in zip(one, other, strict=True)):
        yield "its times, or its places in the film, go back"


def connection(link: Link, own: Mapping[str, float], record: Record) -> Iterator[str]:
    """Packets and bytes of a download's connection, by the capture beside the server, against those of the link.

    The link counts from before the load until its client is done; what is under way then only the capture has.
    """
    way = record["link"]
    underway = link.bandwidth_mbps * (link.rtt_ms + link.swing_ms) * 1e3 / 8 / PACKET_BYTES
    pairs = (
        ("down", way.get("server_to_client", {}), "in", 8.0, 0.03),
        ("up", way.get("client_to_server", {}), "out", 25.0 + underway, 0.1),
    )
    for name, counters, end, packets, share in pairs:
        if link.loses:
            packets, share = packets + 25 + underway, 1.2  # what is sent again after the load only the capture has
        if link.burst_bytes is not None or link.trace or link.upload_trace:
            packets += BURST_PACKETS
        size = counters.get(f"bytes_{end}", 0) / max(counters.get(f"packets_{end}", 0), 1)
        for what, most in (("packets", packets), ("bytes", packets * size + 2 * PACKET_BYTES)):
            seen, carried = own[f"{what}_{name}"], counters.get(f"{what}_{end}")
            if carried is not None and abs(seen - carried) > most + share * carried:
                yield f"{what}_{name} is {seen:.0f}, the link carried {carried:.0f} meanwhile"


def lasted(link: Link, arms: Sequence[Arm], seen: Sequence[tuple[Sample, Mapping[str, float]]]) -> Iterator[str]:
    """Arms whose client closes its connections at once, and whose connections took far longer than its files."""
    if link.loses:
        return
    most_ms = 2 * link.slowest_ms + 1000.0
    for arm in arms:
        own = [own["duration_ms"] - (one.metrics.get(TTLB.name) or 0) for one, own in seen if one.arm == arm.name]
        if own and arm.client in CLOSING and (middle := statistics.median(own)) > most_ms:
            yield f"{arm.name}: most connections lasted {middle:.0f} ms longer than their files took to come"


def versions(arms: Sequence[Arm], environment: Record) -> Iterator[str]:
    """Versions as servers and clients said them against those of the parts that they are."""
    stacks = environment.get("stacks") or {environment.get("stack"): environment}
    known = {str(part["version"]) for stack in stacks.values() for part in (stack.get("components") or {}).values()}
    servers, clients = (environment.get(name) or {} for name in ("server_versions", "client_versions"))
    stated = environment.get("server_files") or {}
    by_file = {one.server_file: one.name for one in arms if one.server_file is not None}
    for digest, arm in by_file.items():
        if not is_named(stated.get(digest), digest):
            yield f"{arm}: what the file of its server states is not what it is named by"
            return
    own = {stated[digest]["name"] for digest in by_file}
    for name, text in chain(servers.items(), clients.items()):
        if known and name not in own and not any(str(text).startswith(one) for one in known):
            yield f"{name} said that it is {text}: no part of its stack is"
    wanted = own | {arm.server for arm in arms if arm.server_file is None}
    if servers and (lacking := sorted(wanted - {*servers})):
        yield f"no version is told of server {', '.join(lacking)}"


def content(arms: Sequence[Arm], cell: Record) -> Iterator[str]:
    """What a cell says of all its arms: how many objects were hashed, initial windows."""
    hashed, windows = (cell.get(name) for name in ("objects_hashed", "initial_window_bytes"))
    names = {arm.name for arm in arms}
    if hashed is not None and (
        {*hashed} != names or not all(isinstance(one, str) or one > 0 for one in hashed.values())
    ):
        yield f"objects_hashed is {str(hashed)[:80]}: objects of every arm were"
    same: dict[tuple, int] = {}
    for name, window in (windows or {}).items():
        if name not in names or not 1000 <= window <= 10**7:
            yield f"initial_window_bytes of {name[:80]} is {window}"
            return
        arm = next(one for one in arms if one.name == name)
        kind = (arm.stack, arm.server, arm.protocol, arm.cca, arm.quic_options, arm.initial_window)
        if same.setdefault(kind, window) != window:
            yield f"initial_window_bytes of {name} is {window}, of an arm with the same server {same[kind]}"
