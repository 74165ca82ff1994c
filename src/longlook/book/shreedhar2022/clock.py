"""A clock that loses its seconds: times as they are, what is left of them modulo 1000 ms, and what is printed.

What is left of a time is no time: the two never share a panel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import altair as alt
import numpy as np
import pandas as pd
from IPython.display import HTML

from longlook.analysis.quantities import wrapped_ms
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.shreedhar2022.names import CLOCK, CLOCK_RTTS_MS, LSQUIC, NAMES, OLD, at, newest
from longlook.experiment.metrics import TTLB
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import Attachment, LiveChart
from longlook.published.shreedhar2022 import DOWNLOAD, INDIA, TLS12, WRAP_MS, of_all_sites
from longlook.published.shreedhar2022 import QUIC as PRINTED_QUIC

TIMES, LEFT = "times to the last byte", "what is left of them modulo 1000 ms"
RIGHT, PRINTED = "measured here", "printed"
COLUMNS = ["panel", "protocol", "source", "percentile", "ms"]
COLOURS = {"QUIC": style.SIDE_COLOURS["left"], "TLS 1.2": style.SIDE_COLOURS["right"]}


def wrapped(values_ms: Sequence[float]) -> list[float]:
    """As their client printed them."""
    return list(map(wrapped_ms, values_ms))


def over_all_links(own: StudyColumn, arm: str) -> list[float]:
    """Of every link as many as of the others."""
    return [value for rtt in CLOCK_RTTS_MS for value in own.loads(arm, TTLB.name, **at(CLOCK, rtt))]


def points(own: StudyColumn) -> pd.DataFrame:
    """Every download, and every printed percentile: COLUMNS."""
    return pd.DataFrame(_points(own), columns=COLUMNS)


def _points(own: StudyColumn) -> Iterator[tuple[str, str, str, float, float]]:
    quic, tcp = (over_all_links(own, arm) for arm in (LSQUIC, OLD))
    for panel, name, values in ((TIMES, "QUIC", quic), (TIMES, "TLS 1.2", tcp), (LEFT, "QUIC", wrapped(quic))):
        for place, value in enumerate(sorted(values)):
            yield panel, name, RIGHT, 100 * (place + 0.5) / len(values), value
    known = of_all_sites()
    for panel, name, protocol in ((TIMES, "TLS 1.2", TLS12), (LEFT, "QUIC", PRINTED_QUIC)):
        for p, value in known[INDIA, protocol, DOWNLOAD].printed.items():
            yield panel, name, PRINTED, float(p), value


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """Both panels, of the reader's own campaign or else of the reference one."""
    own = newest(data, CLOCK)
    if not own.has(CLOCK):
        return HTML(style.NOTHING_YET)
    frame = points(own)
    return LiveChart(
        name="shreedhar-clock",
        chart=_chart(frame, 560),
        narrow=_chart(frame, 240),
        alt_text=words(own),
        downloads=(Attachment("shreedhar-clock.csv", frame.to_csv(index=False)),),
        note=f"{own.title}. Curves: downloads of 40 KB over round trips of 200, 290, 415 and 580 ms, as many of each. "
        "Crosses: percentiles printed for Bhubaneswar. Printed QUIC is in the lower panel alone, since it is no time.",
        hint="Point at a mark for its numbers.",
    )


def words(own: StudyColumn) -> str:
    """The medians and 75th percentiles of what is shown."""
    quic, tcp = (over_all_links(own, arm) for arm in (LSQUIC, OLD))
    known = of_all_sites()
    printed = {name: known[INDIA, name, DOWNLOAD].printed for name in (TLS12, PRINTED_QUIC)}
    shown = (
        (f"{NAMES[LSQUIC]}, times", quic, None),
        (f"{NAMES[OLD]}, times", tcp, printed[TLS12]),
        ("QUIC's modulo 1000 ms", wrapped(quic), printed[PRINTED_QUIC]),
    )
    texts = []
    for name, values, beside in shown:
        told = [f"{np.percentile(values, p):.0f}" + (f" (printed {beside[p]:.0f})" if beside else "") for p in (50, 75)]
        texts.append(f"{name}: median {told[0]}, 75th percentile {told[1]} ms" if values else f"{name}: none")
    return "Downloads by percentile. " + "; ".join(texts) + "."


def _chart(frame: pd.DataFrame, width: int) -> alt.TopLevelMixin:
    most = float(frame["ms"].max())
    colour = alt.Color(
        "protocol:N",
        scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
        legend=alt.Legend(title=None, orient="top"),
    )
    panels = [
        _panel(frame[frame["panel"] == panel], colour, most).properties(width=width, height=150, title=panel)
        for panel in (TIMES, LEFT)
    ]
    return configured(alt.vconcat(*panels, spacing=16))


def _panel(own: pd.DataFrame, colour: alt.Color, most: float) -> style.Layered:
    x = alt.X("ms:Q", title="ms", scale=alt.Scale(domain=[0, most]))
    y = alt.Y("percentile:Q", title="percentile", scale=alt.Scale(domain=[0, 100]))
    told = [
        alt.Tooltip("protocol:N", title="over"),
        alt.Tooltip("source:N", title="source"),
        alt.Tooltip("percentile:Q", format=".0f"),
        alt.Tooltip("ms:Q", format=".1f", title="ms"),
    ]
    curve = alt.Chart(own[own["source"] == RIGHT])
    line = curve.mark_line(interpolate="step-after", strokeWidth=1.4).encode(x=x, y=y, color=colour)
    dots = curve.mark_circle(size=18, opacity=0.6).encode(x=x, y=y, color=colour, tooltip=told)
    marks = (
        alt.Chart(own[own["source"] == PRINTED])
        .mark_point(shape="cross", size=70, filled=True)
        .encode(x=x, y=y, color=colour, tooltip=told)
    )
    second = alt.Chart(own.head(1)).mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(x=alt.datum(WRAP_MS))
    return alt.layer(second, line, dots, marks)
