"""The loads behind one square: points per source and protocol, means, spread and the floor.

`loads_of_squares` packs them compactly for the page; `strip` is the chart into which the page's script puts
the loads of the square that was picked.
"""

from __future__ import annotations

import math

import altair as alt
import pandas as pd

from longlook.analysis.cells import CONDITION
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.squares import square_key

ANALYSED, COLD, REJECTED = "analysed", "first load (1-RTT), not averaged", "rejected or disturbed, not averaged"
STATES = [ANALYSED, COLD, REJECTED]
PROTOCOL_SCALE = alt.Scale(domain=list(style.PROTOCOL_COLOURS), range=list(style.PROTOCOL_COLOURS.values()))
LANES = 7
"""Loads are spread over this many lanes of their row, by their order, so that equal times do not overlap."""


def state_of(load_index: int, accepted: bool) -> int:
    """Index into `STATES`. The cold load (index 0) is never averaged, accepted or not."""
    if not accepted:
        return STATES.index(REJECTED)
    return STATES.index(COLD) if load_index == 0 else STATES.index(ANALYSED)


def loads_of_squares(runs: pd.DataFrame, source: str) -> dict[str, dict]:
    """Loads by square and series: `{square: {"<source>:<protocol>": [[load_index, plt_ms, state, reason], ...]}}`.

    `runs` has the columns of plt_runs.parquet; the reason is there for rejected loads only. Loads without a
    time stay in the list with None: they cannot be drawn, and are counted. `source` is the column's key.
    """
    packed: dict[str, dict] = {}
    for condition, frame in runs.groupby(CONDITION, sort=False):
        square = square_key(pd.Series(condition, index=CONDITION))
        packed[square] = {
            f"{source}:{protocol}": [_load(row) for row in rows.itertuples()]
            for protocol, rows in frame.groupby("protocol")
        }
    return packed


def _load(row) -> list:
    """One load as the script reads it."""
    load = [int(row.load_index), finite(row.plt_ms), state_of(row.load_index, row.accepted)]
    return load if row.accepted else [*load, row.reject_reason or "unknown reason"]


def strip(width_px: int = 560) -> alt.LayerChart:
    """Strip plot with named, empty data: `points`, `means` (mean, low, high) and `floors`, one row per series.

    Row labels come with the data (`row`); times are in ms. The script fills the three data sets.
    """
    y = alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=220, domain=False, ticks=False, grid=True))
    x = alt.X("plt_ms:Q", title="page load time, ms", scale=alt.Scale(zero=False, nice=True), axis=alt.Axis(grid=True))
    points = _points(x, y)
    means = alt.Chart(alt.NamedData("means"))
    spread = means.mark_rule(strokeWidth=1.5, color=style.INK).encode(
        x=alt.X("low:Q", title="page load time, ms"), x2="high:Q", y=y
    )
    mean = means.mark_tick(thickness=3, size=26, color=style.INK).encode(x="mean:Q", y=y)
    floors = (
        alt.Chart(alt.NamedData("floors"))
        .mark_tick(thickness=2, size=34, color="#1b7837")
        .encode(x="floor_ms:Q", y=y, tooltip=[alt.Tooltip("floor_ms:Q", title="floor, ms", format=",.1f")])
    )
    chart = alt.layer(spread, points, mean, floors).properties(width=width_px, height=alt.Step(40))
    return configured(chart)


def _points(x: alt.X, y: alt.Y) -> alt.Chart:
    """Analysed loads as filled circles, the cold one as an open circle, the others as open crosses."""
    cross = "M-1,-1L1,1M-1,1L1,-1"
    return (
        alt.Chart(alt.NamedData("points"))
        .mark_point(size=42, strokeWidth=1.4, opacity=0.85)
        .encode(
            x=x,
            y=y,
            yOffset=alt.YOffset("lane:Q", scale=alt.Scale(domain=[-2, LANES + 1])),
            stroke=alt.Stroke("protocol:N", scale=PROTOCOL_SCALE, legend=None),
            fill=alt.Fill("fill:N", scale=None, legend=None),
            shape=alt.Shape(
                "state:N",
                scale=alt.Scale(domain=STATES, range=["circle", "circle", cross]),
                legend=None,
            ),
            tooltip=[
                alt.Tooltip("row:N", title="series"),
                alt.Tooltip("load_index:Q", title="load"),
                alt.Tooltip("plt_ms:Q", title="PLT, ms", format=",.1f"),
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
