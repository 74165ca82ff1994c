"""The heatmap of one figure: a panel per source and block, one condition across and one down.

Colour is the percentage difference of equation 4.1, (right - left) / left * 100 for times (left QUIC, right TCP in the
thesis), on a symmetric scale that is clamped at `style.CLAMP_PCT`: of pairs of loads that met the same losses where
there are any, else of the means (`versus.decided`). White where the test finds nothing, grey where nothing is known.
No result is told by colour alone: every square has its number, slanted where no difference is shown.
Strokes in a corner mark what a processor bounds (`analysis/processor.py`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import Any, TypeVar

import altair as alt
import pandas as pd

from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.squares import Axes, axis_title
from longlook.figure.versus import (
    BOUND,
    NOT_SHOWN,
    SIDES,
    SMALL,
    Versus,
    decided,
    is_bound,
    verdict_text,
    welch_text,
)
from longlook.record.parquet import records


@dataclass(frozen=True)
class HeatmapSizes:
    """Sizes in px: `width` is the room for all panels of one row, without axis labels; `stacked`: a panel has a row of
    its own; `line`: characters in a line of a title, 0 without bound."""

    width: int
    square_height: int
    number_font: int
    label_font: int
    stacked: bool = False
    line: int = 0
    legend: int = 300
    bound: bool = False
    """A square of the figure is bound by the processor."""
    paired: bool = False
    """A square of the figure has pairs of loads."""

    def title(self, *texts: str) -> str | list[str]:
        """A line for each, in several where it would be wider than the panel below."""
        lines = [line for text in texts for line in (wrap(text, self.line) if self.line else [text])]
        return lines if len(lines) > 1 else "".join(lines)


PAGE = HeatmapSizes(width=690, square_height=36, number_font=11, label_font=11)
"""Fills the text column of the book."""
HALF = HeatmapSizes(width=470, square_height=24, number_font=10, label_font=10)
"""Two figures side by side in one picture."""
PHONE = HeatmapSizes(width=236, square_height=36, number_font=11, label_font=11, stacked=True, line=40, legend=220)
"""Fills the text column of a phone at full size."""
GAP_PX = 12
PICK = "pick"
"""Parameter that holds the picked square's key in every panel; the book's script sets it on a click."""

QUIC_TCP = Versus("quic", "tcp", PLT)


def _tooltip(versus: Versus) -> list[alt.Tooltip]:
    means = [
        alt.Tooltip(f"{side}_text:N", title=f"{word} {versus.metric_word}, mean ± sd")
        for side, word in zip(SIDES, versus.words, strict=True)
    ]
    return [
        alt.Tooltip("source_title:N", title="column"),
        alt.Tooltip("place:N", title="square"),
        *means,
        alt.Tooltip("pct_text:N", title="difference"),
        alt.Tooltip("decided_by:N", title="test"),
        alt.Tooltip("verdict_text:N", title="shown"),
        alt.Tooltip("welch_text:N", title="Welch's test"),
    ]


CORNER = "M-10,0L0,10M-6,0L0,6M-2,0L0,2"
"""Three strokes across the upper right corner of a square, px from that corner."""
_SHOWN = ["source_title", "square", "x", "y", "measured", "significant", "upright", "shade", "label",
          "label_colour", "place", "left_text", "right_text", "pct_text", "decided_by", "verdict_text", "welch_text",
          "panel", "said", "bound"]  # fmt: skip
BY_PAIRS = "by pairs of loads that met the same losses; published, or where there are none, by Welch's test"
UPRIGHT = "white, upright = shown to be small, below 5 %"


Chart = TypeVar("Chart", bound=alt.TopLevelMixin)
Row = alt.HConcatChart | alt.VConcatChart
"""Panels of one block."""


def heatmap(
    squares: pd.DataFrame, versus: Versus = QUIC_TCP, axes: Axes | None = None, layout: HeatmapSizes = PAGE
) -> alt.VConcatChart:
    """Altair chart of `squares` (from `figure_squares`): one row of panels per block, one panel per source."""
    rows = _rows(squares, layout, versus, axes or Axes())
    return _picked(of_parts(alt.VConcatChart, vconcat=rows, spacing=18))


def overview(figures: dict[str, pd.DataFrame], columns: int = 2) -> alt.ConcatChart:
    """Several figures in one picture: name -> squares, `columns` figures side by side, filled row by row."""
    blocks = [
        row.properties(title=_block_title(f"Figure {name}: {row.title.text}"))
        for name, squares in figures.items()
        for row in _rows(squares, HALF, QUIC_TCP, Axes())
    ]
    return _picked(of_parts(alt.ConcatChart, concat=blocks, columns=columns, spacing=24))


def of_parts(kind: type[Chart], **parts: Any) -> Chart:
    """A chart that consists of others. Altair's own constructors copy all of them, several times at each level."""
    whole: Any = kind()
    for name, own in parts.items():
        setattr(whole, name, own)
    return whole


