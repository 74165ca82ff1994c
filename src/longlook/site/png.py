"""A PNG of any size, exact to the byte, that browsers paint row by row as it arrives.

Its pixels are a gradient under noise; the compressed stream consists of stored blocks, so that its size follows from
the picture's, and a private chunk takes the rest (W3C PNG, RFC 1950 and 1951).
"""

from __future__ import annotations

import math
import random
import struct
import zlib

from longlook.errors import LonglookError

LEAST_BYTES = 300
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHUNK = 12
"""Length, name and checksum of a chunk."""
_STORED_MOST = 65535
_STORED_HEAD = 5
_FRAME = len(_SIGNATURE) + (_CHUNK + 13) + _CHUNK + 2 + 4 + _CHUNK
"""Everything but the pixels, the heads of their blocks and the filling: IHDR, IDAT with zlib's frame, IEND."""
_ASPECT = 1.5
_BANDS = 16


def png(size_bytes: int, seed: int = 0) -> bytes:
    """A valid PNG of exactly this many bytes."""
    if size_bytes < LEAST_BYTES:
        raise LonglookError(f"no PNG of {size_bytes} bytes: the smallest has {LEAST_BYTES}")
    width, height = _dimensions(size_bytes)
    body = b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"IDAT", _stored(_pixels(width, height, seed))),
        )
    )
    filling = size_bytes - len(body) - 2 * _CHUNK
    return body + _chunk(b"llFi", bytes(filling)) + _chunk(b"IEND", b"")


def _dimensions(size_bytes: int) -> tuple[int, int]:
    """Of the largest picture that leaves room for a chunk of filling."""
    room = size_bytes - _FRAME - _CHUNK
    width = max(1, math.isqrt(round(room / 3 * _ASPECT)))
    row = 1 + 3 * width
    height = max(1, room // row)
    while height * row + _blocks(height * row) * _STORED_HEAD > room:
        height -= 1
    return width, height


def _blocks(raw_bytes: int) -> int:
    return math.ceil(raw_bytes / _STORED_MOST)


def _pixels(width: int, height: int, seed: int) -> bytes:
    """Rows with their filter (none) in front."""
    generator = random.Random(seed)
    top, bottom = ([generator.randrange(16, 160) for _ in range(3)] for _ in range(2))
    rows = []
    for y in range(height):
        band = y * _BANDS // height / _BANDS
        row = bytearray(generator.randbytes(3 * width))
        for channel in range(3):
            base = round(top[channel] + band * (bottom[channel] - top[channel]))
            row[channel::3] = row[channel::3].translate(bytes(base + (noise >> 2) for noise in range(256)))
        rows.append(b"\0" + row)
    return b"".join(rows)


def _stored(raw: bytes) -> bytes:
    """A zlib stream of stored blocks."""
    pieces = [raw[at : at + _STORED_MOST] for at in range(0, len(raw), _STORED_MOST)]
    last = len(pieces) - 1
    blocks = (
        struct.pack("<BHH", number == last, len(one), len(one) ^ 0xFFFF) + one for number, one in enumerate(pieces)
    )
    return b"\x78\x01" + b"".join(blocks) + struct.pack(">I", zlib.adler32(raw))


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
