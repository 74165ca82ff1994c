"""What a rule predicts, across, against what was found, up: a panel per rule, a dot per case."""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import LiveChart

WIDTH_PX, HEIGHT_PX = 300, 200
DOTS = ("panel", "x", "y", "group", "case")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")
COLOURS = ("#b2182b", "#2166ac", "#dfa53a", "#01665e", "#8c510a")


def live_dots(frame: pd.DataFrame, titles: tuple[str, str], has_limit: bool = True, **words: Any) -> LiveChart:
    """`dots_chart` for a page, and for a phone; `words`: the rest of a LiveChart."""
    wide, narrow = (dots_chart(frame, titles, columns, has_limit) for columns in (2, 1))
    return LiveChart(chart=wide, narrow=narrow, **words)


def dots_chart(
    frame: pd.DataFrame, titles: tuple[str, str], in_a_row: int = 2, has_limit: bool = True
) -> alt.TopLevelMixin:
    """`frame` has DOTS; `titles` are those of the axes; at x = 0 the rule, if it `has_limit`, changes its mind. Groups,
    of which there are five at most, are told by shape and colour."""
    groups = list(dict.fromkeys(frame["group"]))
    base = alt.Chart(frame)
    limit = base.transform_calculate(zero="0").mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(
        x=alt.X("zero:Q", title=titles[0])
    )  # fmt: skip
    legend = alt.Legend(orient="bottom", columns=in_a_row, labelLimit=240)
    dots = base.mark_point(filled=True, size=46, opacity=0.7).encode(
        x=alt.X("x:Q", title=titles[0]),
        y=alt.Y("y:Q", title=titles[1]),
        shape=alt.Shape(
            "group:N", sort=groups, title=None, legend=legend,
            scale=alt.Scale(domain=groups, range=list(SHAPES[: len(groups)])),
        ),
        color=alt.Color(
            "group:N", sort=groups, title=None, legend=legend,
            scale=alt.Scale(domain=groups, range=list(COLOURS[: len(groups)])),
        ),
        tooltip=[
            alt.Tooltip("case:N"),
            alt.Tooltip("group:N"),
            alt.Tooltip("x:Q", title=titles[0], format=".1f"),
            alt.Tooltip("y:Q", title=titles[1], format=".0f"),
        ],
    )  # fmt: skip
    layers = alt.layer(*([limit] if has_limit else []), dots).properties(width=WIDTH_PX, height=HEIGHT_PX)
    facet = alt.Facet("panel:N", sort=list(dict.fromkeys(frame["panel"])), title=None)
    return configured(layers.facet(facet, columns=in_a_row).resolve_scale(x="independent"))
