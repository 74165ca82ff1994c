"""The years across: QUIC against TCP by milestone, and each protocol against itself with the thesis's browser."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import altair as alt
import pandas as pd
from IPython.display import HTML

from longlook.analysis.ratio import Ratio
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.years.evidence import AXIS, BASE, LOSS, PROTOCOLS, STUDY, CellByMilestone, cells
from longlook.book.years.milestones import SERVERS, Milestone, milestones
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import Attachment, LiveChart
from longlook.record.campaign import split_digests

PROTOCOL_MARKS = {
    style.PROTOCOL_LABELS["quic"]: (style.SIDE_COLOURS["left"], "circle"),
    style.PROTOCOL_LABELS["tcp"]: (style.SIDE_COLOURS["right"], "diamond"),
}
"""Colour and shape."""
SERVER_MARKS = {SERVERS["gquicd"]: ("#c2701d", "square"), SERVERS["envoy"]: ("#7b3294", "circle")}
PAGE_COLOURS = ("#7b3294", "#c2701d", "#1b7837", "#2166ac", "#444444")
"""Of the pages, the smallest first; each has a shape of its own besides."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
LEAST_LOADS = 5
"""Of an arm for its interval to be drawn: that of two loads is wider than all that a figure shows."""
ONE_SCALE = "All panels have one scale, which does not begin at 0."
FEW = f" Intervals of fewer than {LEAST_LOADS} loads are not drawn; a mark tells them."
DRAWN = "datum.drawn"
MEASURED_TOOLTIP = [
    alt.Tooltip("milestone:N", title="browser"),
    alt.Tooltip("released:N", title="released"),
    alt.Tooltip("page:N", title="page"),
    alt.Tooltip("mbps:Q", title="Mbit/s", format="g"),
    alt.Tooltip("wire:N", title="QUIC"),
    alt.Tooltip("tls:N", title="TLS over TCP"),
]
INTERVAL_TOOLTIP = [
    alt.Tooltip("ratio:Q", format=".3f"),
    alt.Tooltip("low:Q", title="99 %, from", format=".3f"),
    alt.Tooltip("high:Q", title="to", format=".3f"),
    alt.Tooltip("loads:N", title="loads"),
    alt.Tooltip("stack:N", title="stack"),
    alt.Tooltip("digest:N", title="its digest"),
]


def newest(data: BookData, series: Sequence[str] = AXIS) -> tuple[str, list[CellByMilestone]]:
    """Heading and cells of the reader's own campaign, else of the reference one; each page at every bandwidth."""
    key, title = data.own_or_reference(STUDY, *series)
    return title, sorted(cells(data, key, series), key=lambda one: (one.place.object_count, one.place.object_bytes))


def against_tcp_with_loss() -> LiveChart | HTML:
    """The same with 1 % loss."""
    return against_tcp(series=LOSS)


def against_tcp(data: BookData | None = None, series: Sequence[str] = AXIS) -> LiveChart | HTML:
    """QUIC's page load times over TCP's, by the day of the browser's release; a panel per cell, a line per server."""
    data = data or book_data.load()
    title, found = newest(data, series)
    if not found:
        return HTML(style.NOTHING_YET)
    name = f"{series[0]}-quic-against-tcp"
    frame = pd.DataFrame(_lead_rows(data, found))
    return LiveChart(
        name=name,
        chart=bases(frame, 285, 2, "server", SERVER_MARKS, "QUIC over TCP"),
        narrow=bases(frame, 235, 1, "server", SERVER_MARKS, "QUIC over TCP"),
        alt_text=_lead_words(frame),
        downloads=(Attachment(f"{name}.csv", frame.to_csv(index=False)),),
        note=f"{title}. Means of QUIC over means of TCP, with 99 % intervals (Fieller); below 1 QUIC is faster. "
        f"Colours are QUIC's servers. {ONE_SCALE}" + few(frame),
        hint="Point at a mark for its numbers.",
    )


def against_the_thesis(data: BookData | None = None) -> LiveChart | HTML:
    """Each protocol's page load times over those of the thesis's milestone, by the day of the browser's release."""
    data = data or book_data.load()
    title, found = newest(data)
    if not found:
        return HTML(style.NOTHING_YET)
    frame = pd.DataFrame(_base_rows(data, found))
    return LiveChart(
        name="years-against-the-thesis",
        chart=bases(frame, 285, 2, "protocol", PROTOCOL_MARKS),
        narrow=bases(frame, 235, 1, "protocol", PROTOCOL_MARKS),
        alt_text=base_words(frame, "protocol"),
        downloads=(Attachment("years-against-the-thesis.csv", frame.to_csv(index=False)),),
        note=f"{title}. Means over the mean of Chromium {BASE} with the same protocol and page, with 99 % intervals. "
        f"QUIC's line is broken where its server changes. {ONE_SCALE}" + few(frame),
        hint="Point at a mark for its numbers.",
    )


