"""The one exception that a user's mistake or a broken environment raises; the CLI prints it without a traceback."""

import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
MOST_LINE = 400


class LonglookError(Exception):
    """Says what was tried, what came back and what to do about it."""


class NotSupported(LonglookError):
    """This server, client or stack cannot do what the cell asks; another one may."""


def plain(text: str) -> str:
    """A text that may quote a record or a file's name: on one line, without characters that steer a terminal, and such
    that it can be printed and written."""
    return _CONTROL.sub(" ", text.encode("utf-8", "replace").decode())


def one_line(text: str) -> str:
    """`plain`, and not endless."""
    found = plain(text)
    return found if len(found) <= MOST_LINE else found[: MOST_LINE - 3] + "..."
