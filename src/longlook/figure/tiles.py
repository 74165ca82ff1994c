"""Every published square above the re-measured ones, in one picture; and every re-measured mean against the published.

Pure functions from rows to Altair charts. They answer at a glance, and leave the numbers to the heatmaps.
"""

from __future__ import annotations

from collections.abc import Mapping

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured

TILE_PX, STRIP_PX, GAP = 22, 11, 0.06
"""Width of a tile, height of each of its strips, and the share of both that is left free."""
BREAK = " | "
"""Where a panel's title has its second line."""
IN_A_ROW = 4
TILES = (
    "panel",
    "under",
    "column",
    "row",
    "published",
    "measured",
    "differs",
    "place",
    "said_published",
    "said_measured",
)
"""`panel`, `under`: title and second line; `column`, `row`: place in the panel from 0; `published`, `measured`:
colours; `differs`: whether the verdicts do; the rest is for the tooltip."""
STRIPS = {"published": "published", "measured": "re-measured"}
"""Columns with the colours of a tile's strips, downwards -> what a reader calls them; `said_<column>` is its result."""
MEANS = ("published", "measured", "protocol", "group", "place")
"""Means in ms; `protocol` and `group` in words."""
GROUPS = ("#b2182b", "#ef8a62", "#8c510a", "#dfa53a", "#2166ac", "#67a9cf", "#01665e", "#5ab4ac")


def tiles_chart(frame: pd.DataFrame, in_a_row: int = IN_A_ROW, strips: Mapping[str, str] = STRIPS) -> alt.TopLevelMixin:
    """`frame` has TILES: a row per square; panels in their order. Where it has a column `differs_<strip>`, that strip
    has the dot, else `differs` has one in the middle."""
    columns, rows = int(frame["column"].max()) + 1, int(frame["row"].max()) + 1
    titled = frame.assign(title=frame["panel"] + BREAK + frame["under"])
    base = alt.Chart(titled)
    tooltip = [
        alt.Tooltip("place:N", title="square"),
        *(alt.Tooltip(f"said_{name}:N", title=title) for name, title in strips.items()),
    ]
    height = (1 - GAP) / len(strips)
    tops = {name: GAP / 2 + number * height for number, name in enumerate(strips)}
    drawn = [
        base.mark_rect(stroke="#9a9a9a", strokeWidth=0.5).encode(
            x=alt.X("left:Q", scale=alt.Scale(domain=[0, columns], nice=False), axis=None),
            x2="right:Q",
            y=alt.Y("top:Q", scale=alt.Scale(domain=[0, rows], nice=False, reverse=True), axis=None),
            y2="bottom:Q",
            color=alt.Color(f"{name}:N", scale=None),
            tooltip=tooltip,
        ).transform_calculate(
            left=f"datum.column + {GAP / 2}", right=f"datum.column + {1 - GAP / 2}",
            top=f"datum.row + {top}", bottom=f"datum.row + {top + height}",
        )
        for name, top in tops.items()
    ]  # fmt: skip
    own = {f"differs_{name}": top + height / 2 for name, top in tops.items() if f"differs_{name}" in frame}
    marks = [
        base.transform_filter(f"datum.{column}")
        .transform_calculate(x="datum.column + 0.5", y=f"datum.row + {middle}")
        .mark_point(shape="circle", filled=True, size=34, color="#000000", stroke="#ffffff", strokeWidth=1, opacity=1)
        .encode(x="x:Q", y="y:Q", tooltip=tooltip)
        for column, middle in (own or {"differs": 0.5}).items()
    ]
    header = alt.Header(
        title=None, labelExpr=f"split(datum.value, '{BREAK}')", labelAnchor="start", labelAlign="left",
        labelFontSize=10, labelPadding=3, labelColor=style.INK,
    )  # fmt: skip
    panels = alt.layer(*drawn, *marks).properties(width=TILE_PX * columns, height=len(strips) * STRIP_PX * rows)
    facet = alt.Facet("title:N", sort=list(dict.fromkeys(titled["title"])), header=header)
    return configured(panels.facet(facet, columns=in_a_row, spacing={"row": 6, "column": 14}))


def means_chart(frame: pd.DataFrame, side_px: int = 430, in_a_row: int = 2) -> alt.TopLevelMixin:
    """`frame` has MEANS: a row per mean, both axes logarithmic and alike, the diagonal is equality."""
    values = frame[["published", "measured"]].to_numpy()
    low, high = float(values.min()), float(values.max())
    scale = alt.Scale(type="log", domain=[low * 0.9, high * 1.1], nice=False)
    axis = alt.Axis(titleFontWeight="normal", tickCount=5, format="~s")
    groups = list(dict.fromkeys(frame["group"]))
    points = (
        alt.Chart(frame)
        .mark_point(filled=True, size=26, opacity=0.75)
        .encode(
            x=alt.X("published:Q", scale=scale, axis=axis, title="published mean, ms"),
            y=alt.Y("measured:Q", scale=scale, axis=axis, title="re-measured mean, ms"),
            color=alt.Color(
                "group:N", sort=groups, title=None, scale=alt.Scale(domain=groups, range=list(GROUPS[: len(groups)])),
                legend=alt.Legend(
                    orient="bottom", columns=in_a_row, symbolType="square", symbolOpacity=1, labelLimit=220,
                    columnPadding=28
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
            ],
        )
    )  # fmt: skip
    ends = pd.DataFrame({"published": [low * 0.9, high * 1.1], "measured": [low * 0.9, high * 1.1]})
    diagonal = alt.Chart(ends).mark_line(color=style.GREY, strokeDash=[4, 3], strokeWidth=1).encode(
        x=alt.X("published:Q", scale=scale), y=alt.Y("measured:Q", scale=scale)
    )  # fmt: skip
    return configured(alt.layer(diagonal, points).properties(width=side_px, height=side_px))
