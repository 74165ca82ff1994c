"""PLT of one arm against the steps of one condition, a panel per page, the published mean as a band."""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import pandas as pd

from longlook.analysis.agreement import prediction_reach
from longlook.analysis.welch import Summary
from longlook.figure import style
from longlook.figure.heatmap import configured

WIDTH_PX, HEIGHT_PX, IN_A_ROW = 170, 150, 4
TITLE_BREAK = "; "
"""Where the title of a panel goes on in a second line."""
NONE = "none"
"""The step without the condition."""
COLUMNS = ("panel", "step", "mean", "low", "high", "n", "published", "band_low", "band_high")
LOADS = ("panel", "step", "value")


@dataclass(frozen=True)
class Axis:
    """What is varied, and whose time is drawn."""

    condition: str
    time: str
    side: str
    """`left` (QUIC's colour) or `right`."""


def step_row(panel: str, step: str, own: Summary, known: Summary | None) -> dict:
    """COLUMNS of one step; `known` is the published one, if there is any."""
    reach = None if known is None else prediction_reach(known, own.n)
    return {
        "panel": panel,
        "step": step,
        "mean": own.mean,
        "low": own.mean - own.sd,
        "high": own.mean + own.sd,
        "n": own.n,
        "published": None if known is None else known.mean,
        "band_low": None if known is None or reach is None else known.mean - reach,
        "band_high": None if known is None or reach is None else known.mean + reach,
    }


def steps_chart(
    frame: pd.DataFrame, axis: Axis, loads: pd.DataFrame | None = None, in_a_row: int = IN_A_ROW
) -> alt.TopLevelMixin:
    """`frame` has COLUMNS: a row per page (`panel`, in order) and step (text, in order); means and their standard
    deviations' ends in ms; `published` with the ends of its 99 % prediction interval, NaN where none is. `loads` has
    LOADS: every load as a faint point. `in_a_row`: panels."""
    order = list(dict.fromkeys(frame["step"]))
    panels = list(dict.fromkeys(frame["panel"]))
    x = alt.X("step:N", sort=order, title=axis.condition, axis=alt.Axis(labelAngle=0, ticks=False))
    y = alt.Y("mean:Q", title=axis.time, scale=alt.Scale(zero=True))
    base = alt.Chart(frame if loads is None else pd.concat([frame, loads], ignore_index=True))
    band = base.mark_rect(color=style.GREY, opacity=0.09).encode(
        y=alt.Y("band_low:Q", title=axis.time), y2="band_high:Q"
    )
    rule = base.mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(y=alt.Y("published:Q", title=axis.time))
    colour = alt.value(style.SIDE_COLOURS[axis.side])
    spread = base.mark_rule(strokeWidth=1.4).encode(x=x, y=alt.Y("low:Q", title=axis.time), y2="high:Q", color=colour)
    point = base.mark_point(filled=True, size=44, opacity=1).encode(
        x=x,
        y=y,
        color=colour,
        tooltip=[
            alt.Tooltip("panel:N", title="page"),
            alt.Tooltip("step:N", title=axis.condition),
            alt.Tooltip("mean:Q", title="mean, ms", format=".0f"),
            alt.Tooltip("low:Q", title="mean less sd, ms", format=".0f"),
            alt.Tooltip("high:Q", title="mean and sd, ms", format=".0f"),
            alt.Tooltip("n:Q", title="loads"),
            alt.Tooltip("published:Q", title="published mean, ms", format=".0f"),
        ],
    )
    marks = [band, rule, spread, point]
    if loads is not None:
        each = base.mark_point(shape="circle", size=14, opacity=0.55, strokeWidth=1).encode(
            x=x, y=alt.Y("value:Q", title=axis.time), color=colour
        )
        marks = [band, rule, each, point]
    layers = alt.layer(*marks).properties(width=WIDTH_PX, height=HEIGHT_PX)
    header = alt.Header(labelFontSize=11, labelExpr=f"split(datum.label, '{TITLE_BREAK}')")
    facet = alt.Facet("panel:N", sort=panels, title=None, header=header)
    facets = layers.facet(facet=facet, columns=in_a_row).resolve_scale(y="independent")
    return configured(facets)


def told(frame: pd.DataFrame) -> str:
    """The chart in words: of each panel the means at the first and the last step, and the published one."""
    found = []
    for panel, own in frame.groupby("panel", sort=False):
        first, last = own.iloc[0], own.iloc[-1]
        ends = [f"{style.rounded(one['mean'])} ms at {one['step']}" for one in (first, last)]
        printed = "" if pd.isna(first["published"]) else f"; published {style.rounded(first['published'])} ms"
        found.append(f"{str(panel).replace(TITLE_BREAK, ', ')}: {' to '.join(ends)}{printed}.")
    return " ".join(found)
