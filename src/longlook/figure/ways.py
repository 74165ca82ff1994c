"""A ratio of two arms' means, as printed and as measured in two ways: a row per square, a panel per table."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured, of_parts

ROW_PX, PANEL_PX, HEAD_PX = 14, 190, 34
"""Height of a square's row, width of a panel, and what its title and its axis take besides."""
WAYS = {
    "published": ("#222222", "diamond"),
    "as the text says": ("#c2701d", "circle"),
    "as the scripts did": ("#1b7837", "triangle-up"),
}
"""Colour and shape."""
SQUARES = ("panel", "square", "way", "ratio", "agrees", "said")
"""`square`: page and bandwidth; `agrees`: whether its verdict is the published one."""
TICKS = (0.5, 0.7, 1, 1.5, 2, 3, 4, 6)


def ways_chart(frame: pd.DataFrame, title: str, in_a_row: int = 2) -> alt.TopLevelMixin:
    """`frame` has SQUARES, a row for each square and way; `title` of the axis, which all panels have alike."""
    domain = [float(frame["ratio"].min()) * 0.93, float(frame["ratio"].max()) * 1.07]
    columns: list[list[Any]] = [[] for _ in range(in_a_row)]
    heights = [0] * in_a_row
    for panel in dict.fromkeys(frame["panel"]):
        own = frame[frame["panel"] == panel].drop(columns="panel")
        shortest = heights.index(min(heights))
        heights[shortest] += ROW_PX * own["square"].nunique() + HEAD_PX
        named = alt.Title(panel, anchor="start", fontSize=11, fontWeight="normal")
        legend = alt.Legend(orient="top", title=None, columns=len(WAYS) if in_a_row > 1 else 1)
        columns[shortest].append(_panel(own, domain, title, legend).properties(title=named))
    stacks = [of_parts(alt.VConcatChart, vconcat=own, spacing=8) for own in columns if own]
    whole = of_parts(alt.HConcatChart, hconcat=stacks, spacing=16)
    return configured(whole.resolve_scale(fill="shared", stroke="shared", shape="shared"))


def _panel(own: pd.DataFrame, domain: list[float], title: str, legend: alt.Legend) -> style.Layered:
    names = list(dict.fromkeys(own["square"]))
    ticks = [one for one in TICKS if domain[0] < one < domain[1]]
    x = alt.X(
        "ratio:Q", scale=alt.Scale(type="log", domain=domain, nice=False), title=title,
        axis=alt.Axis(values=ticks, format="~g", titleFontWeight="normal", titleFontSize=10, titlePadding=1),
    )  # fmt: skip
    axis = alt.Axis(domain=False, ticks=False, grid=True, labelFontSize=10, minExtent=100)
    y = alt.Y("square:N", sort=names, title=None, axis=axis)
    colours, shapes = zip(*WAYS.values(), strict=True)
    scale, forms = (alt.Scale(domain=list(WAYS), range=list(own)) for own in (colours, shapes))
    base = alt.Chart(own)
    one = alt.datum(1, type="quantitative")
    equal = alt.Chart(own[:1]).mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(x=one)
    moved = base.transform_filter(f"datum.way !== '{next(iter(WAYS))}'").mark_line(color=style.GREY, strokeWidth=1)
    point = base.mark_point(filled=True, size=42, strokeWidth=1.3, opacity=1).encode(
        x=x,
        y=y,
        fill=alt.Fill("way:N", scale=scale, sort=list(WAYS), legend=legend),
        stroke=alt.Stroke("way:N", scale=scale, legend=None),
        shape=alt.Shape("way:N", scale=forms, sort=list(WAYS), legend=legend),
        fillOpacity=alt.when("datum.agrees").then(alt.value(1)).otherwise(alt.value(0)),
        tooltip=[alt.Tooltip("square:N"), alt.Tooltip("way:N", title=" "), alt.Tooltip("said:N", title="found")],
    )
    layers = alt.layer(equal, moved.encode(x=x, y=y, detail="square:N"), point)
    return layers.properties(width=PANEL_PX, height=ROW_PX * len(names))
