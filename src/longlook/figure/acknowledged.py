"""Bytes acknowledged over the time of downloads, with what was lost, and what was in flight and the window beneath.

Downloads are told apart by colour and dash; in the lower part the window from what is in flight by its width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured

LINES = ("label", "kind", "time_s", "kb")
"""Columns: which download, one of KINDS, KB."""
LOSSES = ("label", "time_s", "count")
KINDS = ACKED, WINDOW, IN_FLIGHT = ("acknowledged", "window", "in flight")
COLOURS = ("#b2182b", "#2166ac", "#1b7837")
DASHES = ([1, 0], [6, 3])
TICK_PX = 7


@dataclass(frozen=True)
class PartSizes:
    """Sizes in px: of both parts, and of each."""

    width: int
    upper: int
    lower: int


PAGE, PHONE = PartSizes(560, 260, 130), PartSizes(240, 220, 120)


@dataclass(frozen=True)
class Look:
    """Of a download: which of COLOURS and DASHES."""

    colour: int
    dash: int = 0


def acknowledged_chart(
    lines: pd.DataFrame, losses: pd.DataFrame, looks: dict[str, Look], layout: PartSizes = PAGE
) -> alt.VConcatChart:
    """`lines` has LINES and `losses` LOSSES; `looks`: of every label, in the order of the legend. The wheel with the
    shift key zooms into the time of a part."""
    known = [label for label in looks if label in set(lines["label"])]
    scale = alt.Scale(domain=[0, float(lines["time_s"].max())], nice=False)
    time = alt.X("time_s:Q", title="s", scale=scale, axis=alt.Axis(tickCount=6))
    colour, dash = _channels(known, looks)
    upper = [_steps(lines[lines["kind"] == ACKED], "acknowledged, KB", time, colour, dash).add_params(_zoom("upper"))]
    for place, label in enumerate(known):
        own = losses[losses["label"] == label]
        if len(own):
            upper.append(_ticks(own, time, colour, layout.upper - 4 - TICK_PX * place))
    beneath = _steps(lines[lines["kind"] != ACKED], "in flight and window, KB", time, colour, dash).add_params(
        _zoom("lower")
    )
    parts = (
        alt.layer(*upper).properties(width=layout.width, height=layout.upper),
        beneath.properties(width=layout.width, height=layout.lower),
    )
    both = alt.vconcat(*parts, spacing=10).resolve_scale(color="shared", strokeDash="shared")
    return configured(both)


def _zoom(name: str) -> alt.Parameter:
    return alt.selection_interval(bind="scales", encodings=["x"], zoom="wheel![event.shiftKey]", name=f"zoom_{name}")


def _channels(known: Sequence[str], looks: dict[str, Look]) -> tuple[alt.Color, alt.StrokeDash]:
    legend = alt.Legend(
        title=None, orient="top", columns=2, symbolType="stroke", symbolSize=400, symbolStrokeWidth=2.5, labelLimit=240
    )
    colours = alt.Scale(domain=known, range=[COLOURS[looks[label].colour] for label in known])
    dashes = alt.Scale(domain=known, range=[DASHES[looks[label].dash] for label in known])
    return (
        alt.Color("label:N", scale=colours, sort=known, legend=legend),
        alt.StrokeDash("label:N", scale=dashes, sort=known, legend=legend),
    )


def _steps(lines: pd.DataFrame, title: str, time: alt.X, colour: alt.Color, dash: alt.StrokeDash) -> alt.Chart:
    own = lines.reset_index(drop=True)
    return alt.Chart(own).mark_line(clip=True, interpolate="step-after").encode(
        x=time,
        y=alt.Y("kb:Q", title=title, axis=alt.Axis(tickCount=5)),
        color=colour,
        strokeDash=dash,
        size=alt.Size("kind:N", scale=alt.Scale(domain=list(KINDS), range=[1.6, 2.2, 0.7]), legend=None),
        detail="kind:N",
        tooltip=[
            alt.Tooltip("label:N", title="download"),
            alt.Tooltip("kind:N", title="what"),
            alt.Tooltip("time_s:Q", title="s", format=".3f"),
            alt.Tooltip("kb:Q", title="KB", format=",.0f"),
        ],
    )  # fmt: skip


def _ticks(own: pd.DataFrame, time: alt.X, colour: alt.Color, height: int) -> alt.Chart:
    return alt.Chart(own.reset_index(drop=True)).mark_tick(thickness=1, size=TICK_PX - 1).encode(
        x=time,
        y=alt.value(height),
        color=colour,
        tooltip=[
            alt.Tooltip("label:N", title="download"),
            alt.Tooltip("count:Q", title="packets lost"),
            alt.Tooltip("time_s:Q", title="s", format=".3f"),
        ],
    )  # fmt: skip


def told(lines: pd.DataFrame, losses: pd.DataFrame) -> str:
    """The chart in words: of each download when half and all of it were acknowledged, and the losses."""
    found = []
    for label, own in lines[lines["kind"] == ACKED].groupby("label", sort=False):
        half = own[own["kb"] >= own["kb"].max() / 2]["time_s"].min()
        lost = int(losses.loc[losses["label"] == label, "count"].sum())
        whole = f"{style.rounded(own['kb'].max())} KB after {own['time_s'].max():.2f} s"
        found.append(f"{label}: {whole}, half of it after {half:.2f} s, {lost} packets declared lost.")
    return " ".join(found)
