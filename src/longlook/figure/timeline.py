"""Timelines: rates and congestion windows over the time of a transfer, with an overview to zoom by.

Flows are told apart by colour, dash and position in the legend; QUIC is red and TCP blue, as everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured

WIDTH_PX, PHONE_PX, DETAIL_PX, OVERVIEW_PX = 560, 240, 230, 44
SHADES = {"quic": ("#b2182b", "#ef8a62", "#7f0f1d", "#fdae61"), "tcp": ("#2166ac", "#67a9cf", "#053061", "#92c5de")}
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
PHASES = {"slow_start": "#4393c3", "congestion_avoidance": "#1b7837", "recovery": "#b2182b"}
"""As gquicd names them; told apart by shape too."""


def colours(protocols: Mapping[str, str]) -> tuple[list[str], list[list[int]]]:
    """Colour and dash of each label, in order; `protocols`: label -> protocol. Equal protocols get other shades and
    dashes."""
    seen = {"quic": 0, "tcp": 0}
    shades, dashes = [], []
    for protocol in protocols.values():
        number = seen[protocol]
        seen[protocol] += 1
        shades.append(SHADES[protocol][number % 4])
        dashes.append(DASHES[number % 4])
    return shades, dashes


def timeline(
    frame: pd.DataFrame,
    protocols: Mapping[str, str],
    title: str,
    references: Sequence[tuple[float, str]] = (),
    step: bool = False,
    width: int = WIDTH_PX,
) -> alt.VConcatChart:
    """`frame` has columns time_s, value and label; `protocols` gives each label's protocol, in the order of the legend.

    `references` are dashed lines (value, text), for published values. `width` is without the axis, in px.
    """
    shades, dashes = colours(protocols)
    labels = list(protocols)
    legend = _legend(width, labelLimit=300 if width == WIDTH_PX else width - 20, symbolSize=400, symbolStrokeWidth=2.5)
    colour = alt.Color("label:N", scale=alt.Scale(domain=labels, range=shades), sort=labels, legend=legend)
    dash = alt.StrokeDash("label:N", scale=alt.Scale(domain=labels, range=dashes), sort=labels, legend=legend)
    brush = alt.selection_interval(encodings=["x"], name="zoom")
    interpolate: Literal["step-after", "linear"] = "step-after" if step else "linear"
    base = alt.Chart(frame)
    lines = base.mark_line(strokeWidth=1.6, interpolate=interpolate, clip=True).encode(
        x=alt.X("time_s:Q", title="time since the start, s", scale=alt.Scale(domain=brush, nice=False)),
        y=alt.Y("value:Q", title=title),
        color=colour,
        strokeDash=dash,
        tooltip=[
            alt.Tooltip("label:N", title="flow"),
            alt.Tooltip("time_s:Q", title="s", format=".2f"),
            alt.Tooltip("value:Q", title=title, format=",.2f"),
        ],
    )
    detail = alt.layer(lines, *_references(references, title))
    strip = base.mark_line(strokeWidth=0.8, interpolate=interpolate).encode(color=colour)
    return _zoomable(detail, strip, brush, width, axis=alt.Axis(tickCount=8 if width == WIDTH_PX else 4))


def _legend(width: int, **options: Any) -> alt.Legend:
    """Above the chart; on a phone an entry in each line."""
    if width != WIDTH_PX:
        options["columns"] = 1
    return alt.Legend(title=None, orient="top", **options)


def _zoomable(
    detail: style.Layered, strip: alt.Chart, brush: alt.Parameter, width: int, **time_axis: Any
) -> alt.VConcatChart:
    """The detail, and below it the strip on which the reader drags its span."""
    time = alt.X("time_s:Q", title=style.ZOOM, **time_axis)
    strip = (
        strip.encode(x=time, y=alt.Y("value:Q", title=None, axis=None))
        .properties(width=width, height=OVERVIEW_PX)
        .add_params(brush)
    )
    return configured(alt.vconcat(detail.properties(width=width, height=DETAIL_PX), strip, spacing=8))


def _references(references: Sequence[tuple[float, str]], title: str) -> list[alt.Chart]:
    if not references:
        return []
    frame = pd.DataFrame(references, columns=["value", "text"])
    rule = (
        alt.Chart(frame)
        .mark_rule(strokeDash=[3, 3], color=style.INK, opacity=0.8)
        .encode(y=alt.Y("value:Q", title=title))
    )
    text = (
        alt.Chart(frame)
        .mark_text(align="right", baseline="bottom", dx=-4, dy=-3, fontSize=11, color=style.INK)
        .encode(y="value:Q", x=alt.value("width"), text="text:N")
    )
    return [rule, text]


def phases(frame: pd.DataFrame, title: str, width: int = WIDTH_PX) -> alt.VConcatChart:
    """A window over time, coloured by the sender's phase; columns time_s, value, phase."""
    known = [name for name in PHASES if name in set(frame["phase"])]
    legend = _legend(width, symbolType="circle")
    colour = alt.Color("phase:N", scale=alt.Scale(domain=known, range=[PHASES[name] for name in known]), legend=legend)
    shape = alt.Shape(
        "phase:N", scale=alt.Scale(domain=known, range=["circle", "square", "triangle-up"][: len(known)]), legend=legend
    )
    brush = alt.selection_interval(encodings=["x"], name="zoom")
    base = alt.Chart(frame)
    points = base.mark_point(size=14, filled=True, opacity=0.8, clip=True).encode(
        x=alt.X("time_s:Q", title="time since the start, s", scale=alt.Scale(domain=brush, nice=False)),
        y=alt.Y("value:Q", title=title),
        color=colour,
        shape=shape,
    )
    return _zoomable(points, base.mark_line(strokeWidth=0.8, color=style.GREY), brush, width)


def told(frame: pd.DataFrame) -> str:
    """A chart in words: of each line or phase its least, median and greatest value."""
    column = "label" if "label" in frame else "phase"
    found = []
    for name, values in frame.groupby(column, sort=False)["value"]:
        least, middle, most = (style.rounded(one) for one in (values.min(), values.median(), values.max()))
        found.append(f"{name}: {least} to {most}, median {middle}.")
    return " ".join(found)
