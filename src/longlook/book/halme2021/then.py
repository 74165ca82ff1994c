"""Why aioquic was slow at 200 ms: the aioquic of then beside today's."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.halme2021.evidence import Setting
from longlook.book.value import SPACE
from longlook.experiment.metrics import DURATION
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.published.halme2021 import STUDY

SERIES, BOTH = "aioquic-then", "aioquic-both"
TODAY = "today"
ARMS = {
    SERIES: {
        "then": "aioquic 0.9.21",
        "then told": "its server told of 1 s",
        TODAY: "aioquic 1.7.2",
        "tcp": "TCP",
    },
    BOTH: {
        "then": "aioquic 0.9.21",
        "client told": "its client told of 1 s",
        "both told": "both told",
        TODAY: "aioquic 1.7.2",
    },
}
RTTS_MS = (20, 100, 400)


def table(series: str = SERIES, data: BookData | None = None) -> HTML:
    """Mean durations of the reference campaign by round trip, and each arm's difference from today's aioquic; of round
    trips that have all arms."""
    own = StudyColumn(data or book_data.load(), STUDY)
    arms, lines = ARMS[series], []
    for rtt_ms in RTTS_MS:
        asked = {"metric": DURATION.name, **Setting(series, rtt_ms=rtt_ms).said}
        if len(own.found(value=list(arms), **asked)) == len(arms):
            lines.append([f"{rtt_ms / 2:g}{SPACE}ms", *(_cell(own, arm, asked) for arm in arms)])
    head = ["one way", *arms.values()]
    return HTML(html_table(head, lines, escape=False, numeric=range(1, 5)) if lines else style.NOTHING_YET)


def _cell(own: StudyColumn, arm: str, asked: dict[str, Any]) -> str:
    text = own.text(f"{{seconds:.2f}}{SPACE}s", value=arm, **asked)
    return text if arm == TODAY else f"{text}<br>{own.text('{percent}', ratio=[arm, TODAY], **asked)}"
