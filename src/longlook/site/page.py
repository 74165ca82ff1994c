"""The page of a workload: one HTML file that references every image once, each by a path of its own: the browser may
merge equal URLs, and does not merge these."""

from __future__ import annotations

PAGE = "/index.html"


def image_path(index: int) -> str:
    """Path of the image with this index in the page."""
    return f"/img/{index:03d}.jpg"


def file_path(index: int) -> str:
    """Path of the file with this index of a download."""
    return f"/file-{index:03d}.bin"


def html(count: int) -> bytes:
    """The page: static, and nothing in it that the browser would ask for besides the images."""
    images = "\n".join(f'<img src="{image_path(index)}" alt="">' for index in range(count))
    return (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>workload</title>'
        '<link rel="icon" href="data:,"></head>\n'
        f"<body>\n{images}\n</body></html>\n"
    ).encode()
