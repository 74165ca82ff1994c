"""The heatmap of one figure: a panel per source and link, workload across, bandwidth down.

Colour is the percentage difference of equation 4.1, (TCP - QUIC) / QUIC * 100, on a symmetric scale that
is clamped at `style.CLAMP_PCT`; white where Welch's test finds nothing; grey where nothing was measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import altair as alt
import pandas as pd

from longlook.figure import style


@dataclass(frozen=True)
class Layout:
    """Sizes in px: `width` is the room for all panels of one row, without axis labels."""

    width: int
    square_height: int
    number_font: int
    label_font: int


PAGE = Layout(width=690, square_height=36, number_font=11, label_font=11)
"""Fills the text column of the book."""
SMALL = Layout(width=470, square_height=24, number_font=10, label_font=10)
"""Two figures side by side in one picture."""
GAP_PX = 12
PICK = "pick"
"""Parameter that holds the picked square's key in every panel; the book's script sets it on a click."""

NAMES = ("QUIC", "TCP")
"""What the two arms are called; figure 4.7c compares QUIC with itself."""


def _tooltip(names: tuple[str, str]) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("source_title:N", title="column"),
        alt.Tooltip("workload:N", title="workload"),
        alt.Tooltip("link:N", title="link"),
        alt.Tooltip("quic_text:N", title=f"{names[0]} PLT, mean ± sd"),
        alt.Tooltip("tcp_text:N", title=f"{names[1]} PLT, mean ± sd"),
        alt.Tooltip("pct_text:N", title="difference"),
        alt.Tooltip("p_text:N", title="Welch's p"),
        alt.Tooltip("verdict_text:N", title="verdict"),
    ]


_SHOWN = ["source_title", "square", "workload", "bandwidth", "measured", "significant", "shade", "label",
          "label_colour", "link", "quic_text", "tcp_text", "pct_text", "p_text", "verdict_text"]  # fmt: skip


def heatmap(squares: pd.DataFrame, names: tuple[str, str] = NAMES) -> alt.VConcatChart:
    """Altair chart of `squares` (from `figure_squares`): one row of panels per link, one panel per source.

    `names`: of the arms in the columns `quic_*` and `tcp_*`.
    """
    chart = alt.vconcat(*_rows(squares, PAGE, names), spacing=18)
    return configured(chart.add_params(alt.param(name=PICK, value="")))


def overview(figures: dict[str, pd.DataFrame], columns: int = 2) -> alt.ConcatChart:
    """Several figures in one picture: name -> squares, `columns` figures side by side, filled row by row."""
    blocks = [
        row.properties(title=_block_title(f"Figure {name}: {row.title.text}"))
        for name, squares in figures.items()
        for row in _rows(squares, SMALL)
    ]
    chart = alt.concat(*blocks, columns=columns, spacing=24)
    return configured(chart.add_params(alt.param(name=PICK, value="")))


def _rows(squares: pd.DataFrame, layout: Layout, names: tuple[str, str] = NAMES) -> list[alt.HConcatChart]:
    """One row of panels per link condition, titled with it."""
    frame = _readable(squares, names)
    sources = list(dict.fromkeys(frame["source"]))
    rows = []
    for block in dict.fromkeys(frame["block"]):
        within = frame[frame["block"] == block]
        panels = [
            _panel(within[within["source"] == source], index == 0, len(sources), layout, names)
            for index, source in enumerate(sources)
        ]
        rows.append(alt.hconcat(*panels, spacing=GAP_PX).properties(title=_block_title(block)))
    return rows


def _block_title(text: str) -> alt.Title:
    return alt.Title(text, anchor="start", fontSize=13, offset=8)


def _panel(frame: pd.DataFrame, first: bool, count: int, layout: Layout, names: tuple[str, str]) -> alt.LayerChart:
    """One source of one link condition: squares, and the number printed in each."""
    order = list(dict.fromkeys(frame.sort_values("workload_order")["workload"]))
    speeds = list(dict.fromkeys(frame.sort_values("bandwidth_mbps")["bandwidth"]))
    rows = frame[[name for name in _SHOWN if name in frame]]
    base = alt.Chart(rows).encode(
        x=alt.X(
            "workload:N",
            sort=order,
            title=None,
            axis=alt.Axis(labelAngle=-40, labelOverlap=False, labelFontSize=layout.label_font),
        ),
        y=alt.Y("bandwidth:N", sort=speeds, title="Mbit/s" if first else None, axis=_bandwidth_axis(first)),
    )
    blank = alt.value(alt.expr(f"datum.measured ? '#ffffff' : '{style.NOT_MEASURED}'"))
    fill = alt.when("datum.significant").then(_colour(names)).otherwise(blank)
    picked = f"datum.square === {PICK}"
    outline = alt.when(picked).then(alt.value("#000000")).otherwise(alt.value("#9a9a9a"))
    weight = alt.when(picked).then(alt.value(2.5)).otherwise(alt.value(0.6))
    rect = base.mark_rect(cursor="pointer").encode(
        color=fill, stroke=outline, strokeWidth=weight, tooltip=_tooltip(names)
    )
    text = base.mark_text(fontSize=layout.number_font, font=style.FONT).encode(
        text="label:N", color=alt.value(alt.expr("datum.label_colour"))
    )
    each = int((layout.width - GAP_PX * (count - 1)) / count)
    return alt.layer(rect, text).properties(
        width=each,
        height=layout.square_height * len(speeds),
        title=alt.Title(frame["source_title"].iloc[0], anchor="middle", fontSize=12, fontWeight="normal"),
    )


def _bandwidth_axis(first: bool) -> alt.Axis:
    """Bandwidth labels stand beside the first panel only: the rows line up across panels."""
    return alt.Axis(labels=first, ticks=first, domain=False, titleFontWeight="normal")


def _colour(names: tuple[str, str]) -> alt.Color:
    """Diverging scale, symmetric and clamped; its legend names both directions."""
    edge = 1e-6  # the pale ends meet at 0, with nothing but a hair of white between them
    limit = style.CLAMP_PCT
    return alt.Color(
        "shade:Q",
        scale=alt.Scale(
            domain=[-limit, -edge, 0, edge, limit],
            range=[style.BLUE_DARK, style.BLUE_PALE, "#ffffff", style.RED_PALE, style.RED_DARK],
            clamp=True,
        ),
        legend=alt.Legend(
            title=f"PLT difference, %: blue, minus = {names[1]} faster; red, plus = {names[0]} faster; white = not significant",
            orient="bottom", direction="horizontal", gradientLength=300, gradientThickness=10,
            titleLimit=700, titleFontWeight="normal", values=[-limit, -limit / 2, 0, limit / 2, limit],
        ),
    )  # fmt: skip


def _readable(squares: pd.DataFrame, names: tuple[str, str]) -> pd.DataFrame:
    """Adds the sentences of the tooltip, so that chart and tooltip can never disagree in rounding."""
    frame = squares.copy()
    words = {"quic": f"{names[0]} faster", "tcp": f"{names[1]} faster", "none": style.VERDICT_WORDS["none"]}
    # Vega paints a missing number in the middle colour, whatever the condition says: give it a number.
    frame["shade"] = frame["pct_diff"].fillna(0.0)
    frame["link"] = [
        f"{speed} Mbit/s, {block}" for speed, block in zip(frame["bandwidth"], frame["block"], strict=True)
    ]
    for protocol in ("quic", "tcp"):
        frame[f"{protocol}_text"] = [
            mean_text(*values)
            for values in frame[[f"{protocol}_mean_ms", f"{protocol}_std_ms", f"{protocol}_n"]].itertuples(index=False)
        ]
    frame["pct_text"] = [
        f"{style.signed_pct(value)} %" if pd.notna(value) else "not measured" for value in frame["pct_diff"]
    ]
    frame["p_text"] = frame["p_value"].map(p_text)
    frame["verdict_text"] = frame["verdict"].map(words).where(frame["measured"], "not measured")
    return frame


def mean_text(mean_ms: float, std_ms: float, count: float) -> str:
    """`106.4 ± 2.2 ms (n = 20)`, or `not measured`."""
    if pd.isna(mean_ms):
        return "not measured"
    spread = f" ± {std_ms:,.1f}" if pd.notna(std_ms) else ""
    return f"{mean_ms:,.1f}{spread} ms (n = {count:g})"


def p_text(p_value: float) -> str:
    """Welch's p in words: `< 0.0001`, `0.034`, or empty."""
    if pd.isna(p_value):
        return ""
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.2g}"


def configured(chart: alt.TopLevelMixin) -> alt.TopLevelMixin:
    """The one look of all charts: plain sans-serif, no frame, text large enough to read in print."""
    return (
        chart.configure(font=style.FONT, background="transparent")
        .configure_view(stroke=None)
        .configure_axis(labelFontSize=11, titleFontSize=12, labelColor=style.INK, titleColor=style.INK, grid=False)
        .configure_legend(labelFontSize=11, titleFontSize=11, labelColor=style.INK, titleColor=style.INK)
    )
