"""A TrueType font of any size, exact to the byte: every printable ASCII character is a box (OpenType 1.9).

A table that nobody knows takes the bytes that are not needed.
"""

from __future__ import annotations

import random
import struct

from longlook.errors import LonglookError

FAMILY = "longlook"
EM = 1000
ADVANCE = 600
BOX = (60, 0, 540, 700)
_FIRST, _LAST = 0x20, 0x7E
_FILLING = b"zzzz"
_MAGIC = 0x5F0F3CF5
_SUM = 0xB1B0AFBA
"""The whole file's checksum is subtracted from it."""
LEAST_BYTES = 1500


def font(size_bytes: int, seed: int = 0) -> bytes:
    """A valid font of exactly this many bytes, a multiple of four."""
    if size_bytes < LEAST_BYTES or size_bytes % 4:
        raise LonglookError(f"no font of {size_bytes} bytes: at least {LEAST_BYTES}, and a multiple of four")
    tables = _tables()
    tables[_FILLING] = b""
    tables[_FILLING] = random.Random(seed).randbytes(size_bytes - len(_file(tables)))
    whole = bytearray(_file(tables))
    where = whole.index(struct.pack(">I", _MAGIC)) - 4
    whole[where : where + 4] = struct.pack(">I", (_SUM - _checksum(bytes(whole))) & 0xFFFFFFFF)
    return bytes(whole)


def _file(tables: dict[bytes, bytes]) -> bytes:
    """The directory and the tables behind it, each on a boundary of four bytes."""
    number = len(tables)
    power = number.bit_length() - 1
    head = struct.pack(">IHHHH", 0x00010000, number, 16 << power, power, number * 16 - (16 << power))
    offset, directory, body = 12 + 16 * number, b"", b""
    for name, data in sorted(tables.items()):
        padded = data + bytes(-len(data) % 4)
        directory += name + struct.pack(">III", _checksum(padded), offset + len(body), len(data))
        body += padded
    return head + directory + body


def _checksum(data: bytes) -> int:
    return sum(struct.unpack(f">{len(data) // 4}I", data)) & 0xFFFFFFFF


def _tables() -> dict[bytes, bytes]:
    glyphs = [b"", _box()]
    offsets = [0, 0, len(glyphs[1])]
    name = FAMILY.encode("utf-16-be")
    records = ((1, name), (2, "Regular".encode("utf-16-be")), (4, name), (6, name))
    return {
        b"head": struct.pack(">IIIIHHqqhhhhHHhhh", 0x00010000, 0x00010000, 0, _MAGIC, 3, EM, 0, 0, *BOX, 0, 8, 2, 1, 0),
        b"hhea": struct.pack(">IhhhHhhhhhhhhhhhH", 0x00010000, 800, -200, 0, ADVANCE, 60, 60, 540, 1, *[0] * 7, 2),
        b"maxp": struct.pack(">IHHHHHHHHHHHHHH", 0x00010000, 2, 4, 1, 0, 0, 1, *[0] * 8),
        b"OS/2": _os2(),
        b"hmtx": struct.pack(">HhHh", ADVANCE, 0, ADVANCE, BOX[0]),
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 1, 12) + _cmap(),
        b"loca": struct.pack(">3I", *offsets),
        b"glyf": b"".join(glyphs),
        b"name": _name(records),
        b"post": struct.pack(">IIhhIIIII", 0x00030000, 0, 0, 0, 0, 0, 0, 0, 0),
    }


def _box() -> bytes:
    """One contour of four points, in words."""
    left, low, right, high = BOX
    points = ((left, low), (left, high), (right, high), (right, low))
    deltas = [
        [one[axis] - before[axis] for before, one in zip(((0, 0), *points), points, strict=False)] for axis in range(2)
    ]
    head = struct.pack(">hhhhhHH", 1, *BOX, 3, 0) + bytes([1] * 4)
    data = head + struct.pack(">4h", *deltas[0]) + struct.pack(">4h", *deltas[1])
    return data + bytes(-len(data) % 4)


def _cmap() -> bytes:
    """Format 4: every printable character, but for the space, is glyph 1 by an array; the space has the empty one."""
    count = _LAST - _FIRST + 1
    ids = struct.pack(f">{count}H", 0, *[1] * (count - 1))
    segments = struct.pack(">HHH", _LAST, 0xFFFF, 0) + struct.pack(">HH", _FIRST, 0xFFFF)
    segments += struct.pack(">HH", 0, 1) + struct.pack(">HH", 4, 0)
    length = 14 + len(segments) + len(ids)
    return struct.pack(">HHHHHHH", 4, length, 0, 4, 4, 1, 0) + segments + ids


def _os2() -> bytes:
    start = struct.pack(">HhHHH11hh10s", 4, ADVANCE, 400, 5, 0, *[100] * 10, 0, 0, bytes(10))
    ranges = struct.pack(">IIII4sHHH", 1, 0, 0, 0, b"LLOO", 0x40, _FIRST, _LAST)
    rest = struct.pack(">hhhHHIIhhHHH", 800, -200, 0, 800, 200, 1, 0, 500, 700, 0, 0x20, 1)
    return start + ranges + rest


def _name(records: tuple[tuple[int, bytes], ...]) -> bytes:
    head, texts = struct.pack(">HHH", 0, len(records), 6 + 12 * len(records)), b""
    for number, text in records:
        head += struct.pack(">HHHHHH", 3, 1, 0x409, number, len(text), len(texts))
        texts += text
    return head + texts
