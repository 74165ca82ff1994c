"""The A/A control as a picture: one square per cell, each kind of arm measured against itself. All should be white."""

from __future__ import annotations

import altair as alt
import pandas as pd

from longlook.analysis.welch import ALPHA
from longlook.figure import style
from longlook.figure.heatmap import configured

SQUARE_PX = 32
IN_A_ROW, ON_A_PHONE = 16, 6
"""Squares, at most."""
_BROKEN = "|"
"""Where a label goes on in the next line."""


def control_chart(cells: pd.DataFrame, in_a_row: int = IN_A_ROW) -> alt.TopLevelMixin:
    """Squares of the A/A cells (rows of `side_by_side`, with their `kind` of arm in words, its stack first), each with
    its percentage difference, upright where it is significant; a row per kind, or several with at most `in_a_row`
    squares."""
    frame = cells[["campaign", "cell_id", "kind", "pct_diff", "p_value"]].sort_values("kind", kind="stable")
    frame["number"] = frame.groupby("kind").cumcount() + 1
    frame["arm"] = frame["kind"].str.replace(" ", _BROKEN, n=1)
    first = (frame["number"] - 1) // in_a_row * in_a_row + 1
    is_more = frame.groupby("arm")["number"].transform("max") > in_a_row
    frame["arm"] += (", " + first.astype(str) + " ff.").where(is_more, "")
    frame["number"] -= first - 1
    frame["p_text"] = frame["p_value"].map(style.p_text)
    frame["significant"] = frame["p_value"] < ALPHA
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
    names_axis = alt.Axis(ticks=False, domain=False, labelExpr=f"split(datum.label, '{_BROKEN}')", labelLimit=300)
    base = alt.Chart(frame).encode(
        x=alt.X("number:O", title="cell", axis=alt.Axis(labelAngle=0, ticks=False, domain=False)),
        y=alt.Y("arm:N", title=None, sort=list(dict.fromkeys(frame["arm"])), axis=names_axis),
        tooltip=[
            alt.Tooltip("cell_id:N", title="cell"),
            alt.Tooltip("label:N", title="difference, %"),
            alt.Tooltip("p_text:N", title="Welch's p"),
        ],
    )
    squares = base.mark_rect(stroke="#9a9a9a", strokeWidth=0.6).encode(color=alt.Color("fill:N", scale=None))
    slant = alt.expr("datum.significant ? 'normal' : 'italic'")
    text = base.mark_text(fontSize=10, fontStyle=slant).encode(text="label:N", color=alt.value(alt.expr("datum.ink")))
    return configured(alt.layer(squares, text).properties(width=alt.Step(SQUARE_PX), height=alt.Step(SQUARE_PX)))


def told(cells: pd.DataFrame) -> str:
    """`40 cells, 1 significant; the largest difference is 2.1 %.`"""
    tested = cells[cells["p_value"].notna()]
    if tested.empty:
        return "No cell was tested."
    significant, largest = int((tested["p_value"] < ALPHA).sum()), tested["pct_diff"].abs().max()
    return f"{len(tested)} cells, {significant} significant; the largest difference is {largest:.1f} %."
