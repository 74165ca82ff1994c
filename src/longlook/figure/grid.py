"""A number for every pair of two lists: one list down, one across, a panel for each group of pairs, a row of panels for
each block.

The darker a square, the larger its number, which stands in it. A pair without a number is grey and has a dash; why it
has none its tooltip says, and has to be said below the chart too, for those who cannot point.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import altair as alt
import pandas as pd

from longlook.figure import style
from longlook.figure.heatmap import configured, of_parts, row_of

GRID = ("block", "panel", "down", "across", "value", "label", "said")
"""Columns: `value` is NaN where there is none, `label` stands in the square; `said`, the tooltip's, is the number with
all that belongs to it, or why there is none."""
PALE, DARK = "#eef3f8", "#08306b"


@dataclass(frozen=True)
class Layout:
    """Sizes in px of one square; `stacked`: panels stand below each other, not side by side."""

    across: int
    down: int
    stacked: bool = False


PAGE = Layout(across=72, down=30)
PHONE = Layout(across=46, down=30, stacked=True)


@dataclass(frozen=True)
class Scale:
    """From the palest square to the darkest; `logarithmic` where numbers differ by orders of magnitude."""

    low: float
    high: float
    logarithmic: bool = False

    @classmethod
    def of(cls, values: pd.Series, logarithmic: bool = False) -> Scale:
        """From 0, or where that cannot be from the least, to the greatest."""
        known = values.dropna()
        if known.empty:
            return cls(0.0, 1.0)
        return cls(float(known.min()) if logarithmic else 0.0, float(known.max()), logarithmic)

    def share(self, value: float) -> float:
        """0 for the palest, 1 for the darkest."""
        if not self.high > self.low:
            return 0.0
        low, high, own = (math.log(one) if self.logarithmic else one for one in (self.low, self.high, value))
        return min(max((own - low) / (high - low), 0.0), 1.0)

    def colour(self, value: float) -> str:
        """`#rrggbb` of a square."""
        if math.isnan(value):
            return style.NOT_MEASURED
        share = self.share(value)
        pairs = [(int(PALE[at : at + 2], 16), int(DARK[at : at + 2], 16)) for at in (1, 3, 5)]
        return "#" + "".join(f"{round(pale + (dark - pale) * share):02x}" for pale, dark in pairs)


def grid_chart(
    frame: pd.DataFrame, titles: tuple[str, str], scale: Scale | None = None, layout: Layout = PAGE
) -> alt.VConcatChart:
    """`frame` has GRID; blocks, panels and both lists in the order met. `titles`: what lies down and what across.
    Without a scale each square has its own `colour`."""
    coloured = frame.copy() if scale is None else frame.assign(colour=list(map(scale.colour, frame["value"])))
    coloured["ink"] = [_ink(colour) for colour in coloured["colour"]]
    rows = []
    for block in dict.fromkeys(coloured["block"]):
        own = coloured[coloured["block"] == block]
        panels = [
            _panel(own[own["panel"] == panel], titles, layout).properties(title=_title(panel, 12))
            for panel in dict.fromkeys(own["panel"])
        ]
        row = row_of(panels, layout.stacked)
        rows.append(row.properties(title=_title(block, 13)) if block else row)
    return configured(of_parts(alt.VConcatChart, vconcat=rows, spacing=18))


def _ink(colour: str) -> str:
    return "#000000" if style.luminance(colour) > style.BLACK_WHITE_CROSSOVER else "#ffffff"


def _title(text: str, size: int) -> alt.Title:
    return alt.Title(text, anchor="start", fontSize=size, fontWeight="normal" if size < 13 else "bold")


def _panel(own: pd.DataFrame, titles: tuple[str, str], layout: Layout) -> style.Layered:
    down, across = (list(dict.fromkeys(own[name])) for name in ("down", "across"))
    shown = own[["down", "across", "label", "said", "colour", "ink"]]
    base = alt.Chart().encode(
        x=alt.X("across:N", sort=across, title=titles[1], axis=alt.Axis(labelAngle=0, labelOverlap=False)),
        y=alt.Y("down:N", sort=down, title=titles[0], axis=alt.Axis(domain=False)),
        tooltip=[
            alt.Tooltip("down:N", title=titles[0]),
            alt.Tooltip("across:N", title=titles[1]),
            alt.Tooltip("said:N", title="found"),
        ],
    )
    square = base.mark_rect(stroke="#9a9a9a", strokeWidth=0.6).encode(color=alt.Color("colour:N", scale=None))
    number = base.mark_text(fontSize=11, font=style.FONT).encode(text="label:N", color=alt.Color("ink:N", scale=None))
    size = {"width": layout.across * len(across), "height": layout.down * len(down)}
    return of_parts(alt.LayerChart, data=shown, layer=[square, number]).properties(**size)


def told(frame: pd.DataFrame, unit: str) -> str:
    """The result in words, a sentence for each panel of each block: how many pairs have a number, and both ends."""
    return " ".join(_told(own, unit) for _, own in frame.groupby(["block", "panel"], sort=False))


def _told(own: pd.DataFrame, unit: str) -> str:
    where = ", ".join(part for part in (own["block"].iloc[0], own["panel"].iloc[0]) if part)
    known = own.dropna(subset=["value"])
    if known.empty:
        return f"{where}: none of {len(own)} pairs has a number."
    ends = [known.loc[at] for at in (known["value"].idxmin(), known["value"].idxmax())]
    low, high = (f"{one['label']} {unit} ({one['down']} with {one['across']})" for one in ends)
    return f"{where}: {len(known)} of {len(own)} pairs, from {low} to {high}."
