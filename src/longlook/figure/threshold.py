"""PLT against the slow start threshold that TCP begins with, one panel per page, the published mean as a band."""

from __future__ import annotations

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured

WIDTH_PX, HEIGHT_PX, IN_A_ROW = 170, 150, 4
FORGETS = "none"
"""In place of a threshold where none is remembered."""
TIME = "PLT of TCP, ms"
COLUMNS = ("panel", "threshold", "mean", "low", "high", "n", "published", "band_low", "band_high")


def threshold_chart(frame: pd.DataFrame) -> alt.TopLevelMixin:
    """`frame` has COLUMNS: a row per page (`panel`, in order) and threshold (text, in order); means and their standard
    deviations' ends in ms; `published` with the ends of its 99 % prediction interval, NaN where none is."""
    order = list(dict.fromkeys(frame["threshold"]))
    panels = list(dict.fromkeys(frame["panel"]))
    x = alt.X("threshold:N", sort=order, title="threshold, packets", axis=alt.Axis(labelAngle=0, ticks=False))
    y = alt.Y("mean:Q", title=TIME, scale=alt.Scale(zero=True))
    base = alt.Chart(frame)
    band = base.mark_rect(color=style.GREY, opacity=0.09).encode(y=alt.Y("band_low:Q", title=TIME), y2="band_high:Q")
    rule = base.mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(y=alt.Y("published:Q", title=TIME))
    colour = alt.value(style.SIDE_COLOURS["right"])
    spread = base.mark_rule(strokeWidth=1.4).encode(x=x, y=alt.Y("low:Q", title=TIME), y2="high:Q", color=colour)
    point = base.mark_point(filled=True, size=44, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        tooltip=[
            alt.Tooltip("panel:N", title="page"),
            alt.Tooltip("threshold:N", title="threshold"),
            alt.Tooltip("mean:Q", title="mean, ms", format=".0f"),
            alt.Tooltip("low:Q", title="mean less sd, ms", format=".0f"),
            alt.Tooltip("high:Q", title="mean and sd, ms", format=".0f"),
            alt.Tooltip("n:Q", title="loads"),
            alt.Tooltip("published:Q", title="published mean, ms", format=".0f"),
        ],
    )
    layers = alt.layer(band, rule, spread, point).properties(width=WIDTH_PX, height=HEIGHT_PX)
    facets = layers.facet(
        facet=alt.Facet("panel:N", sort=panels, title=None, header=alt.Header(labelFontSize=11)), columns=IN_A_ROW
    ).resolve_scale(y="independent")
    return configured(facets)
