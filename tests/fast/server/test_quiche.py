"""What a program has built in of QUICHE, read from small ELF files that are made here."""

import struct

import pytest

from longlook.errors import LonglookError
from longlook.server import quiche

KNOWN = {
    "reloadable_flag_quic_testonly_default_true": True,
    "reloadable_flag_quic_testonly_default_false": False,
    "restart_flag_quic_testonly_default_true": True,
    "restart_flag_quic_testonly_default_false": False,
}
BBR = "reloadable_flag_quic_default_to_bbr"
NAMES_AT, DATA_AT, RELOCATIONS_AT = 0x400, 0x2000, 0x6000
MOVED = 0x10000
"""By how much the data lie farther in memory than in the file."""
OBJECT_BYTES = 96


def program(flags, distance=64, relocated=True, prefix="envoy_quiche_"):
    """An ELF file with an object for each flag, whose default is so many bytes behind the pointer to its name."""
    names, data, relocations = bytearray(b"\0FLAGS_envoy_quiche_reloadable_flag_quic_other\0"), bytearray(16), b""
    for name, value in flags.items():
        at = NAMES_AT + len(names)
        names += f"{prefix}{name}".encode() + b"\0"
        place = MOVED + DATA_AT + len(data)
        one = bytearray(OBJECT_BYTES)
        if relocated:
            relocations += struct.pack("<QQq", place, 8, at)
        else:
            one[:8] = struct.pack("<Q", at)
        one[distance] = value
        data += one
    table = RELOCATIONS_AT + len(relocations)
    headers = [(0, 0, 0, 0, 0), (1, 2, NAMES_AT, NAMES_AT, len(names))]
    headers += [(1, 3, MOVED + DATA_AT, DATA_AT, len(data)), (4, 2, RELOCATIONS_AT, RELOCATIONS_AT, len(relocations))]
    made = bytearray(table)
    made[:5] = b"\x7fELF\x02"
    struct.pack_into("<Q10x3H", made, 40, table, 64, len(headers), 0)
    for place, content in ((NAMES_AT, names), (DATA_AT, data), (RELOCATIONS_AT, relocations)):
        made[place : place + len(content)] = content
    for header in headers:
        made += struct.pack("<IIQQQQ24x", 0, *header)
    return bytes(made)


@pytest.mark.parametrize("relocated", [True, False])
@pytest.mark.parametrize("distance", [24, 64])
@pytest.mark.parametrize("prefix", ["envoy_quiche_", "quic_"])
def test_flags_are_read_wherever_their_defaults_lie(relocated, distance, prefix):
    flags = KNOWN | {BBR: True, "reloadable_flag_quic_default_to_bbr_v2": False}
    assert quiche.flags(program(flags, distance, relocated, prefix)) == flags


@pytest.mark.parametrize(
    ("on", "name"), [((), "cubic"), ((BBR,), "bbr"), ((BBR, f"{BBR}_v2"), "bbr2"), ((f"{BBR}_v2",), "bbr2")]
)
def test_the_default_controller_follows_from_the_flags(on, name):
    flags = KNOWN | dict.fromkeys((BBR, f"{BBR}_v2"), False) | dict.fromkeys(on, True)
    assert quiche.controller(quiche.flags(program(flags))) == name


def test_flags_whose_defaults_cannot_be_told_are_not_guessed():
    with pytest.raises(LonglookError, match="without flags of QUICHE's whose default is known"):
        quiche.flags(program({BBR: True}))
    wrong = KNOWN | {"restart_flag_quic_testonly_default_true": False}
    with pytest.raises(LonglookError, match="do not lie as those of Abseil do"):
        quiche.flags(program(wrong))
    with pytest.raises(LonglookError, match="not a program of Linux"):
        quiche.flags(b"#!/bin/sh\n")


CHANGES = [
    {"before": "aabb", "value": "02000000", "after": "cc"},
    {"before": "ddee", "value": "02000000", "after": "ff"},
]


@pytest.mark.parametrize(
    ("content", "number"),
    [
        ("aabb02000000cc 00 ddee02000000ff", 2),
        ("aabb01000000cc 00 ddee01000000ff", 1),
        ("aabb0a000000cc 00 ddee0a000000ff", 10),
        ("aabb02000000cc 00 ddee01000000ff", None),
        ("aabb02000000cc 00 aabb02000000cc 00 ddee02000000ff", None),
        ("aabb02000000cc", None),
        ("", None),
    ],
)
def test_n_is_told_where_each_place_is_found_once_and_all_agree(content, number):
    assert quiche.emulated(bytes(8) + bytes.fromhex(content), CHANGES) == number