def row_of(panels: Sequence[style.Layered], stacked: bool) -> Row:
    """Panels side by side, or below each other."""
    if stacked:
        return of_parts(alt.VConcatChart, vconcat=panels, spacing=GAP_PX)
    return of_parts(alt.HConcatChart, hconcat=panels, spacing=GAP_PX)


def _picked(chart: Chart) -> Chart:
    """The finished chart, with the parameter that all panels share."""
    # `add_params` would hand it to every panel, copy them all and take it out of them again.
    whole: Any = chart
    whole.params = [alt.param(name=PICK, value="").param]
    return configured(chart)


def _rows(squares: pd.DataFrame, layout: HeatmapSizes, versus: Versus, axes: Axes) -> list[Row]:
    """One row of panels per block, titled with it."""
    frame = _readable(squares, versus, axes)
    layout = replace(layout, bound=bool(frame["bound"].any()), paired=bool((frame["welch_text"] != "").any()))
    sources = list(dict.fromkeys(frame["source"]))
    rows: list[Row] = []
    for block in dict.fromkeys(frame["block"]):
        within = frame[frame["block"] == block]
        panels = [
            _panel(within[within["source"] == source], index == 0, len(sources), layout, versus, axes)
            for index, source in enumerate(sources)
        ]
        row = row_of(panels, layout.stacked)
        rows.append(row.properties(title=_block_title(layout.title(block))))
    return rows


def _block_title(text: str | list[str]) -> alt.Title:
    return alt.Title(text, anchor="start", fontSize=13, offset=8)


def _panel(
    frame: pd.DataFrame, first: bool, count: int, layout: HeatmapSizes, versus: Versus, axes: Axes
) -> style.Layered:
    """One source of one block: squares, and the number printed in each."""
    across = list(dict.fromkeys(frame.sort_values("x_order", kind="stable")["x"]))
    down = list(dict.fromkeys(frame.sort_values("y_order", kind="stable")["y"]))
    rows = frame[[name for name in _SHOWN if name in frame]]
    named = first or layout.stacked  # labels stand beside the first panel of a row: the squares line up
    base = alt.Chart().encode(
        x=alt.X("x:N", sort=across, title=_title(axes.x), axis=_x_axis(axes.x, layout)),
        y=alt.Y("y:N", sort=down, title=_title(axes.y) if named else None, axis=_y_axis(named)),
    )
    blank = alt.value(alt.expr(f"datum.measured ? '#ffffff' : '{style.NOT_MEASURED}'"))
    fill = alt.when("datum.significant").then(_colour(versus, layout)).otherwise(blank)
    picked = f"datum.square === {PICK}"
    outline = alt.when(picked).then(alt.value("#000000")).otherwise(alt.value("#9a9a9a"))
    weight = alt.when(picked).then(alt.value(2.5)).otherwise(alt.value(0.6))
    rect = base.mark_rect(cursor="pointer").encode(
        color=fill, stroke=outline, strokeWidth=weight, tooltip=_tooltip(versus)
    )
    slant = alt.expr("datum.upright ? 'normal' : 'italic'")
    text = base.mark_text(fontSize=layout.number_font, font=style.FONT, fontStyle=slant).encode(
        text="label:N", color=alt.value(alt.expr("datum.label_colour"))
    )
    each = layout.width if layout.stacked else int((layout.width - GAP_PX * (count - 1)) / count)
    layers = [rect, text]
    if layout.bound:
        right, top = each / len(across) / 2, -layout.square_height / 2
        corner = base.transform_filter("datum.bound").mark_point(
            shape=CORNER, size=4, stroke=style.INK, strokeWidth=1, opacity=1, xOffset=right, yOffset=top
        )
        layers.append(corner)
    return of_parts(alt.LayerChart, data=rows, layer=layers).properties(
        width=each,
        height=layout.square_height * len(down),
        title=alt.Title(frame["source_title"].iloc[0], anchor="middle", fontSize=12, fontWeight="normal"),
    )


