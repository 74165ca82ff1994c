"""The loads behind one square: points per source and arm, means, spread and the floor.

`loads_of_squares` packs them compactly for the page; `strip` is the chart into which the page's script puts
the loads of the square that was picked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.versus import SIDES, Versus
from longlook.record.parquet import records

ANALYSED, COLD, REJECTED = "analysed", "first load (1-RTT), not averaged", "excluded, not averaged"
STATES = [ANALYSED, COLD, REJECTED]
SIDE_SCALE = alt.Scale(domain=list(style.SIDE_COLOURS), range=list(style.SIDE_COLOURS.values()))
LANES = 7
"""Loads are spread over this many lanes of their row, by their order, so that equal times do not overlap."""


def state_of(set_aside: bool, accepted: bool) -> int:
    """Index into `STATES`. The first load is set aside and never averaged, accepted or not."""
    if not accepted:
        return STATES.index(REJECTED)
    return STATES.index(COLD) if set_aside else STATES.index(ANALYSED)


def loads_of_squares(samples: pd.DataFrame, squares: pd.DataFrame, versus: Versus) -> dict[str, dict]:
    """Loads by square and series: `{square: {"<source>:<side>": [[index, value, state, reason], ...]}}`.

    `samples` has the columns of the table of that name; the reason is there for rejected loads only. Loads without a
    value stay in the list with None: they cannot be drawn, and are counted.
    """
    place = {
        (row.campaign, row.cell_id): (row.square, row.source) for row in squares[squares["raw"] != ""].itertuples()
    }
    side = dict(zip((versus.left, versus.right), SIDES, strict=True))
    own = samples[(samples["metric"] == versus.metric.name) & samples["arm"].isin(side)]
    own = own[own["campaign"].isin(squares["campaign"].dropna().unique())]
    packed: dict[str, dict] = {}
    for key, rows in own.groupby(["campaign", "cell_id", "arm"], sort=False):
        campaign, cell, arm = key
        if (campaign, cell) in place:
            square, source = place[campaign, cell]
            packed.setdefault(square, {})[f"{source}:{side[arm]}"] = [_load(row) for row in records(rows)]
    return packed


def _load(row: Mapping[str, Any]) -> list:
    """One load as the script reads it."""
    load = [int(row["index"]), finite(row["value"]), state_of(row["set_aside"], row["accepted"])]
    return load if row["accepted"] else [*load, row["reject_reason"] or "unknown reason"]


def strip(versus: Versus, width_px: int = 560) -> style.Layered:
    """Strip plot with named, empty data: `points`, `means` (mean, low, high) and `floors`, one row per series.

    Row labels come with the data (`row`); values are in the metric's unit. The script fills the three data sets.
    """
    title = f"{versus.metric.title}, {versus.metric.unit}"
    y = alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=220, domain=False, ticks=False, grid=True))
    x = alt.X("value:Q", title=title, scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(grid=True))
    points = _points(x, y, versus)
    means = alt.Chart(alt.NamedData("means"))
    spread = means.mark_rule(strokeWidth=1.5, color=style.INK).encode(x=alt.X("low:Q", title=title), x2="high:Q", y=y)
    mean = means.mark_tick(thickness=3, size=26, color=style.INK).encode(x="mean:Q", y=y)
    floors = (
        alt.Chart(alt.NamedData("floors"))
        .mark_tick(thickness=2, size=34, color="#1b7837")
        .encode(x="floor:Q", y=y, tooltip=[alt.Tooltip("floor:Q", title=f"floor, {versus.metric.unit}", format=",.1f")])
    )
    chart = alt.layer(spread, points, mean, floors).properties(width=width_px, height=alt.Step(40))
    return configured(chart)


def _points(x: alt.X, y: alt.Y, versus: Versus) -> alt.Chart:
    """Analysed loads as filled circles, the cold one as an open circle, the others as open crosses."""
    cross = "M-1,-1L1,1M-1,1L1,-1"
    return (
        alt.Chart(alt.NamedData("points"))
        .mark_point(size=42, strokeWidth=1.4, opacity=0.85)
        .encode(
            x=x,
            y=y,
            yOffset=alt.YOffset("lane:Q", scale=alt.Scale(domain=[-2, LANES + 1])),
            stroke=alt.Stroke("side:N", scale=SIDE_SCALE, legend=None),
            fill=alt.Fill("fill:N", scale=None, legend=None),
            shape=alt.Shape(
                "state:N",
                scale=alt.Scale(domain=STATES, range=["circle", "circle", cross]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("row:N", title="series"),
                alt.Tooltip("index:Q", title="load"),
                alt.Tooltip("value:Q", title=f"{versus.metric_word}, {versus.metric.unit}", format=",.1f"),
                alt.Tooltip("state:N", title="state"),
                alt.Tooltip("reason:N", title="reason"),
            ],
        )
    )


def finite(value: float | None, digits: int = 2) -> float | None:
    """A number fit for JSON: rounded, and None in place of NaN or a missing value."""
    if value is None or pd.isna(value) or math.isinf(value):
        return None
    return round(float(value), digits)
