"""What gtlsclient writes of one fetch: its qlog (0.3, JSON text sequences, RFC 7464) and its debug output. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

REQUEST_STREAM = 0
EARLY_REJECTED = "Early data was rejected by server"


def of_qlog(text: bytes) -> dict[str, float]:
    """`connect_ms`: when the client's last flight of the handshake left, or its request as early data; `ttfb_ms`,
    `ttlb_ms`: when the first and the last packet with bytes of the answer came. All from the first packet sent;
    ValueError where one is not there."""
    begin = connect = first = last = None
    for event in _events(text):
        name, time, data = event.get("name"), event.get("time"), event.get("data", {})
        if name == "transport:packet_sent":
            begin = time if begin is None else begin
            if connect is None and (_is_finished(data) or _is_early_request(data)):
                connect = time
        if name == "transport:packet_received" and _has_answer(data):
            first = time if first is None else first
            last = time
    if begin is None or connect is None or first is None or last is None:
        raise ValueError("its qlog holds no whole fetch")
    return {"connect_ms": connect - begin, "ttfb_ms": first - begin, "ttlb_ms": last - begin}


def _events(text: bytes) -> Iterator[Mapping[str, Any]]:
    for line in text.split(b"\x1e"):
        if line.strip():
            yield json.loads(line)


def _frames(data: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    return [frame for frame in data.get("frames", ()) if frame.get("frame_type") == kind]


def _is_finished(data: Mapping[str, Any]) -> bool:
    """A client's only handshake data of a packet of type Handshake is its Finished (no certificate is asked for)."""
    return data.get("header", {}).get("packet_type") == "handshake" and bool(_frames(data, "crypto"))


def _is_early_request(data: Mapping[str, Any]) -> bool:
    return data.get("header", {}).get("packet_type") == "0RTT" and _has_answer(data)


def has_early_request(text: bytes) -> bool:
    """Whether its request left in a packet of type 0RTT; that the server accepted it, it does not say."""
    sent = (event for event in _events(text) if event.get("name") == "transport:packet_sent")
    return any(_is_early_request(event["data"]) for event in sent)


def _has_answer(data: Mapping[str, Any]) -> bool:
    return any(frame.get("stream_id") == REQUEST_STREAM for frame in _frames(data, "stream"))


def of_debug_output(text: str) -> dict[str, Any]:
    """Status, protocol and the client's port; ValueError where one is not there."""
    return {
        "status": int(_only(rf"^http: stream 0x{REQUEST_STREAM:x} \[:status: (\d+)\]$", text, "no status")),
        "protocol": _only(r"^Negotiated ALPN is (\S+)$", text, "no protocol"),
        "port": int(_only(r"^Sent packet: local=\[[^]]*\]:(\d+) ", text, "no packet")),
    }


def _only(pattern: str, text: str, missing: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise ValueError(f"{missing} in its output")
    return found.group(1)
