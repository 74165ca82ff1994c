"""The A/A control as a picture: one square per cell, each protocol measured against itself. All should be white."""

from __future__ import annotations

import altair as alt
import pandas as pd

from longlook.analysis.welch import ALPHA
from longlook.figure import style
from longlook.figure.heatmap import configured, p_text

SQUARE_PX = 32


def control_chart(cells: pd.DataFrame) -> alt.TopLevelMixin:
    """Squares of the A/A cells (rows of `side_by_side`), a row per protocol, each with its percentage difference."""
    frame = cells[["campaign", "cell_id", "left_protocol", "pct_diff", "p_value"]].copy()
    frame["number"] = frame.groupby("left_protocol").cumcount() + 1
    frame["arm"] = frame["left_protocol"].map(style.PROTOCOL_LABELS)
    frame["p_text"] = frame["p_value"].map(p_text)
    frame["fill"] = [
        style.NOT_MEASURED
        if pd.isna(p)
        else "#ffffff"
        if p >= ALPHA
        else style.RED_DARK
        if pct > 0
        else style.BLUE_DARK
        for p, pct in zip(frame["p_value"], frame["pct_diff"], strict=True)
    ]
    frame["ink"] = [style.INK if fill in ("#ffffff", style.NOT_MEASURED) else "#ffffff" for fill in frame["fill"]]
    frame["label"] = frame["pct_diff"].map(style.signed_pct)
    base = alt.Chart(frame).encode(
        x=alt.X("number:O", title="cell", axis=alt.Axis(labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("arm:N", title=None, axis=alt.Axis(ticks=False, domain=False)),
        tooltip=[
            alt.Tooltip("cell_id:N", title="cell"),
            alt.Tooltip("label:N", title="difference, %"),
            alt.Tooltip("p_text:N", title="Welch's p"),
        ],
    )
    squares = base.mark_rect(stroke="#9a9a9a", strokeWidth=0.6).encode(color=alt.Color("fill:N", scale=None))
    text = base.mark_text(fontSize=10).encode(text="label:N", color=alt.value(alt.expr("datum.ink")))
    return configured(alt.layer(squares, text).properties(width=alt.Step(SQUARE_PX), height=alt.Step(SQUARE_PX)))
