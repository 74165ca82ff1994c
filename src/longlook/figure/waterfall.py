"""One page load of either arm, object by object against time: the left arm's above the right one's.

`loads_of` packs the loads compactly for the page; `waterfall` is the chart into which the page's script puts those of
the square that was picked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import offline_spec
from longlook.figure.runs import SIDE_SCALE
from longlook.figure.versus import SIDES, Versus

PHASES = ("waits", "arrives")
PARTS_OF_A_MS = 10
"""Times in the page are whole tenths of a millisecond."""
KEY = (
    "Of each arm the load nearest to its median. A bar for each object, the page first: pale from the request until "
    "its first byte, full while it arrives. The black line is the page load time."
)


def loads_of(
    objects: pd.DataFrame, samples: pd.DataFrame, squares: pd.DataFrame, versus: Versus
) -> dict[str, dict[str, dict[str, Any]]]:
    """Loads by square and side, of the last source that has any: `index`, `value` (the metric), `source` and `times`,
    three numbers per object: when it was asked for, how much later it was answered, how much later again it was whole;
    in tenths of a millisecond. `objects` and `samples` have the columns of the tables of those names."""
    side = dict(zip((versus.left, versus.right), SIDES, strict=True))
    own = objects[objects["arm"].isin(side) & objects["answered_ms"].notna()]
    values = samples[(samples["metric"] == versus.metric.name) & samples["accepted"]]
    value = values.set_index(["campaign", "cell_id", "arm", "index"])["value"]
    loads = dict(list(own.groupby(["campaign", "cell_id", "arm"], sort=False)))
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in squares[squares["raw"] != ""].itertuples():
        there = {side: loads.get((row.campaign, row.cell_id, arm)) for arm, side in side.items()}
        both = {side: load for side, load in there.items() if load is not None}
        if len(both) < len(there):
            continue
        found[row.square] = {
            side: {
                "index": int(load["index"].iloc[0]),
                "value": round(float(value[row.campaign, row.cell_id, arm, load["index"].iloc[0]]), 1),
                "source": row.source_title,
                "times": _packed(load),
            }
            for (side, load), arm in zip(both.items(), (versus.left, versus.right), strict=True)
        }
    return found


def _packed(load: pd.DataFrame) -> list[int]:
    moments = (load[["started_ms", "answered_ms", "ended_ms"]] * PARTS_OF_A_MS).round().astype(int)
    return [
        number
        for started, answered, ended in moments.itertuples(index=False, name=None)
        for number in (started, answered - started, ended - answered)
    ]


def waterfall(versus: Versus, width_px: int = 560) -> style.Layered:
    """Bars with named, empty data, whose places down are px from the top: `parts` (x to x2, y to y2, side, phase, what
    it is), `ends` (a line at x from y to y2) and `titles` (a text at y). The script fills the three data sets."""
    down = alt.Scale(zero=True, nice=False, reverse=True)
    y = alt.Y("y:Q", scale=down, axis=None)
    x = alt.X("x:Q", title="ms from the start of the load", scale=alt.Scale(nice=False), axis=alt.Axis(grid=True))
    pale = alt.Opacity("phase:N", scale=alt.Scale(domain=list(PHASES), range=[0.35, 1]), legend=None)
    parts = (
        alt.Chart(alt.NamedData("parts"))
        .mark_rect()
        .encode(
            x=x, x2="x2:Q", y=y, y2="y2:Q", opacity=pale,
            color=alt.Color("side:N", scale=SIDE_SCALE, legend=None),
            tooltip=[alt.Tooltip("what:N", title="object"), alt.Tooltip("told:N", title="times")],
        )
    )  # fmt: skip
    ends = alt.Chart(alt.NamedData("ends")).mark_rule(strokeWidth=1.5, color=style.INK).encode(x=x, y=y, y2="y2:Q")
    titles = (
        alt.Chart(alt.NamedData("titles"))
        .mark_text(align="left", baseline="middle", fontSize=12, color=style.INK)
        .encode(x=alt.value(0), y=y, text="text:N")
    )
    return configured(alt.layer(parts, ends, titles).properties(width=width_px))


def payload(
    objects: pd.DataFrame, samples: pd.DataFrame, squares: pd.DataFrame, versus: Versus
) -> Mapping[str, Any] | None:
    """What the page's script needs; None where no square has both loads."""
    loads = loads_of(objects, samples, squares, versus)
    if not loads:
        return None
    return {"spec": offline_spec(waterfall(versus)), "loads": loads, "key": KEY, "parts_of_a_ms": PARTS_OF_A_MS}
