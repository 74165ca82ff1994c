"""A decrypted capture as a qlog (main schema 0.3, JSON), as qvis opens it. Pure.

A trace is told from where the server is: what it sent, what reached it, and what it says of itself. It holds the
1-RTT packets that carry something; the handshake's are not in it. Times are ms since the transfer's start, to the
microsecond.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from longlook.probe.quic_packets import Packet
from longlook.probe.stream_frames import StreamFrames

if TYPE_CHECKING:
    import pandas as pd

VERSION = "0.3"
SENT, RECEIVED, LOST = "transport:packet_sent", "transport:packet_received", "recovery:packet_lost"
METRICS = "recovery:metrics_updated"
KEYS = {
    "cwnd_bytes": "congestion_window",
    "ssthresh_bytes": "ssthresh",
    "smoothed_rtt_ms": "smoothed_rtt",
    "bytes_in_flight": "bytes_in_flight",
    "latest_rtt_ms": "latest_rtt",
}
"""Column -> key of an event of METRICS."""
OWN, SEEN = ("cwnd_bytes", "ssthresh_bytes", "smoothed_rtt_ms"), ("bytes_in_flight", "latest_rtt_ms")
"""Columns of the server's own account, and of the capture."""
Event = Mapping[str, Any]


@dataclass(frozen=True)
class Trace:
    """One connection: who served it, and its events in the order of time."""

    title: str
    server: str
    """Program and version."""
    description: str
    began_s: float
    """Unix time from which its events count; 0 where that is not known."""
    events: Sequence[Event]


def document(title: str, traces: Iterable[Trace]) -> str:
    """The file; what it is stands at its head, where qvis looks for it."""
    body = {"qlog_version": VERSION, "qlog_format": "JSON", "title": title, "traces": [_trace(one) for one in traces]}
    return json.dumps(body, separators=(",", ":"), allow_nan=False)


def _trace(one: Trace) -> dict[str, Any]:
    reference = {"time_format": "relative", "reference_time": round(one.began_s * 1e3, 3)}
    return {
        "title": one.title,
        "description": one.description,
        "vantage_point": {"name": one.server, "type": "server"},
        "common_fields": {"protocol_type": ["QUIC", "HTTP3"], **reference},
        "events": list(one.events),
    }


def in_order(*events: Iterable[Event]) -> list[Event]:
    """All of them by time; equal times in the order given."""
    return sorted((one for own in events for one in own), key=lambda one: float(one["time"]))


def _event(time_s: float, began_s: float, name: str, data: Mapping[str, Any]) -> Event:
    return {"time": round((time_s - began_s) * 1e3, 3), "name": name, "data": data}


def packets(seen: Sequence[Packet], began_s: float) -> Iterator[Event]:
    """Every packet with the frames that are known of it: ACK and STREAM."""
    streams = StreamFrames(seen)
    for one in seen:
        data = {"header": _header(one.number), "raw": {"length": one.size}, "frames": list(_frames(one, streams))}
        yield _event(one.time_s, began_s, SENT if one.from_server else RECEIVED, data)


def _header(number: int) -> dict[str, Any]:
    return {"packet_type": "1RTT", "packet_number": number}


def _frames(one: Packet, streams: StreamFrames) -> Iterator[dict[str, Any]]:
    if one.acked:
        ranges = [[low, high] for low, high in sorted(one.acked)]
        yield {"frame_type": "ack", "ack_delay": round(one.ack_delay_ms, 3), "acked_ranges": ranges}
    for stream, offset, length in streams.of(one):
        yield {"frame_type": "stream", "stream_id": stream, "offset": offset, "length": length}


def losses(declared: Iterable[tuple[float, int]], began_s: float) -> Iterator[Event]:
    """Of (Unix time, packet number), as quic_packets.followed has them."""
    for time_s, number in declared:
        yield _event(time_s, began_s, LOST, {"header": _header(number)})


def metrics(table: pd.DataFrame, columns: Sequence[str], began_s: float) -> Iterator[Event]:
    """An event where one of these columns changes, with what has changed; `table` has `time_s` and any of KEYS."""
    import pandas as pd

    known: dict[str, float] = {}
    kept = [name for name in columns if name in table]
    for time_s, *values in table[["time_s", *kept]].itertuples(index=False, name=None):
        own = {KEYS[name]: _plain(value) for name, value in zip(kept, values, strict=True) if not pd.isna(value)}
        changed = {key: value for key, value in own.items() if known.get(key) != value}
        if changed:
            known |= changed
            yield _event(time_s, began_s, METRICS, changed)


def _plain(value: float) -> float:
    """Whole where it is."""
    return int(value) if float(value).is_integer() else round(float(value), 3)


def thinned(text: str, every: int, spans: int) -> str:
    """A file that `document` wrote, made small: all that is lost, one of `every` packets each way, and what METRICS
    tell by the end of each of `spans` equal times."""
    whole: dict[str, Any] = json.loads(text)
    own = {**whole, "traces": [_thinned(one, every, spans) for one in whole["traces"]]}
    return json.dumps(own, separators=(",", ":"))


def _thinned(trace: Mapping[str, Any], every: int, spans: int) -> dict[str, Any]:
    kept = in_order(_some(trace["events"], every), _spaced(trace["events"], spans))
    said = f"{trace['description']} Thinned: what is lost, one of {every} others each way, metrics by {spans} spans."
    return {**trace, "description": said, "events": kept}


def _some(events: Sequence[Event], every: int) -> Iterator[Event]:
    lost = {_number(event) for event in events if event["name"] == LOST}
    counts = {SENT: 0, RECEIVED: 0}
    for event in events:
        name = event["name"]
        if name in counts:
            counts[name] += 1
        known = name == LOST or (name == SENT and _number(event) in lost)
        if known or (name in counts and counts[name] % every == 1):
            yield event


def _number(event: Event) -> int:
    return int(event["data"]["header"]["packet_number"])


def _spaced(events: Sequence[Event], spans: int) -> Iterator[Event]:
    """Of each span what has changed, at the time of its last change."""
    told = [event for event in events if event["name"] == METRICS]
    if not told:
        return
    begin, end = float(told[0]["time"]), float(told[-1]["time"])
    changed: dict[int, dict[str, Any]] = {}
    for event in told:
        span = min(int((float(event["time"]) - begin) / max(end - begin, 1e-9) * spans), spans - 1)
        own = changed.setdefault(span, {"time": 0.0, "name": METRICS, "data": {}})
        own["time"], own["data"] = event["time"], own["data"] | event["data"]
    yield from changed.values()
