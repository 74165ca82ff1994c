"""The version of QUIC that a client's packet names: of Google's public header, or of the long header of RFC 8999."""

from __future__ import annotations

LONG_HEADER = 0x80
"""RFC 8999, 5.1; Google's public header has this bit in no version."""
PUBLIC_VERSION, PUBLIC_CONNECTION_ID = 0x01, 0x08
CONNECTION_ID_BYTES = 8
FIRST_DRAFT = 0xFF000000
NUMBERED = {0x00000001: "v1", 0x6B3343CF: "v2"}
"""RFC 9000, RFC 9369."""


def version_of(packet: bytes) -> str | None:
    """`Q043`, `T051`, `h3-29`, `v1`; a number that has no name in hexadecimal; None of a packet without a version."""
    if not packet:
        return None
    if packet[0] & LONG_HEADER:
        return _name(packet[1:5])
    wanted = PUBLIC_VERSION | PUBLIC_CONNECTION_ID
    start = 1 + CONNECTION_ID_BYTES
    return _name(packet[start : start + 4]) if packet[0] & wanted == wanted else None


def _name(tag: bytes) -> str | None:
    if len(tag) < 4:
        return None
    if all(0x30 <= letter <= 0x7A for letter in tag):
        return tag.decode("ascii")
    number = int.from_bytes(tag, "big")
    if number & 0xFF000000 == FIRST_DRAFT:
        return f"h3-{number & 0xFFFFFF}"
    return NUMBERED.get(number, f"{number:#010x}")
