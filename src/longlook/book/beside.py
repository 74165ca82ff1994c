"""The files that a page's charts offer, written beside the page instead of into it.

In a notebook they are `data:` addresses, which need nothing but themselves; in a page they would be most of what a
reader loads, wanted or not. What is asked for by a click can lie in a file, also where there is no server.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import unquote

from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
FOLDER = "_downloads"
_OFFERED = re.compile(r'(<a download="([^"/]+)" href=")data:(?:text/csv|application/json);charset=utf-8,([^"]*)"')


def moved_out(body: str, page: str, root: Path) -> str:
    """The HTML of a page's body (`book/index`), whose files are now in a folder of their own under `root`, that of the
    built pages."""
    folder = f"{FOLDER}/{page}"
    written: dict[str, str] = {}

    def moved(found: re.Match[str]) -> str:
        name, content = html.unescape(found[2]), unquote(found[3])
        if written.setdefault(name, content) != content:
            LOGGER.warning("%s: two charts offer different files called %s", page, name)
        file = root / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")
        return f'{found[1]}{"../" * page.count("/")}{folder}/{found[2]}"'

    return _OFFERED.sub(moved, body)


def _move(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    if "body" in context:
        context["body"] = moved_out(context["body"], page, Path(app.outdir))


def setup(app: Sphinx) -> None:
    """Called by the book's extension."""
    app.connect("html-page-context", _move)
