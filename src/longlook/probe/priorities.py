"""What a browser says of the order in which it wants its objects, from a capture and its keys.

Over HTTP/3 it says so in PRIORITY_UPDATE frames on its control stream (RFC 9218, 7.2), over HTTP/2 in the frames of RFC
7540 (5.3), and over both in a field of each request, `priority`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from longlook.errors import LonglookError
from longlook.host import process
from longlook.probe.capture import fields

PRIORITY_UPDATE = 0xF0700
UNSAID = 0xF0709
"""31 * 31768 + 33: of the reserved types, which whoever gets one ignores (RFC 9114, 7.2.8). Stack todaymute says it."""
CONTROL = 2
"""The first unidirectional stream that a client opens, which is what browsers use for control."""
HEADERS, PRIORITY = "1", "2"
"""Types of frames of HTTP/2."""
FIELD = "priority"


def control_frames(pcap: Path, keys: Path, port: int) -> list[tuple[int, bytes]]:
    """Type and content of every frame of the control stream to a server's port, in order."""
    names = ("quic.stream.stream_id", "quic.stream.off", "quic.stream.offset", "quic.stream_data")
    # Without HTTP/3, for which tshark would put all streams together.
    options = ("-o", f"tls.keylog_file:{keys}", "--disable-protocol", "http3")
    rows = fields(pcap, names, (*options, "-Y", f"quic.stream.stream_id == {CONTROL} && udp.dstport == {port}"))
    return list(parsed(joined(pieces(rows))))


def pieces(rows: Iterable[list[str]]) -> Iterator[tuple[int, bytes]]:
    """Offset and bytes of each STREAM frame of the control stream; a frame at offset 0 states none."""
    for ids, flags, offsets, data in rows:
        stated = iter(offsets.split(","))
        each = zip(ids.split(","), flags.split(","), data.split(","), strict=True)
        for stream, flag, text in each:
            offset = int(next(stated)) if flag in ("1", "True") else 0
            if int(stream) == CONTROL:
                yield offset, bytes.fromhex(text.replace(":", ""))


def joined(found: Iterable[tuple[int, bytes]]) -> bytes:
    """The stream from its beginning; what came twice is there once, and behind a gap nothing is."""
    whole = b""
    for offset, data in sorted(found):
        if offset > len(whole):
            break
        whole += data[len(whole) - offset :]
    return whole


def parsed(stream: bytes) -> Iterator[tuple[int, bytes]]:
    """Frames of a control stream, whose first byte is its type."""
    at = 1
    while at < len(stream):
        kind, at = _integer(stream, at)
        size, at = _integer(stream, at)
        yield kind, stream[at : at + size]
        at += size


def _integer(data: bytes, at: int) -> tuple[int, int]:
    """A number of variable length (RFC 9000, 16), and where it ends."""
    size = 1 << (data[at] >> 6)
    return int.from_bytes(data[at : at + size]) & ((1 << (8 * size - 2)) - 1), at + size


def first_said(frames: Iterable[tuple[int, bytes]], kind: int = PRIORITY_UPDATE) -> list[str]:
    """What the first PRIORITY_UPDATE frame of each request says, `u=2, i`; a later one moves it (RFC 9218, 7)."""
    found: dict[int, str] = {}
    for one, content in frames:
        if one == kind:
            stream, at = _integer(content, 0)
            found.setdefault(stream, content[at:].decode())
    return list(found.values())


@dataclass
class Http2Request:
    """A request over HTTP/2."""

    path: str
    said: str
    """Its field `priority`; empty where it has none."""
    weight: int
    """Of its stream, in its HEADERS frame: 1 to 256."""
    moved: list[int] = field(default_factory=list)
    """Weights of PRIORITY frames that came later."""


def http2_requests(pcap: Path, keys: Path, port: int) -> list[Http2Request]:
    """To a server's port, in order."""
    argv = ["tshark", "-n", "-r", str(pcap), "-o", f"tls.keylog_file:{keys}"]
    argv += ["-Y", f"http2 && tcp.dstport == {port}", "-T", "pdml"]
    with subprocess.Popen(
        argv, env=process.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as child:
        text = process.piped(child.stdout).read()
        error = process.piped(child.stderr).read()
    if child.returncode:
        raise LonglookError(f"tshark could not read {pcap}: {error.strip()[-300:]}")
    return requests_of(text)


def requests_of(pdml: str) -> list[Http2Request]:
    """From tshark's account of the packets."""
    found: dict[str, Http2Request] = {}
    for frame in ElementTree.fromstring(pdml).iter("field"):
        if frame.get("name") != "http2.stream":
            continue
        told = [(one.get("name"), one.get("show", "")) for one in frame.iter("field")]
        first = dict(reversed(told))
        stream, weight = first.get("http2.streamid", ""), int(first.get("http2.headers.weight_real", 0))
        if first.get("http2.type") == HEADERS and stream not in found:
            fields_of = _fields(told)
            found[stream] = Http2Request(fields_of.get(":path", ""), fields_of.get(FIELD, ""), weight)
        elif first.get("http2.type") == PRIORITY and stream in found:
            found[stream].moved.append(weight)
    return list(found.values())


def _fields(told: Iterable[tuple[str | None, str]]) -> dict[str, str]:
    """Name -> value of a request's fields, of which tshark tells one after the other."""
    found, name = {}, ""
    for key, value in told:
        if key == "http2.header.name":
            name = value
        elif key == "http2.header.value" and name:
            found[name] = value
    return found
