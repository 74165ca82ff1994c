"""Page loads, object by object against time: the load of one arm above that of the next.

`loads_of` packs loads compactly for a page of the book, whose script puts those of the square that was picked into the
chart (`waterfall`); `picture` is the same chart with the loads in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import offline_spec
from longlook.figure.runs import SIDE_SCALE
from longlook.figure.versus import SIDES, Versus

PALE = 0.35
"""Opacity of a bar while its object is waited for."""
BAR_PX = {"least": 1.5, "largest": 14, "all": 150}
"""How high a bar is, and at most all bars of a load."""
NAMED_PX = 13
"""A bar with a name."""
MOST_NAMED = 40
"""Objects of a load whose bars have names."""
NAME_PX = 100
"""Room for a name; a reader's font may be wider than the one by which the picture was drawn."""
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


def waterfall(width_px: int = 560, names: bool = False) -> alt.FacetChart:
    """Bars with named, empty data, `objects`: of each its load's name, PLT and place from above (`load`, `value`,
    `place`), its `side`, its own name (`object`), when it was asked for, answered and whole (`started`, `answered`,
    `ended`, ms), and words (`what`, `told`). Who fills it states how high a bar is (`height` of `spec`)."""
    data = alt.NamedData("objects")
    y = alt.Y(
        "object:O",
        sort=None,
        title=None,
        scale=alt.Scale(paddingInner=0.12),
        axis=alt.Axis(labelLimit=NAME_PX - 20, minExtent=NAME_PX, domain=False, ticks=False) if names else None,
    )
    x = alt.X(
        "started:Q",
        title="ms from the start of the load",
        scale=alt.Scale(nice=False, zero=True),
        axis=alt.Axis(grid=True, tickCount=width_px // 80),
    )
    colour = alt.Color("side:N", scale=SIDE_SCALE, legend=None)
    tooltip = [alt.Tooltip("what:N", title="object"), alt.Tooltip("told:N", title="times")]
    bars = alt.Chart().encode(y=y, color=colour, tooltip=tooltip)
    waits = bars.mark_rect(opacity=PALE).encode(x=x, x2="answered:Q")
    arrives = bars.mark_rect().encode(x=alt.X("answered:Q"), x2="ended:Q")
    end = alt.Chart().mark_rule(strokeWidth=1.5, color=style.INK).encode(x="mean(value):Q")
    header = alt.Header(
        labelOrient="top", labelAnchor="start", labelFontSize=12, labelLimit=0, labelPadding=4, labelColor=style.INK
    )
    each = alt.Row("load:N", title=None, sort=alt.EncodingSortField("place", op="min"), header=header)
    drawn = alt.layer(waits, arrives, end).properties(width=width_px).facet(row=each, data=data)
    return configured(drawn.resolve_scale(y="independent"))


@dataclass(frozen=True)
class DrawnLoad:
    """`side` has its colour; `objects`: rows of the table of that name, each with all its times."""

    name: str
    side: str
    plt_ms: float
    objects: Sequence[Mapping[str, Any]]


def picture(loads: Sequence[DrawnLoad], width_px: int) -> dict[str, Any]:
    """The chart with these loads in it, and with the names of objects where they are few."""
    most = max(len(load.objects) for load in loads)
    names = most <= MOST_NAMED
    spec = offline_spec(waterfall(width_px - NAME_PX * names, names))
    spec["spec"]["height"] = {"step": NAMED_PX if names else max(BAR_PX["least"], BAR_PX["all"] / most)}
    spec["datasets"] = {"objects": [row | {"place": place} for place, load in enumerate(loads) for row in _bars(load)]}
    return spec


def _bars(load: DrawnLoad) -> Iterator[dict[str, Any]]:
    for number, one in enumerate(load.objects, start=1):
        name = str(one["path"]).rpartition("/")[2] or str(one["path"])
        times = {key: one[f"{key}_ms"] for key in ("started", "answered", "ended")}
        yield {"load": load.name, "side": load.side, "value": load.plt_ms, "object": f"{number}. {name}"} | times


def payload(
    objects: pd.DataFrame, samples: pd.DataFrame, squares: pd.DataFrame, versus: Versus
) -> Mapping[str, Any] | None:
    """What the page's script needs; None where no square has both loads."""
    loads = loads_of(objects, samples, squares, versus)
    if not loads:
        return None
    page = {"key": KEY, "parts_of_a_ms": PARTS_OF_A_MS, "bar_px": BAR_PX}
    return {"spec": offline_spec(waterfall()), "loads": loads} | page
