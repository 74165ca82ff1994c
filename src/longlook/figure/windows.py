"""Windows and bytes in flight over time, a panel for each sender and group of links and controllers, a line for each
controller.

Panels below each other have one scale, which begins at 0: those of different columns differ by two orders of magnitude.
Controllers are told apart by colour and dash, what is in flight from the window by its width, and losses are ticks
below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured

LINES = ("row", "column", "label", "kind", "time_s", "kb")
"""Columns: the panel's row and column, the controller, one of KINDS, KB."""
LOSSES = ("row", "column", "label", "time_s", "count")
KINDS = ("window", "in flight")
CONTROLLERS = ("CUBIC", "Reno", "BBR")
COLOURS, DASHES = ("#b2182b", "#2166ac", "#1b7837"), ([1, 0], [6, 3], [2, 2])
SCALE = 0.97
"""Share of a column's points that its scale has room for: the first windows are cut off."""


@dataclass(frozen=True)
class PanelSizes:
    """Sizes in px of a panel; `stacked`: columns stand below each other too."""

    width: int
    height: int
    stacked: bool = False


PAGE, PHONE = PanelSizes(168, 110), PanelSizes(230, 110, stacked=True)


def windows_chart(
    lines: pd.DataFrame, losses: pd.DataFrame, holds_kb: float, layout: PanelSizes = PAGE
) -> alt.VConcatChart:
    """`lines` has LINES and `losses` LOSSES; rows and columns in the order met. `holds_kb`: what the link holds, a rule
    where the scale has it. The wheel with the shift key zooms into the time of a panel."""
    known = [name for name in CONTROLLERS if name in set(lines["label"])]
    tops = {column: float(own["kb"].quantile(SCALE)) for column, own in lines.groupby("column", sort=False)}
    panels: list[Any] = []
    for row in dict.fromkeys(lines["row"]):
        own = [
            _panel(_of(lines, row, column), _of(losses, row, column), (row, column), known, (top, holds_kb), layout)
            for column, top in tops.items()
            if column in set(lines.loc[lines["row"] == row, "column"])
        ]
        panels += own if layout.stacked else [alt.hconcat(*own, spacing=18)]
    return configured(alt.vconcat(*panels, spacing=10).resolve_scale(color="shared", strokeDash="shared"))


def _of(table: pd.DataFrame, row: str, column: str) -> pd.DataFrame:
    own = table[(table["row"] == row) & (table["column"] == column)]
    return own.drop(columns=["row", "column"]).reset_index(drop=True)


def _panel(
    lines: pd.DataFrame,
    losses: pd.DataFrame,
    title: tuple[str, str],
    known: Sequence[str],
    heights: tuple[float, float],
    layout: PanelSizes,
) -> style.Layered:
    places = [CONTROLLERS.index(name) for name in known]
    legend = alt.Legend(title=None, orient="top", symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.5)
    colour = alt.Color(
        "label:N", scale=alt.Scale(domain=known, range=[COLOURS[at] for at in places]), sort=known, legend=legend
    )
    dash = alt.StrokeDash(
        "label:N", scale=alt.Scale(domain=known, range=[DASHES[at] for at in places]), sort=known, legend=legend
    )
    top, holds_kb = heights
    time = alt.X("time_s:Q", title="s", scale=alt.Scale(nice=False, zero=True), axis=alt.Axis(tickCount=5))
    size = alt.Y("kb:Q", title="KB", scale=alt.Scale(domain=[0, top], nice=False), axis=alt.Axis(tickCount=4))
    name = "zoom_" + "".join(letter for letter in "".join(title) if letter.isalnum())
    zoom = alt.selection_interval(bind="scales", encodings=["x"], zoom="wheel![event.shiftKey]", name=name)
    shown = alt.Chart(lines).mark_line(clip=True).encode(
        x=time,
        y=size,
        color=colour,
        strokeDash=dash,
        size=alt.Size("kind:N", scale=alt.Scale(domain=list(KINDS), range=[1.8, 0.6]), legend=None),
        opacity=alt.value(0.9),
        detail="kind:N",
        tooltip=[
            alt.Tooltip("label:N", title="controller"),
            alt.Tooltip("kind:N", title="what"),
            alt.Tooltip("time_s:Q", title="s", format=".2f"),
            alt.Tooltip("kb:Q", title="KB", format=",.0f"),
        ],
    )  # fmt: skip
    layers = [shown.add_params(zoom)]
    if holds_kb < top:
        layers.append(alt.Chart(lines[:1]).mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(y=alt.datum(holds_kb)))
    for place, name in enumerate(known):
        own = losses[losses["label"] == name]
        if len(own):
            layers.append(_ticks(own, time, colour, layout.height - 4 - 7 * place))
    return alt.layer(*layers).properties(width=layout.width, height=layout.height, title=_title(", ".join(title)))


def _ticks(own: pd.DataFrame, time: alt.X, colour: alt.Color, height: int) -> alt.Chart:
    return alt.Chart(own).mark_tick(thickness=1, size=6).encode(
        x=time,
        y=alt.value(height),
        color=colour,
        opacity=alt.value(0.8),
        tooltip=[
            alt.Tooltip("label:N", title="controller"),
            alt.Tooltip("count:Q", title="packets lost"),
            alt.Tooltip("time_s:Q", title="s", format=".2f"),
        ],
    )  # fmt: skip


def _title(text: str) -> alt.Title:
    return alt.Title(text, anchor="start", fontSize=12, fontWeight="normal")


def told(lines: pd.DataFrame, losses: pd.DataFrame) -> str:
    """The chart in words: of each panel and controller the greatest window, or what was in flight, and the losses."""
    found = []
    for (row, column, label), own in lines.groupby(["row", "column", "label"], sort=False):
        window = own[own["kind"] == KINDS[0]]
        what = KINDS[0] if len(window) else KINDS[1]
        most = style.rounded(own.loc[own["kind"] == what, "kb"].max())
        same = (losses["row"] == row) & (losses["column"] == column) & (losses["label"] == label)
        lost = int(losses.loc[same, "count"].sum())
        found.append(f"{row}, {column}: {label}, {what} up to {most} KB, {lost} packets lost.")
    return " ".join(found)
