"""Versions of QUIC by one browser: how long each takes to connect."""

from __future__ import annotations

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.shreedhar2022.evidence import Downloads, LinkAndFile, more, newest
from longlook.book.times import ms_text
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
LINKS = (LinkAndFile(VERSIONS, 10), LinkAndFile(VERSIONS, 55))


def table(data: BookData | None = None) -> HTML:
    """By arm and link: mean connection time with its standard deviation, and by how much it is above version 1's."""
    found = newest(data or book_data.load(), VERSIONS)
    if found is None:
        return HTML(style.NOTHING_YET)
    rows = [
        [title, *(text for where in LINKS for text in _texts(found[1], where, arm))] for arm, title in NAMES.items()
    ]
    head = ["connection", *["mean, ms", "against version 1"] * len(LINKS)]
    groups = [("", 1), *((f"{where.rtt_ms:g} ms", 2) for where in LINKS)]
    return HTML(html_table(head, rows, numeric=set(range(1, len(head))), groups=groups))


def _texts(evidence: Downloads, where: LinkAndFile, arm: str) -> tuple[str, str]:
    own, later = evidence.summary(where, arm, CONNECT.name), more(evidence, where, arm, V1)
    mean = style.DASH if own is None else f"{own.mean:.1f} ± {own.sd:.1f}"
    return mean, style.DASH if later is None or arm == V1 else ms_text(later)
