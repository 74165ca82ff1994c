"""Colours, labels and sizes that every chart and table shares.

Red means that the left arm is the better one and blue the right one: QUIC and TCP as in the thesis (section 4.3). Red
and blue stay apart for the common forms of colour blindness; the sign is printed as well, so colour is never the only
carrier of the result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import altair as alt
import pandas as pd

from longlook.plan.workload import size_label

CLAMP_PCT = 100.0
"""Percentage difference at which the colour is saturated, the range of the thesis's own colour bar."""

# Pale ends differ from white on purpose: white is kept for what is not shown.
BLUE_DARK, BLUE_PALE, RED_PALE, RED_DARK = "#2166ac", "#d9e8f3", "#fde2d6", "#b2182b"
BLACK_WHITE_CROSSOVER = 0.179
"""Luminance at which black and white text contrast equally: (L + 0.05)^2 = 1.05 x 0.05."""
NOT_MEASURED = "#ececec"
INK = "#222222"
GREY = "#666666"
SIDE_COLOURS = {"left": "#b2182b", "right": "#2166ac"}
PROTOCOL_LABELS = {"quic": "QUIC", "tcp": "TCP"}
Layered = alt.Chart | alt.LayerChart | alt.FacetChart
"""A panel, as `alt.layer` and `properties` return it."""
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif"

MINUS = "\N{MINUS SIGN}"
DASH = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"
ZOOM, WHOLE = "drag here to zoom", "whole transfer, s"
"""Under the strip below a timeline: on the screen, and in a static picture."""
NOTHING_YET = "<p>Not measured yet.</p>"
"""In place of a table without rows."""
NOT_SHOWN = "not shown"
CONDITION_TITLES = {
    "bandwidth_mbps": "Mbit/s",
    "rtt_ms": "RTT, ms",
    "loss_pct": "loss, %",
    "jitter_ms": "jitter, ms",
    "jitter_interval_ms": "new delay every, ms",
    "queue_bytes": "queue, bytes",
    "queue_packets": "queue, packets",
    "burst_bytes": "burst, bytes",
    "netem": "netem",
    "object_bytes": "bytes of each object",
    "object_count": "objects",
    "total_bytes": "bytes in all",
    "duration_s": "duration, s",
    "client_cpu_pct": "CPU of the client, %",
    "server_cpu_pct": "CPU of the server, %",
    "cpu_period_us": "period of the limit, µs",
    "request_cost_us": "cost per request, us",
    "send_cost_us": "cost per send of the client, us",
    "discovery": "how HTTP/3 is learnt",
    "initial_rtt_ms": "initial RTT, ms",
    "client_initial_rtt_ms": "initial RTT of the client, ms",
    "reordering_threshold": "reordering threshold, packets",
    "client_groups": "TLS groups of the client",
    "server_groups": "TLS groups of the server",
    "verify": "certificate checked",
    "authorities": "authorities read",
    "initial_window": "initial window, packets",
    "remembered_ssthresh": "remembered threshold, packets",
    "emulated_connections": "N",
    "cca": "congestion controller",
    "quic_options": "options",
    "label": "scenario",
    "replicate": "repeat",
}
"""What readers call a condition, where it is not clear from its values."""


def workload_label(workload: str, object_bytes: float, count: int, with_count: bool) -> str:
    """`500 KB × 2`; without the count where every workload of a figure has one object; of a mixed page its name."""
    if pd.isna(object_bytes):
        return workload
    text = size_label(int(object_bytes))
    return f"{text} {TIMES} {int(count)}" if with_count else text


def page_label(cell: Mapping[Any, Any], with_count: bool = False) -> str:
    """Of a row of `cells`: `500 KB × 2`, `10 MB`."""
    count = cell["object_count"]
    return workload_label(cell["workload"], cell["object_bytes"], count, with_count or count > 1)


def link_label(rtt_ms: float | None = None, loss_pct: float | None = None, jitter_ms: float | None = None) -> str:
    """One line for the link of a block: RTT, loss and, where there is some, jitter; what is None lies on an axis."""
    parts = [
        "" if rtt_ms is None else f"RTT {rtt_ms:g} ms",
        "" if loss_pct is None else loss_label(loss_pct),
        f"jitter {jitter_ms:g} ms" if jitter_ms else "",
    ]
    return ", ".join(part for part in parts if part)


def loss_label(loss_pct: float) -> str:
    """`loss 1 % (0.5 % each way)`: a link's loss is stated for both directions together, and divided between them."""
    return f"loss {loss_pct:g} %" + (f" ({loss_pct / 2:g} % each way)" if loss_pct else "")


def mean_sd(mean: float, sd: float | None, digits: int) -> tuple[str, str]:
    """`106.4` and `± 2.2`, or an empty text; the one place where a mean and its deviation are rounded, each once."""
    return f"{mean:,.{digits}f}", "" if sd is None or pd.isna(sd) else f"± {sd:,.{digits}f}"


def rounded(value: float) -> str:
    """Three significant figures, and no power of ten: `0.0123`, `4.56`, `12,300`."""
    short = f"{value:.3g}"
    return f"{float(short):,.0f}" if abs(value) >= 100 else f"{Decimal(short):f}"


def p_text(p_value: float) -> str:
    """`< 0.0001`, `0.034`, or empty."""
    if pd.isna(p_value):
        return ""
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.2g}"


def value_text(value: object) -> str:
    """A condition's value: numbers in their shortest form, `none` for what is not there."""
    if value is None or (isinstance(value, Real) and math.isnan(value)):
        return "none"
    return f"{value:g}" if isinstance(value, Real) and not isinstance(value, bool) else str(value)


def signed_pct(value: float | None) -> str:
    """A percentage with its sign, two significant figures below 10: `+72`, `−24`, `+0.5`; empty without one."""
    if value is None or not math.isfinite(value):
        return ""
    text = pct_text(value)
    return text if text == "0" else ("+" if value > 0 else MINUS) + text


def pct_text(value: float) -> str:
    """The same without its sign: `72`, `0.5`."""
    text = f"{abs(value):.{0 if abs(value) >= 9.95 else 1}f}"
    return "0" if float(text) == 0 else text


def text_on(pct_diff: float, significant: bool) -> str:
    """Black or white, whichever stands out more from the square's own colour (WCAG 2.1 contrast)."""
    if not significant:
        return INK
    return "#000000" if luminance(square_colour(pct_diff)) > BLACK_WHITE_CROSSOVER else "#ffffff"


def square_colour(pct_diff: float) -> str:
    """`#rrggbb` of a significant square: the heatmap's scale, clamped at `CLAMP_PCT`."""
    pale, dark = (RED_PALE, RED_DARK) if pct_diff > 0 else (BLUE_PALE, BLUE_DARK)
    share = min(abs(pct_diff) / CLAMP_PCT, 1.0)
    pairs = [(int(pale[at : at + 2], 16), int(dark[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(light + (deep - light) * share):02x}" for light, deep in pairs)


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, 0 (black) to 1 (white); WCAG 2.1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
