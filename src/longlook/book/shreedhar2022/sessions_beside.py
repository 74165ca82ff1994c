"""What Shreedhar et al. print of sessions of a film, beside what was measured: table III, and start-up."""

from __future__ import annotations

import statistics

from IPython.display import HTML

from longlook.analysis.estimate import Estimate
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.shreedhar2022.names import newest
from longlook.book.shreedhar2022.sessions import LONG, LOSSES, NAMES, QUIC, SHORT, TCP, at
from longlook.book.times import percent_text
from longlook.experiment.metrics import STALLS, STARTUP, SWITCHES
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.published.shreedhar2022 import COUNTS, EARLIER_PCT, STARTUP_S, streamed

NONE = style.DASH
MEDIAN = {"metric": STARTUP.name, "statistic": "lowest-median"}
MINUTES = {SHORT: "1 minute", LONG: "3 minutes"}
PRINTED_COUNTS = {metric: printed for printed, metric in COUNTS.items()}
COUNTED = {STALLS.name: "stalls", SWITCHES.name: "changes of the bitrate"}


def counts(data: BookData | None = None) -> HTML:
    """By loss and protocol, means over the sessions: printed, of a minute, of three minutes."""
    found, printed = data or book_data.load(), streamed()
    own = [(series, newest(found, series)) for series in (SHORT, LONG)]
    rows: list[list[str]] = []
    starts: list[int] = []
    for loss in LOSSES:
        starts.append(len(rows))
        for arm, name in NAMES.items():
            row = [f"{loss:g} %", name]
            for metric in COUNTED:
                row.append(f"{printed[PRINTED_COUNTS[metric], loss, arm]:g}")
                row += [_mean(played, series, loss, arm, metric) for series, played in own]
            rows.append(row)
    head = ["loss each way", "protocol", *("printed", *MINUTES.values()) * len(COUNTED)]
    groups = [("", 2), *((what, 1 + len(MINUTES)) for what in COUNTED.values())]
    return HTML(html_table(head, rows, numeric=set(range(2, len(head))), groups=groups, starts=starts))


def _mean(own: StudyColumn, series: str, loss: float, arm: str, metric: str) -> str:
    found = own.summary(arm, metric, **at(series, loss))
    return NONE if found is None else style.rounded(found.mean)


def startup(data: BookData | None = None) -> HTML:
    """By loss, medians in s by both protocols, and HTTP/3's against HTTP/2's: printed, and of sessions of a minute."""
    played, printed = newest(data or book_data.load(), SHORT), streamed()
    rows = []
    for loss in LOSSES:
        said = [printed.get((STARTUP_S, loss, arm)) for arm in NAMES]
        own = [played.loads(arm, STARTUP.name, **at(SHORT, loss)) for arm in NAMES]
        rows.append(
            [
                f"{loss:g} %",
                *(NONE if one is None else f"{one:g}" for one in said),
                _printed(loss),
                *map(_median, own),
                played.text("{percent}", ratio=[QUIC, TCP], **MEDIAN, **at(SHORT, loss)),
            ]
        )
    three = [*(f"{name}, s" for name in NAMES.values()), f"{NAMES[QUIC]} against {NAMES[TCP]}"]
    groups = [("", 1), ("printed", len(three)), ("measured", len(three))]
    return HTML(html_table(["loss each way", *three, *three], rows, numeric=set(range(1, 7)), groups=groups))


def _median(ms: tuple[float, ...]) -> str:
    return f"{statistics.median(ms) / 1e3:.2f}" if ms else NONE


def _printed(loss: float) -> str:
    """Two medians, or by how much the one takes less than the other."""
    found = streamed()
    quic, tcp = (found.get((STARTUP_S, loss, arm)) for arm in (QUIC, TCP))
    earlier = found.get((EARLIER_PCT, loss, QUIC))
    if earlier is not None:
        return percent_text(Estimate(1 - earlier / 100))
    return NONE if quic is None or tcp is None else percent_text(Estimate(quic / tcp))
