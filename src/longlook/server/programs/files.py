"""The tree of files that these programs serve, read once at their start."""

import os
from pathlib import Path
from urllib.parse import unquote_to_bytes

KINDS = {".html": "text/html", ".jpg": "image/jpeg", ".bin": "application/octet-stream"}


class Files:
    """By path of a URL; nothing outside of the folder can be asked for."""

    def __init__(self, root):
        root = Path(root)
        self.bodies = {
            b"/" + os.fsencode(path.relative_to(root)): (path.read_bytes(), KINDS.get(path.suffix, KINDS[".bin"]))
            for path in root.rglob("*")
            if path.is_file()
        }

    def get(self, target):
        """(status, body, content type) of a request's target, as it stands in the request."""
        body, kind = self.bodies.get(unquote_to_bytes(target.partition("?")[0]), (None, None))
        return (404, b"no such file\n", "text/plain") if body is None else (200, body, kind)
