"""The one exception that a user's mistake or a broken environment raises; the CLI prints it without a traceback."""


class LonglookError(Exception):
    """Says what was tried, what came back and what to do about it."""


class NotSupported(LonglookError):
    """This server, client or stack cannot do what the cell asks; another one may."""
