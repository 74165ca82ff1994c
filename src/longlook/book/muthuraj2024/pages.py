"""What serves TCP's pages: straight from Apache, and through Flask behind it (sweeps/muthuraj2024/apache-wsgi.toml and
apache-wsgi-gquic37.toml)."""

from __future__ import annotations

from IPython.display import HTML

from longlook.analysis.welch import Summary, summary_of
from longlook.audit.checks import primary
from longlook.book.chapter import Chapter
from longlook.book.flows import page
from longlook.book.varied import REFERENCE
from longlook.figure import style
from longlook.figure.squares import PUBLISHED
from longlook.figure.table import html_table

FLASK, FLASK_GQUIC = "apache-wsgi", "apache-wsgi-gquic37"
PUBLISHED_IN = {FLASK: ("4.6a", "4.6d"), FLASK_GQUIC: ("4.5a", "4.5d")}
STRAIGHT, THROUGH = "apache", "apache-wsgi"
"""TCP's servers: files straight from Apache, and the same through Flask."""
PLACE = ["object_count", "object_bytes", "bandwidth_mbps"]


def table(paper: Chapter, series: str) -> HTML:
    """TCP's means published, straight from Apache and through Flask; of pages that have all three."""
    printed = primary(paper.data.rows("arms", paper.study, PUBLISHED_IN[series], PUBLISHED.key))
    known = {tuple(row[PLACE]): summary_of(row) for _, row in printed[printed["protocol"] == "tcp"].iterrows()}
    rows = []
    for place, own in primary(paper.data.rows("arms", paper.study, series, REFERENCE)).groupby(PLACE):
        by_server = {row["server"]: summary_of(row) for _, row in own.iterrows()}
        if {STRAIGHT, THROUGH} <= set(by_server) and place in known:
            straight, through = by_server[STRAIGHT], by_server[THROUGH]
            longer = f"{through.mean - straight.mean:+.0f}".replace("-", style.MINUS)
            title = f"{page(own.iloc[0])}, {place[2]:g} Mbit/s"
            rows.append([title, *map(_times, (known[place], straight, through)), longer])
    head = ["page", "publ., ms", "Apache, ms", "Flask, ms", "Flask − Apache, ms"]
    return HTML(html_table(head, rows, numeric={1, 2, 3, 4}) if rows else style.NOTHING_YET)


def _times(one: Summary) -> str:
    return f"{one.mean:.0f} ± {one.sd:.0f}"