def _title(condition: str) -> str | None:
    """A page says what it is; everything else needs its unit."""
    return None if condition == "workload" else axis_title(condition)


def _x_axis(condition: str, layout: HeatmapSizes) -> alt.Axis:
    angle = -40 if condition == "workload" else 0
    return alt.Axis(
        labelAngle=angle, labelOverlap=False, labelFontSize=layout.label_font, titleFontWeight="normal", titlePadding=2
    )


def _y_axis(named: bool) -> alt.Axis:
    return alt.Axis(labels=named, ticks=named, domain=False, titleFontWeight="normal")


def _colour(versus: Versus, layout: HeatmapSizes) -> alt.Color:
    """Diverging scale, symmetric and clamped; its legend names both directions."""
    edge = 1e-6  # the pale ends meet at 0, with nothing but a hair of white between them
    limit, words = style.CLAMP_PCT, versus.verdict_words
    said = [
        f"{versus.metric_word} difference, %: blue, minus = {words['right']}; red, plus = {words['left']}; white, "
        f"slanted = {NOT_SHOWN}"
    ]
    if layout.paired:
        said += [UPRIGHT, BY_PAIRS]
    if layout.bound:
        said.append("strokes in a corner: a processor bounds this square")
    return alt.Color(
        "shade:Q",
        scale=alt.Scale(
            domain=[-limit, -edge, 0, edge, limit],
            range=[style.BLUE_DARK, style.BLUE_PALE, "#ffffff", style.RED_PALE, style.RED_DARK],
            clamp=True,
        ),
        legend=alt.Legend(
            title=layout.title(*said),
            orient="bottom", direction="horizontal", gradientLength=layout.legend, gradientThickness=10,
            titleLimit=700, titleFontWeight="normal", values=[-limit, -limit / 2, 0, limit / 2, limit],
        ),
    )  # fmt: skip


def _readable(squares: pd.DataFrame, versus: Versus, axes: Axes) -> pd.DataFrame:
    """Adds the sentences of the tooltip, so that chart and tooltip can never disagree in rounding."""
    frame = squares.copy()
    # Vega paints a missing number in the middle colour, whatever the condition says: give it a number.
    frame["shade"] = frame["pct"].fillna(0.0)
    frame["place"] = place_names(frame, axes)
    for side in SIDES:
        parts = frame[[f"{side}_mean", f"{side}_sd", f"{side}_n"]].itertuples(index=False, name=None)
        frame[f"{side}_text"] = [mean_text(mean, sd, n, versus.metric.unit) for mean, sd, n in parts]
    rows = records(frame)
    frame["bound"] = [is_bound(row) for row in rows]
    frame["pct_text"] = [decided(row).text if pd.notna(row["pct"]) else "not measured" for row in rows]
    frame["verdict_text"] = [verdict_text(row, versus) if row["measured"] else "not measured" for row in rows]
    frame["decided_by"] = [decided(row).test if row["measured"] else "" for row in rows]
    frame["welch_text"] = [welch_text(row, versus) if row["measured"] else "" for row in rows]
    frame["panel"] = [", ".join(part for part in (row["source_title"], row["block"]) if part) for row in rows]
    named = [_named(axes.x, frame["x"]), _named(axes.y, frame["y"])]
    frame["said"] = [
        f"{across}, {down}: {result_text(row, versus)}{f', {BOUND}' if bound else ''}"
        for across, down, row, bound in zip(*named, rows, frame["bound"], strict=True)
    ]
    return frame


