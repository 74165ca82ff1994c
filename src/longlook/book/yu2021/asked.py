"""What the chapter's clients allow a server to send, as `longlook clients` read it from their packets."""

from __future__ import annotations

from IPython.display import HTML

from longlook import paths
from longlook.book.yu2021.names import NAMES
from longlook.experiment.allowed import Allowed, read
from longlook.figure import style
from longlook.figure.table import shown_table

HEAD = ["client", "over", "a stream", "the connection", "TCP's own, at most", "a certificate that it cannot know"]


def allowed() -> HTML:
    """A row per client and protocol: flow control windows, at first and where they grow the most; TCP's own."""
    found = read(paths.ALLOWED)
    over_quic = sum(is_quic(one) for one in found)
    return shown_table(HEAD, [_row(one) for one in found], numeric={2, 3, 4}, starts={over_quic})


def is_quic(one: Allowed) -> bool:
    """It was asked over HTTP/3."""
    return one.arm.startswith("quic")


def _row(one: Allowed) -> list[str]:
    return [
        NAMES[one.arm.split()[-1]],
        "HTTP/3" if is_quic(one) else "HTTP/2",
        _grown(*one.of_stream),
        _grown(*one.of_connection),
        kilobytes(one.receive_most) if one.receive_most else style.DASH,
        "refuses" if one.verifies else "takes",
    ]


def _grown(first: int, most: int) -> str:
    """`512 to 655 KB` where it grows."""
    return kilobytes(first) if most == first else f"{kilobytes(first)} to {kilobytes(most)}"


def kilobytes(size: int) -> str:
    """Of 1,024 bytes."""
    return f"{size / 1024:,.0f} KB"


def least() -> int | None:
    """The smallest window of any client at its largest, bytes; None before they are asked."""
    found = read(paths.ALLOWED)
    return min((one for row in found for one in (row.stream_most, row.connection_most)), default=None)


def unverified() -> list[str] | None:
    """Clients that took a certificate that they had no reason to trust; None before they are asked."""
    found = read(paths.ALLOWED)
    return [NAMES[one.arm.split()[-1]] for one in found if not one.verifies] if found else None
