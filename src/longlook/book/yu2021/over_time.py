"""What of a file was acknowledged over the time of its downloads, after figures 5, 7 and 11 of the paper.

Of the loads of a kind the one whose whole time is the median stands for all.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from IPython.display import HTML

from longlook.analysis.course import KB, Course
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.loads import courses
from longlook.book.yu2021.names import FAR, LOSSY, MIDDLE, SMALL, Impairment
from longlook.figure import acknowledged, style
from longlook.figure.acknowledged import ACKED, IN_FLIGHT, LINES, LOSSES, WINDOW, Look, acknowledged_chart
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import shown_table
from longlook.probe.thin import thin
from longlook.published.yu2021 import STUDY
from longlook.record.parquet import records

SERIES = "yu-over-time"


@dataclass(frozen=True)
class Figure:
    """One of the paper's, as it is measured here: the file, the link, and the labels of the sweep's cells."""

    number: str
    size_bytes: int
    condition: Impairment
    labels: tuple[str, ...]


FIGURES: Mapping[str, Figure] = {
    one.number: one
    for one in (
        Figure(
            "5",
            MIDDLE,
            LOSSY,
            ("Envoy, BBR", "Envoy, CUBIC", "ngtcp2, BBR", "ngtcp2, CUBIC", "Apache, BBR", "Apache, CUBIC"),
        ),
        Figure("7", SMALL, FAR, ("Envoy, BBR", "ngtcp2, BBR", "Apache, BBR")),
        Figure("11", MIDDLE, FAR, ("quic-go from Envoy", "ngtcp2 from Envoy", "Chromium from Envoy")),
    )
}
Kind = tuple[str, str]
"""Figure and label."""
Found = Mapping[Kind, tuple[Course, ...]]
"""The loads of each kind that count, by their whole times."""


def median_of(loads: tuple[Course, ...]) -> Course:
    """The one in the middle; of an even number the earlier of the two there."""
    return loads[(len(loads) - 1) // 2]


def measured(data: BookData, key: str) -> Found:
    """Of one column, `reference` or `yours`; kinds without a load that counts are left out."""
    cells = {row["cell_id"]: row for row in records(data.rows("cells", STUDY, SERIES, key))}
    found: dict[Kind, list[Course]] = {(one.number, label): [] for one in FIGURES.values() for label in one.labels}
    for load in (one for own in courses(data, STUDY, SERIES, key).values() for one in own if len(one.acked)):
        cell = cells[load.cell_id]
        for figure in FIGURES.values():
            place = figure.size_bytes, figure.condition.rtt_ms, figure.condition.loss_pct
            if place == (cell["object_bytes"], cell["rtt_ms"], cell["loss_pct"]) and cell["label"] in figure.labels:
                found[figure.number, cell["label"]].append(load)
    return {kind: tuple(sorted(own, key=lambda load: load.whole_s)) for kind, own in found.items() if own}


BINS = 150
Medians = Mapping[str, Course]
"""Label -> the median load of its kind."""


def picture(number: str, data: BookData | None = None) -> LiveChart | HTML:
    """One of FIGURES: the median load of each kind."""
    own = data or book_data.load()
    key, title = own.own_or_reference(STUDY, SERIES)
    shown = {label: median_of(loads) for (figure, label), loads in measured(own, key).items() if figure == number}
    if not shown:
        return HTML(style.NOTHING_YET)
    lines, losses, looks = _lines(shown), _losses(shown), _looks(FIGURES[number].labels)
    return LiveChart(
        name=f"{SERIES}-{number}",
        chart=acknowledged_chart(lines, losses, looks),
        narrow=acknowledged_chart(lines, losses, looks, acknowledged.PHONE),
        alt_text=f"Bytes acknowledged over time. {acknowledged.told(lines, losses)}",
        downloads=(Attachment(f"{SERIES}-{number}.csv", lines.to_csv(index=False)),),
        note=f"{html.escape(title)}, of each kind the median of {_counts(own, key, number)} loads. Above: bytes "
        "acknowledged, in order or not; ticks: packets declared lost. Below, thin: in flight; thick: the window, where "
        "its server tells it.",
        hint="Point at a line for its numbers; the wheel with the shift key zooms, dragging moves.",
    )


def _counts(data: BookData, key: str, number: str) -> str:
    """`3`, or `2 to 3`."""
    counts = sorted(len(loads) for (figure, _), loads in measured(data, key).items() if figure == number)
    return str(counts[0]) if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"


def _looks(labels: Sequence[str]) -> dict[str, Look]:
    """A colour for each server (or client), a dash for CUBIC."""
    names = list(dict.fromkeys(label.partition(",")[0] for label in labels))
    return {label: Look(names.index(label.partition(",")[0]), int(label.endswith("CUBIC"))) for label in labels}


def _lines(shown: Medians) -> pd.DataFrame:
    """LINES of all downloads, thinned."""
    parts = []
    for label, one in shown.items():
        for kind, line in ((ACKED, one.acked), (WINDOW, one.window), (IN_FLIGHT, one.in_flight)):
            own = thin(line[line["time_s"] <= one.whole_s], ["bytes"], BINS)
            kb = (own["bytes"] / KB).round(1)
            parts.append(own.assign(label=label, kind=kind, time_s=own["time_s"].round(4), kb=kb))
    return pd.concat([part for part in parts if len(part)], ignore_index=True)[list(LINES)]


def _losses(shown: Medians) -> pd.DataFrame:
    parts = [one.losses.assign(label=label, time_s=one.losses["time_s"].round(4)) for label, one in shown.items()]
    return pd.concat(parts, ignore_index=True)[list(LOSSES)].astype({"count": int})


def table(data: BookData | None = None) -> HTML:
    """A row for each kind: the times of its loads, and of the median one what was lost, in flight and allowed."""
    own = data or book_data.load()
    key, _ = own.own_or_reference(STUDY, SERIES)
    found = measured(own, key)
    head = ["figure", "download", "all acknowledged after, s", "first, s", "half, s", "lost", "least in flight, %"]
    head += ["best round trip, %", "least allowed, KB", "limited, %"]
    rows = []
    for (number, label), loads in found.items():
        one = median_of(loads)
        times = ", ".join(f"{each.whole_s:.2f}" for each in loads)
        numbers = [f"{one.first_s:.3f}", f"{one.reached_s(0.5):.3f}", f"{one.lost:.0f}", f"{one.thin_share * 100:.0f}"]
        rows.append([number, label, times, *numbers, f"{one.best_share * 100:.0f}", *_allowed(one)])
    return shown_table(head, rows, numbers_from=2)


def _allowed(one: Course) -> list[str]:
    if one.allowed.empty:
        return [style.DASH, style.DASH]
    return [f"{one.allowed['bytes'].min() / KB:.0f}", f"{one.limited_share * 100:.1f}"]
