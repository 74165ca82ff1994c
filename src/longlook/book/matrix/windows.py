"""Downloads from every server, each congestion controller with and without loss, that were watched from inside.

The window is the server's own account, what is in flight and what is lost that of a capture beside it.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence

import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.course import KB, Course, median_over_time
from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.loads import courses
from longlook.book.matrix.evidence import STUDY
from longlook.book.matrix.pairs import NAMES
from longlook.errors import LonglookError
from longlook.experiment import reading
from longlook.figure import style
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import shown_table
from longlook.figure.windows import KINDS, LINES, LOSSES, PHONE, told, windows_chart
from longlook.plan.arm import Cca
from longlook.probe import qlog
from longlook.probe.thin import thin
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


BINS = 80


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """Windows, bytes in flight and losses of every server's controllers, with the traces to take along."""
    tables = data or book_data.load()
    found, title = newest(tables)
    if not found:
        return HTML(style.NOTHING_YET)
    lines, losses, holds_kb = _lines(found), _losses(found), link_kb(tables)
    files = [Attachment(f"{SERIES}.csv", lines.to_csv(index=False)), *_qlogs(found)]
    return LiveChart(
        name=SERIES,
        chart=windows_chart(lines, losses, holds_kb),
        narrow=windows_chart(lines, losses, holds_kb, PHONE),
        alt_text=f"Congestion windows and bytes in flight over time, KB. {told(lines, losses)}",
        downloads=tuple(files),
        note=f"{html.escape(title)}, one download each. Thick: the window as the server tells it; thin: what is in "
        "flight; ticks: packets declared lost; dashed: what the link holds. Each column has its own scale, which the "
        "largest windows, those of the beginning, go beyond.",
        hint="Point at a line for its numbers; the wheel with the shift key zooms, dragging moves.",
    )


def _panel(server: str, cca: Cca, loss_pct: float) -> dict[str, str]:
    own = CCA_WORDS[cca]
    group = f", {own if cca == 'bbr' else 'CUBIC or Reno'}" if loss_pct else ""
    return {"row": NAMES[server], "column": f"{LOSSES_PCT[loss_pct]}{group}", "label": own}


def _lines(found: Downloads) -> pd.DataFrame:
    """LINES of all downloads, thinned."""
    parts = []
    for place, one in found.items():
        for kind, line in zip(KINDS, (one.window, one.in_flight), strict=True):
            kb = pd.DataFrame({"time_s": line["time_s"], "kb": line["bytes"] / KB})
            own = thin(kb, ["kb"], BINS)
            parts.append(own.assign(**_panel(*place), kind=kind, time_s=own["time_s"].round(3), kb=own["kb"].round(1)))
    return pd.concat(parts, ignore_index=True)[list(LINES)]


def _losses(found: Downloads) -> pd.DataFrame:
    every = [(_panel(*place), one.losses) for place, one in found.items()]
    parts = [own.assign(**panel, time_s=own["time_s"].round(3)) for panel, own in every]
    return pd.concat(parts, ignore_index=True)[list(LOSSES)].astype({"count": int})


def _qlogs(found: Downloads) -> Iterator[Attachment]:
    for (server, cca, loss_pct), one in found.items():
        if (text := trace_of(one)) is not None:
            yield Attachment(f"{server}-{cca}-{loss_pct:g}pct.qlog", text, "application/json")


def table(data: BookData | None = None) -> HTML:
    """A row for each server and controller: time, largest window, what is in flight, losses, what a cut leaves."""
    found, _ = newest(data or book_data.load())
    if not found:
        return HTML(style.NOTHING_YET)
    each = ["s", "largest window, KB", "in flight, KB", "lost"]
    head = ["server", "controller", "its window is told by", *each, *each, "left by a cut"]
    groups = [("", 3), *((words, len(each)) for words in LOSSES_PCT.values()), ("", 1)]
    rows = []
    for server, controllers in SERVERS.items():
        for cca in controllers:
            pair = [found.get((server, cca, loss_pct)) for loss_pct in LOSSES_PCT]
            cells = [text for one in pair for text in _texts(one)]
            rows.append([NAMES[server], CCA_WORDS[cca], _source(server, pair), *cells, _kept(pair[-1])])
    return shown_table(head, rows, numbers_from=3, groups=groups)


def _source(server: str, pair: Sequence[Course | None]) -> str:
    told = any(one is not None and len(one.window) for one in pair)
    return f"its {SOURCES[server]}" if told else "nothing: its estimate is of CUBIC's alone"


def _texts(one: Course | None) -> list[str]:
    if one is None:
        return [style.DASH] * 4
    largest = f"{one.window['bytes'].max() / KB:.0f}" if len(one.window) else style.DASH
    return [f"{one.finished_s:.1f}", largest, f"{median_over_time(one.in_flight) / KB:.0f}", f"{one.lost:.0f}"]


def _kept(one: Course | None) -> str:
    return style.DASH if one is None or one.cuts.empty else f"{one.kept:.2f} ({len(one.cuts)} cuts)"