def known(data: BookData, one: Milestone, cell: CellByMilestone, stack: str = "") -> dict[str, object]:
    """Of a mark whatever its tooltip tells but the result; `stack`: if it is not the milestone's own."""
    campaign = data.campaign(cell.campaign)
    digests = split_digests(campaign["stack"], campaign["stack_digest"])
    stack = stack or one.stack
    return {
        "milestone": one.name,
        "number": one.number,
        "released": one.released,
        "page": cell.place.page,
        "mbps": cell.place.bandwidth_mbps,
        "wire": one.wire,
        "server": one.server,
        "tls": one.tls,
        "stack": stack,
        "digest": digests.get(stack, "")[:12],
    }


def _lead_rows(data: BookData, found: Iterable[CellByMilestone]) -> Iterator[dict[str, object]]:
    for cell in found:
        for one in milestones():
            if ratio := cell.ratio(one.number):
                counts = [cell.times[one.number, protocol].n for protocol in PROTOCOLS]
                own = {"server": SERVERS[one.server], "panel": cell.place.title, "line": one.server}
                yield known(data, one, cell) | own | interval(ratio, counts)


def _base_rows(data: BookData, found: Iterable[CellByMilestone]) -> Iterator[dict[str, object]]:
    for cell in found:
        for one in milestones():
            for protocol in PROTOCOLS:
                if ratio := cell.to_base(one.number, protocol):
                    line = f"{protocol} {one.server}" if protocol == "quic" else protocol
                    own = {"protocol": style.PROTOCOL_LABELS[protocol], "panel": cell.place.title, "line": line}
                    yield known(data, one, cell) | own | interval(ratio, [cell.times[one.number, protocol].n])


def interval(ratio: Ratio, loads: Sequence[int]) -> dict[str, object]:
    """Of a mark its result."""
    return {
        "ratio": ratio.value,
        "low": ratio.low,
        "high": ratio.high if math.isfinite(ratio.high) else None,
        "loads": " and ".join(map(str, loads)),
        "drawn": min(loads) >= LEAST_LOADS,
    }


def few(frame: pd.DataFrame) -> str:
    """What the note says of intervals that are not drawn."""
    return "" if frame["drawn"].all() else FEW


def bases(
    frame: pd.DataFrame,
    width: int,
    in_a_row: int,
    of: str,
    marks: Mapping[str, tuple[str, str]],
    title: str = f"over Chromium {BASE}",
) -> alt.TopLevelMixin:
    """A panel per cell, all by one scale; a line for each value of the column `line`, with the colour and shape that
    `marks` have for that of the column `of`."""
    panels, labels = list(dict.fromkeys(frame["panel"])), list(marks)
    colours, shapes = zip(*marks.values(), strict=True)
    scale = alt.Scale(domain=labels, range=list(colours))
    colour = alt.Color(f"{of}:N", sort=labels, scale=scale, title=None, legend=alt.Legend(orient="top"))
    shape = alt.Shape(f"{of}:N", sort=labels, scale=alt.Scale(domain=labels, range=list(shapes)), title=None)
    x = alt.X("released:T", title=None, axis=alt.Axis(format="%Y", tickCount="year", grid=False, labelOverlap=True))
    y = alt.Y("ratio:Q", title=title, scale=alt.Scale(zero=False))
    base = alt.Chart(frame)
    one = base.mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(y=alt.datum(1))
    line = base.mark_line(strokeWidth=1.2, opacity=0.7).encode(x=x, y=y, color=colour, detail="line:N")
    drawn = base.transform_filter(DRAWN)
    span = drawn.mark_rule(strokeWidth=1.2).encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=colour)
    tooltip = [alt.Tooltip(f"{of}:N"), *MEASURED_TOOLTIP, *INTERVAL_TOOLTIP]
    point = base.mark_point(filled=True, size=34, opacity=1).encode(
        x=x, y=y, color=colour, shape=shape, tooltip=tooltip
    )
    layers = alt.layer(one, line, span, point).properties(width=width, height=110)
    facet = alt.Facet("panel:N", sort=panels, title=None, header=alt.Header(labelFontSize=11))
    return configured(layers.facet(facet=facet, columns=in_a_row).resolve_axis(x="independent"))


def _lead_words(frame: pd.DataFrame) -> str:
    return "Page load time of QUIC over TCP, oldest to newest browser: " + "; ".join(
        f"{page}, {mbps:g} Mbit/s: {own['ratio'].iloc[0]:.2f} with {own['milestone'].iloc[0]}, "
        f"{own['ratio'].min():.2f} to {own['ratio'].max():.2f} over all, {own['ratio'].iloc[-1]:.2f} with "
        f"{own['milestone'].iloc[-1]}"
        for (page, mbps), own in frame.groupby(["page", "mbps"], sort=False)
    )


def base_words(frame: pd.DataFrame, of: str) -> str:
    """What `bases` shows."""
    return f"Page load time over that of Chromium {BASE}: " + "; ".join(
        f"{panel}, {line}: {own['ratio'].min():.2f} to {own['ratio'].max():.2f}"
        for (panel, line), own in frame.groupby(["panel", of], sort=False)
    )
