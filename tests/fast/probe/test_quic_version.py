"""Versions in clients' packets, of both kinds of header."""

import pytest

from longlook.probe.quic_version import version_of

ID = bytes(range(1, 9))


@pytest.mark.parametrize(
    ("packet", "version"),
    [
        (b"\x0d" + ID + b"Q037" + b"\x01\x00", "Q037"),
        (b"\x09" + ID + b"Q043", "Q043"),
        (b"\xff" + b"Q046" + b"\x50" + ID, "Q046"),
        (b"\xc3" + b"T051" + b"\x08" + ID, "T051"),
        (b"\xc3" + bytes.fromhex("ff00001d") + b"\x08" + ID, "h3-29"),
        (b"\xc3" + bytes.fromhex("00000001") + b"\x08" + ID, "v1"),
        (b"\xc3" + bytes.fromhex("6b3343cf") + b"\x08" + ID, "v2"),
        (b"\xc3" + bytes.fromhex("1a2a3a4a") + b"\x08" + ID, "0x1a2a3a4a"),
        (b"\x08" + ID + b"\x01", None),
        (b"\x0d" + ID + b"Q0", None),
        (b"\x40" + ID, None),
        (b"", None),
    ],
)
def test_the_version_of_a_clients_packet(packet, version):
    assert version_of(packet) == version
