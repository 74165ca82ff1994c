"""Every published square above the re-measured ones, in one picture; and every re-measured mean against the published.

Pure functions from rows to Altair charts. They answer at a glance, and leave the numbers to the heatmaps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured

TILE_PX, STRIP_PX, GAP, SPLIT = 22, 11, 0.06, 0.05
"""Width of a tile, height of each of its strips, and the shares of both that are left free around it and between
strips."""
SIDE, FOOT = 0.95, 0.8
"""Room for the labels on the left and below, in tiles."""
PLACES: Sequence[tuple[str, str, Literal["center", "right"], str, str]] = (
    ("row", "across", "center", "datum.column + 0.5", "{foot}"),
    ("column", "down", "right", "-0.1", "datum.row + 0.5"),
)
"""Of labels: whose first ones have it, its column, how it is aligned, and where it stands."""
NARROW_PX = 19
"""Width of a tile where two panels fill a phone's column."""
BREAK = " | "
"""Where a panel's title has its second line."""
IN_A_ROW = 4
TILES = (
    "panel",
    "under",
    "column",
    "row",
    "across",
    "down",
    "published",
    "measured",
    "differs",
    "place",
    "said_published",
    "said_measured",
)
"""`panel`, `under`: title and second line; `column`, `row`: place in the panel from 0, and `across`, `down` their short
labels; `published`, `measured`: colours; `differs`: whether the verdicts do; the rest is for the tooltip."""
STRIPS = {"published": "published", "measured": "re-measured"}
"""Columns with the colours of a tile's strips, downwards -> what a reader calls them; `said_<column>` is its result."""
MEANS = ("published", "measured", "protocol", "group", "place")
"""Means in ms; `protocol` and `group` in words."""
GROUPS = ("#b2182b", "#ef8a62", "#8c510a", "#dfa53a", "#2166ac", "#67a9cf", "#01665e", "#5ab4ac")


def tiles_chart(frame: pd.DataFrame, in_a_row: int = IN_A_ROW) -> alt.TopLevelMixin:
    """`frame` has TILES: a row per square; panels in their order."""
    columns, rows = int(frame["column"].max()) + 1, int(frame["row"].max()) + 1
    titled = frame.assign(title=frame["panel"] + BREAK + frame["under"])
    base = alt.Chart(titled)
    tooltip = [
        alt.Tooltip("place:N", title="square"),
        *(alt.Tooltip(f"said_{name}:N", title=title) for name, title in STRIPS.items()),
    ]
    height = (1 - GAP) / len(STRIPS)
    tops = {name: GAP / 2 + number * height for number, name in enumerate(STRIPS)}
    drawn = [
        base.mark_rect(stroke="#9a9a9a", strokeWidth=0.5).encode(
            x=alt.X("left:Q", scale=alt.Scale(domain=[-SIDE, columns], nice=False), axis=None),
            x2="right:Q",
            y=alt.Y("top:Q", scale=alt.Scale(domain=[0, rows + FOOT], nice=False, reverse=True), axis=None),
            y2="bottom:Q",
            color=alt.Color(f"{name}:N", scale=None),
            tooltip=tooltip,
        ).transform_calculate(
            left=f"datum.column + {GAP / 2}", right=f"datum.column + {1 - GAP / 2}",
            top=f"datum.row + {top + SPLIT / 2 * (top > GAP)}", bottom=f"datum.row + {top + height}",
        )
        for name, top in tops.items()
    ]  # fmt: skip
    dot = (
        base.transform_filter("datum.differs")
        .transform_calculate(x="datum.column + 0.5", y="datum.row + 0.5")
        .mark_point(shape="circle", filled=True, size=34, color="#000000", stroke="#ffffff", strokeWidth=1, opacity=1)
        .encode(x="x:Q", y="y:Q", tooltip=tooltip)
    )
    labels = [
        base.transform_filter(f"datum.{where} === 0")
        .transform_calculate(x=x, y=y.format(foot=rows + FOOT / 2))
        .mark_text(align=align, fontSize=9, font=style.FONT, color=style.INK)
        .encode(x="x:Q", y="y:Q", text=f"{text}:N")
        for where, text, align, x, y in PLACES
    ]
    header = alt.Header(
        title=None, labelExpr=f"split(datum.value, '{BREAK}')", labelAnchor="start", labelAlign="left",
        labelFontSize=10, labelPadding=3, labelColor=style.INK,
    )  # fmt: skip
    tile_px = TILE_PX if in_a_row == IN_A_ROW else NARROW_PX
    width, height_px = tile_px * (columns + SIDE), len(STRIPS) * STRIP_PX * (rows + FOOT)
    panels = alt.layer(*drawn, dot, *labels).properties(width=width, height=height_px)
    facet = alt.Facet("title:N", sort=list(dict.fromkeys(titled["title"])), header=header)
    return configured(panels.facet(facet, columns=in_a_row, spacing={"row": 6, "column": 14}))


def means_chart(frame: pd.DataFrame, width: int = 640) -> alt.TopLevelMixin:
    """`frame` has MEANS: a row per mean; how many times the published one it is, both axes logarithmic."""
    whole = frame.assign(ratio=frame["measured"] / frame["published"])
    low, high = float(frame["published"].min()), float(frame["published"].max())
    least, most = float(whole["ratio"].min()), float(whole["ratio"].max())
    groups = list(dict.fromkeys(frame["group"]))
    across = alt.X(
        "published:Q", scale=alt.Scale(type="log", domain=[low * 0.9, high * 1.1], nice=False),
        axis=alt.Axis(titleFontWeight="normal", tickCount=5, format="~s"), title="published mean, ms",
    )  # fmt: skip
    times = alt.Y(
        "ratio:Q", scale=alt.Scale(type="log", domain=[least * 0.9, most * 1.1], nice=False),
        title="re-measured / published",
        axis=alt.Axis(titleFontWeight="normal", values=[0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4]),
    )  # fmt: skip
    points = (
        alt.Chart(whole)
        .mark_point(filled=True, size=18, opacity=0.7)
        .encode(
            x=across,
            y=times,
            color=alt.Color(
                "group:N", sort=groups, title=None, scale=alt.Scale(domain=groups, range=list(GROUPS[: len(groups)])),
                legend=alt.Legend(
                    orient="bottom", columns=max(1, width // 250), symbolType="square", symbolOpacity=1,
                    labelLimit=230, columnPadding=20,
                ),
            ),
            shape=alt.Shape(
                "protocol:N", title=None, scale=alt.Scale(domain=["QUIC", "TCP"], range=["circle", "triangle-up"]),
                legend=alt.Legend(orient="bottom", symbolFillColor=style.GREY, symbolStrokeWidth=0),
            ),
            tooltip=[
                alt.Tooltip("place:N", title="square"), alt.Tooltip("protocol:N"),
                alt.Tooltip("group:N", title="stack and link"),
                alt.Tooltip("published:Q", format=",.0f", title="published, ms"),
                alt.Tooltip("measured:Q", format=",.0f", title="re-measured, ms"),
                alt.Tooltip("ratio:Q", format=".2f", title="re-measured / published"),
            ],
        )
    )  # fmt: skip
    equal = (
        alt.Chart()
        .mark_rule(color=style.GREY, strokeDash=[4, 3], strokeWidth=1)
        .encode(y=alt.datum(1.0, type="quantitative"))
    )
    return configured(alt.layer(equal, points).properties(width=width, height=300))
