"""Shares of squares as bars: won by QUIC, not shown, won by TCP; a row per kind of square, its counts in words too."""

from __future__ import annotations

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured

ROW_PX = 24
LEAST_PX = 6
"""Of a part whose count is written on it."""
VERDICTS = {
    "QUIC faster": (style.RED_DARK, "#ffffff"),
    "not shown": ("#ffffff", style.INK),
    "TCP faster": (style.BLUE_DARK, "#ffffff"),
}
"""Colours of a part and of its count."""
COUNTS = ("row", "verdict", "count", "holm", "said")
"""`holm`: how many by Holm's correction over the row; `said`: what stands at the row's end."""


def counts_chart(frame: pd.DataFrame, width: int = 330) -> alt.TopLevelMixin:
    """`frame` has COUNTS, for each row all of VERDICTS in their order."""
    of_all = frame["count"] / frame.groupby("row")["count"].transform("sum")
    frame = frame.assign(order=frame["verdict"].map(list(VERDICTS).index), px=of_all * width)
    rows = list(dict.fromkeys(frame["row"]))
    fills, inks = ([pair[at] for pair in VERDICTS.values()] for at in (0, 1))
    axis = alt.Axis(domain=False, ticks=False, labelLimit=240, labelFontSize=12)
    legend = alt.Legend(
        orient="none", legendX=-150, legendY=-26, direction="horizontal",
        title=None, symbolStrokeColor=style.GREY, symbolStrokeWidth=0.6,
    )  # fmt: skip
    base = alt.Chart(frame).encode(y=alt.Y("row:N", sort=rows, title=None, axis=axis))
    share = alt.X("count:Q", stack="normalize", title=None, axis=None)
    parts = base.mark_bar(stroke=style.GREY, strokeWidth=0.6).encode(
        x=share,
        order="order:O",
        color=alt.Color(
            "verdict:N", sort=list(VERDICTS), scale=alt.Scale(domain=list(VERDICTS), range=fills),
            legend=legend,
        ),
        tooltip=[
            alt.Tooltip("row:N", title=" "), alt.Tooltip("verdict:N", title=" "), alt.Tooltip("count:Q"),
            alt.Tooltip("holm:Q", title="with Holm's correction"),
        ],
    )  # fmt: skip
    counted = base.transform_filter(f"datum.px >= {LEAST_PX}").mark_text(fontSize=12).encode(
        x=alt.X("count:Q", stack="normalize", bandPosition=0.5, title=None, axis=None),
        order="order:O",
        text="count:Q",
        color=alt.Color("verdict:N", scale=alt.Scale(domain=list(VERDICTS), range=inks), legend=None),
    )  # fmt: skip
    end = alt.Chart(frame.drop_duplicates("row")).mark_text(align="left", dx=6, fontSize=12, color=style.INK)
    said = end.encode(y=alt.Y("row:N", sort=rows), x=alt.value(width), text="said:N")
    layers = alt.layer(parts, counted, said).resolve_scale(color="independent")
    return configured(layers.properties(width=width, height=ROW_PX * len(rows)))
