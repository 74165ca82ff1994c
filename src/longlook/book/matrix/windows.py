"""Downloads from every server, each congestion controller with and without loss, that were watched from inside."""

from __future__ import annotations

from collections.abc import Mapping

from longlook import paths
from longlook.analysis.course import Course
from longlook.book.data import COLUMNS, BookData
from longlook.book.loads import courses
from longlook.book.matrix.evidence import STUDY
from longlook.errors import LonglookError
from longlook.experiment import reading
from longlook.plan.arm import Cca
from longlook.probe import qlog
from longlook.record.parquet import records

SERIES = "matrix-windows"
SERVERS: Mapping[str, tuple[Cca, ...]] = {
    "envoy": ("cubic", "bbr"),
    "ngtcp2": ("cubic", "reno", "bbr"),
    "lsquic": ("cubic", "reno", "bbr"),
    "aioquic": ("cubic", "reno"),
    "quicgo": ("reno",),
}
"""With the controllers that each offers."""
LOSSES_PCT = {0.0: "no loss", 1.0: "1 % loss"}
CCA_WORDS: Mapping[Cca, str] = {"cubic": "CUBIC", "reno": "Reno", "bbr": "BBR"}
SOURCES = {"envoy": "counters", "ngtcp2": "qlog", "lsquic": "counters", "aioquic": "qlog", "quicgo": "qlog"}
"""What a server's own account is."""
EVERY, SPANS = 20, 600
"""Of the packets of a trace that the book offers, and of what its metrics tell."""
Downloads = Mapping[tuple[str, Cca, float], Course]
"""Server, controller and loss in per cent -> the download."""


def trace_of(course: Course) -> str | None:
    """What the book offers of a whole trace, thinned; None where the raw records are not here."""
    try:
        return qlog.thinned(reading.traces(paths.RAW / course.campaign / course.cell_id), EVERY, SPANS)
    except LonglookError:
        return None


def measured(data: BookData, key: str) -> Downloads:
    """Of one column, `reference` or `yours`, in the order of SERVERS and LOSSES_PCT; those that count."""
    watched = courses(data, STUDY, SERIES, key)
    arms = data.rows("arms", STUDY, SERIES, key).drop_duplicates(["campaign", "key", "arm"])
    found = {
        (row["server"], row["cca"], row["loss_pct"]): own[0]
        for row in records(arms)
        if (own := watched.get((row["campaign"], row["key"], row["arm"])))
    }
    places = [(server, cca, loss) for server, ccas in SERVERS.items() for cca in ccas for loss in LOSSES_PCT]
    return {place: found[place] for place in places if place in found}


def link_kb(data: BookData) -> float:
    """What the link of these downloads holds without its queue."""
    cell = data.of("cells", STUDY, SERIES).iloc[0]
    return float(cell["bandwidth_mbps"] * cell["rtt_ms"] / 8)


def newest(data: BookData) -> tuple[Downloads, str]:
    """The reader's own campaign, else the reference one, and what its column is called."""
    for name, _, title in reversed(COLUMNS):
        if found := measured(data, name):
            return found, title
    return {}, ""
