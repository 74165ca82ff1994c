"""A JPEG of any size, exact to the byte.

It is a valid 16 x 16 image (Chromium aborts the download of a broken one) padded with COM segments, which are filled
with bytes that do not compress.
"""

from __future__ import annotations

import base64
import random

from longlook.errors import LonglookError

_JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBk"
    "eFxlZ2P/wAALCAAQABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AAP/Z"
)
_HEAD = 20
"""Start-of-image marker and the JFIF segment: comments go after them."""
_COMMENT_OVERHEAD = 4
_COMMENT_MOST = 65533


def jpeg(size_bytes: int, seed: int = 0) -> bytes:
    """A valid JPEG of exactly this many bytes."""
    padding = size_bytes - len(_JPEG)
    if padding < 0 or 0 < padding < _COMMENT_OVERHEAD:
        raise LonglookError(
            f"no JPEG of {size_bytes} bytes: the smallest has {len(_JPEG)}, "
            f"or at least {len(_JPEG) + _COMMENT_OVERHEAD} with a comment"
        )
    generator = random.Random(seed)
    segments = []
    while padding:
        payload = min(padding - _COMMENT_OVERHEAD, _COMMENT_MOST)
        if 0 < padding - _COMMENT_OVERHEAD - payload < _COMMENT_OVERHEAD:
            payload -= _COMMENT_OVERHEAD  # leave room for one more whole segment
        segments.append(b"\xff\xfe" + (payload + 2).to_bytes(2, "big") + generator.randbytes(payload))
        padding -= payload + _COMMENT_OVERHEAD
    return _JPEG[:_HEAD] + b"".join(segments) + _JPEG[_HEAD:]
