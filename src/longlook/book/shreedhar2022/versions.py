"""Versions of QUIC by one browser: how long each takes to connect."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.shreedhar2022.names import at, newest
from longlook.experiment.metrics import CONNECT
from longlook.figure import style
from longlook.figure.table import html_table

VERSIONS = "shreedhar-versions"
GOOGLE, DRAFT, V1, TCP = "q043", "d29", "v1", "tcp"
NAMES = {
    GOOGLE: "Google's QUIC 43, gquicd",
    DRAFT: "QUIC draft 29, Envoy",
    V1: "QUIC version 1, Envoy",
    TCP: "TLS 1.3 over TCP, Apache",
}
LINKS = {rtt_ms: at(VERSIONS, rtt_ms) for rtt_ms in (10, 55)}


def table(data: BookData | None = None) -> HTML:
    """By arm and link: mean connection time with its standard deviation, and by how much it is above version 1's."""
    own = newest(data or book_data.load(), VERSIONS)
    if not own.has(VERSIONS):
        return HTML(style.NOTHING_YET)
    rows = [
        [title, *(text for where in LINKS.values() for text in _texts(own, arm, where))] for arm, title in NAMES.items()
    ]
    head = ["connection", *["mean, ms", "against version 1"] * len(LINKS)]
    groups = [("", 1), *((f"{rtt_ms} ms", 2) for rtt_ms in LINKS)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def _texts(own: StudyColumn, arm: str, where: dict[str, Any]) -> tuple[str, str]:
    mean = own.text("{mean:.1f} ± {sd:.1f}", value=arm, metric=CONNECT.name, **where)
    return mean, style.DASH if arm == V1 else own.text("{ms}", difference=[arm, V1], metric=CONNECT.name, **where)