def result_text(row: Mapping[Hashable, Any], versus: Versus) -> str:
    """`QUIC faster by 12 %, shown`: what a square says to those who do not see it."""
    if not row["measured"]:
        return "not measured"
    if row["winner"] == "none":
        return f"difference {style.signed_pct(row['pct'])} %, {row['shown']}"
    by = style.pct_text(row["pct"])
    return f"{versus.verdict_words[row['winner']]} by {by} %, {row['shown']}"


def told(squares: pd.DataFrame, versus: Versus) -> str:
    """The result of a heatmap in words, a sentence per source: how many squares are whose, and between which ends."""
    return " ".join(
        f"{title}: {_counted(own[own['measured']], versus)}."
        for title, own in squares.groupby("source_title", sort=False)
    )


def _counted(own: pd.DataFrame, versus: Versus) -> str:
    if own.empty:
        return "nothing measured"
    counts = own["winner"].where(own["winner"] != "none", own["shown"]).value_counts()
    words = {side: versus.verdict_words[side] for side in SIDES} | {one: one for one in (SMALL, NOT_SHOWN)}
    parts = [f"{said} in {counts.get(one, 0)}" for one, said in words.items() if one != SMALL or one in counts]
    ends = " to ".join(f"{style.signed_pct(one)} %" for one in (own["pct"].min(), own["pct"].max()))
    return f"of {len(own)} squares {', '.join(parts)}; differences from {ends}"


def place_names(squares: pd.DataFrame, axes: Axes) -> list[str]:
    """`10 KB at 50 Mbit/s, RTT 36 ms, loss 0 %` for each row."""
    named = [_named(axes.x, squares["x"]), _named(axes.y, squares["y"])]
    texts = zip(*named, squares["block"], strict=True)
    return [f"{across} at {down}, {block}" if block else f"{across} at {down}" for across, down, block in texts]


def _named(condition: str, texts: pd.Series) -> list[str]:
    """Values of a condition with its unit."""
    if condition == "workload":
        return list(texts)
    if condition == "bandwidth_mbps":
        return [f"{text} Mbit/s" for text in texts]
    return [f"{axis_title(condition)} = {text}" for text in texts]


def mean_text(mean: float, sd: float, count: float, unit: str = "ms") -> str:
    """`106.4 ± 2.2 ms (n = 20)`, or `not measured`."""
    return "not measured" if pd.isna(mean) else f"{mean_and_sd(mean, sd, unit)} {unit} (n = {count:g})"


def mean_and_sd(mean: float, sd: float, unit: str) -> str:
    """`106.4 ± 2.2`: in the tooltip and in the table below the chart."""
    return " ".join(part for part in style.mean_sd(mean, sd, 1 if unit == "ms" else 2) if part)


def configured(chart: Chart) -> Chart:
    """The one look of all charts: plain sans-serif, no frame, text large enough to read in print. The chart itself is
    changed: each of Altair's own `configure` copies every panel, and half of a chapter's time went into that."""
    whole: Any = chart  # what Altair's mixin does not know of
    whole.config = alt.Config(
        font=style.FONT,
        background="transparent",
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelFontSize=11, titleFontSize=12, labelColor=style.INK, titleColor=style.INK, grid=False
        ),
        legend=alt.LegendConfig(labelFontSize=11, titleFontSize=11, labelColor=style.INK, titleColor=style.INK),
    )  # fmt: skip
    return chart
