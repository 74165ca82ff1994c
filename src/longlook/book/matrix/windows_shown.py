"""The figure and the table of the servers' windows.

The window is the server's own account, what is in flight and what is lost that of a capture beside it.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

import pandas as pd
from IPython.display import HTML

from longlook.analysis.course import KB, Course, median_over_time
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.matrix.pairs import NAMES
from longlook.book.matrix.windows import (
    CCA_WORDS,
    LOSSES_PCT,
    SERIES,
    SERVERS,
    SOURCES,
    Downloads,
    link_kb,
    newest,
    trace_of,
)
from longlook.figure import style
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import html_table
from longlook.figure.windows import KINDS, LINES, LOSSES, PHONE, told, windows_chart
from longlook.plan.arm import Cca
from longlook.probe.thin import thin

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
    return HTML(html_table(head, rows, numeric=range(3, len(head)), groups=groups))


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
