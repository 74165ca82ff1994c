"""The one exception that a user's mistake or a broken environment raises; the CLI prints it without a traceback."""


class LonglookError(Exception):
    """Says what was tried, what came back and what to do about it."""
