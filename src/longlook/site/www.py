"""The page of a workload: one HTML file that references `count` images, and the image, exact to the byte.

The image is a valid 16 x 16 JPEG padded with COM segments (Chromium aborts the download of a broken
image), filled with bytes that do not compress. All references name different paths under /img/ that the
servers answer with the same file: the browser may merge equal URLs, and does not merge these.
"""

from __future__ import annotations

import base64
import random
from dataclasses import dataclass
from pathlib import Path

from longlook.errors import LonglookError
from longlook.scenario import Workload

PAGE = "/index.html"
_JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBk"
    "eFxlZ2P/wAALCAAQABABAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AAP/Z"
)
_HEAD = 20
"""Start-of-image marker and the JFIF segment: comments go after them."""
_COMMENT_OVERHEAD = 4
_COMMENT_MOST = 65533


@dataclass(frozen=True)
class Site:
    """A www root on disk and what a correct load of its page looks like."""

    root: Path
    page_bytes: int
    object_bytes: int
    count: int

    @property
    def sizes(self) -> dict[str, int]:
        """Expected body size in bytes by path."""
        return {PAGE: self.page_bytes} | {image_path(index): self.object_bytes for index in range(self.count)}

    @property
    def requests(self) -> int:
        """Requests per load: the page and its images."""
        return 1 + self.count


def image_path(index: int) -> str:
    """Path of the image with this index in the page."""
    return f"/img/{index:03d}.jpg"


def jpeg(size_bytes: int, seed: int = 0) -> bytes:
    """A valid JPEG of exactly this many bytes."""
    padding = size_bytes - len(_JPEG)
    if padding < 0 or 0 < padding < _COMMENT_OVERHEAD:
        raise LonglookError(
            f"no JPEG of {size_bytes} bytes: the smallest has {len(_JPEG)}, or at least {len(_JPEG) + _COMMENT_OVERHEAD} with a comment"
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


def html(count: int) -> bytes:
    """The page: static, and nothing in it that the browser would ask for besides the images."""
    images = "\n".join(f'<img src="{image_path(index)}" alt="">' for index in range(count))
    return (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>workload</title><link rel="icon" href="data:,"></head>\n'
        f"<body>\n{images}\n</body></html>\n"
    ).encode()


def write_site(root: Path, workload: Workload, seed: int) -> Site:
    """Write page and image below `root` (made if absent), readable by the servers' unprivileged users."""
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o755)
    page, image = html(workload.count), jpeg(workload.object_bytes, seed)
    for name, body in (("index.html", page), ("image.jpg", image)):
        (root / name).write_bytes(body)
        (root / name).chmod(0o644)
    return Site(root, len(page), len(image), workload.count)
