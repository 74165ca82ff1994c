"""Connection times and downloads as distributions, and how many times TLS 1.2's throughput QUIC's is, by size."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

import altair as alt
import pandas as pd
from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.shreedhar2022.names import (
    CLOUD,
    ENVOY,
    ENVOY_LSQUIC,
    FILES,
    HUGE,
    LARGE,
    LSQUIC,
    MACHINE,
    NEW,
    OLD,
    PACES,
    PLACES,
    PRINTED_AS,
    PRINTED_STAGES,
    SLOW,
    THROUGHPUT,
    TITLES,
    WEB,
    file_of,
    newest,
    size_title,
)
from longlook.experiment.metrics import CONNECT, TTLB
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import Attachment, LiveChart
from longlook.published.shreedhar2022 import STORE_QUIC, STORE_TLS, of_all_sites, throughput
from longlook.record.parquet import records

SHOWN = {LSQUIC: "QUIC (LSQUIC)", ENVOY: "QUIC (curl)", OLD: "TLS 1.2", NEW: "TLS 1.3"}
COLOURS = dict(zip(SHOWN.values(), ("#b2182b", "#dfa53a", "#2166ac", "#1b7837"), strict=True))
PRINTED = "printed"
SOURCES = [*PACES.values(), PRINTED]
DASHES = {"fast": [1, 0], "slow": [5, 3]}
COLUMNS = ["place", "arm", "source", "percentile", "ms"]
RATIO_COLUMNS = ["line", "size", "bytes", "ratio", "low", "high", "n"]
LINES = {
    (ENVOY, ""): ("curl, fast", "#dfa53a"),
    (ENVOY_LSQUIC, ""): ("LSQUIC, fast", "#b2182b"),
    (ENVOY, SLOW): ("curl, slow", "#7f6000"),
    (ENVOY_LSQUIC, SLOW): ("LSQUIC, slow", "#5a0a14"),
}
"""Client and pace -> what the line is called, and its colour."""


@dataclass(frozen=True)
class Stage:
    """What of a download is shown."""

    metric: str
    name: str
    title: str


STAGES = {
    "connection": Stage(CONNECT.name, "shreedhar-connection", "Connection times"),
    "download": Stage(TTLB.name, "shreedhar-download", "Times to the last byte of 40 KB"),
}


def distributions(stage: str, data: BookData | None = None) -> LiveChart | HTML:
    """Of one stage, a panel for each vantage point."""
    own = newest(data, WEB, MACHINE)
    if not own.has(WEB, MACHINE):
        return HTML(style.NOTHING_YET)
    asked = STAGES[stage]
    frame = points(own, asked)
    return LiveChart(
        name=asked.name,
        chart=_chart(frame, 250, in_a_row=2),
        narrow=_chart(frame, 235, in_a_row=1),
        alt_text=_words(asked, own),
        downloads=(Attachment(f"{asked.name}.csv", frame.to_csv(index=False)),),
        note=f"{own.title}. Curves: every download, of a fast client and, dashed, of one held to a quarter of a "
        "processor. Crosses: printed percentiles; those of QUIC's downloads are no times and not here. The scale is "
        "logarithmic.",
        hint="Point at a mark for its numbers.",
    )


def points(own: StudyColumn, stage: Stage) -> pd.DataFrame:
    """Every download that counts, and every printed percentile that is a time: COLUMNS."""
    return pd.DataFrame(_points(own, stage), columns=COLUMNS)


def _points(own: StudyColumn, stage: Stage) -> Iterator[tuple[str, str, str, float, float]]:
    known = of_all_sites()
    for place, where in PLACES.items():
        for arm, name in SHOWN.items():
            for prefix, pace in PACES.items():
                values = sorted(own.loads(prefix + arm, stage.metric, **where))
                for rank, value in enumerate(values):
                    yield TITLES[place], name, pace, 100 * (rank + 0.5) / len(values), value
            if arm not in PRINTED_AS:
                continue
            printed = known[place, PRINTED_AS[arm], PRINTED_STAGES[stage.metric]]
            for at in printed.printed:
                if (value_ms := printed.time_ms(at)) is not None:
                    yield TITLES[place], name, PRINTED, float(at), value_ms


def _words(stage: Stage, own: StudyColumn) -> str:
    known = of_all_sites()
    texts = []
    for place, where in PLACES.items():
        medians = []
        for arm, name in SHOWN.items():
            loads = [own.loads(prefix + arm, stage.metric, **where) for prefix in PACES]
            fast, slow = (statistics.median(one) if one else None for one in loads)
            beside_it = known[place, PRINTED_AS[arm], PRINTED_STAGES[stage.metric]] if arm in PRINTED_AS else None
            printed = None if beside_it is None else beside_it.time_ms(50)
            told = {"slow client": slow, "printed": printed}
            beside = ", ".join(f"{what} {value:.0f}" for what, value in told.items() if value is not None)
            if fast is not None:
                medians.append(f"{name} {fast:.0f} ms" + (f" ({beside})" if beside else ""))
        texts.append(f"{TITLES[place]}: {', '.join(medians) or 'not measured'}")
    return f"{stage.title}, medians. " + "; ".join(texts) + "."


def _chart(frame: pd.DataFrame, width: int, in_a_row: int) -> alt.TopLevelMixin:
    order = [title for title in TITLES.values() if (frame["place"] == title).any()]
    names = list(SHOWN.values())
    colour = alt.Color(
        "arm:N",
        sort=names,
        scale=alt.Scale(domain=names, range=list(COLOURS.values())),
        legend=alt.Legend(title=None, orient="top", columns=in_a_row * 2),
    )
    dash = alt.StrokeDash(
        "source:N",
        scale=alt.Scale(domain=list(DASHES), range=list(DASHES.values())),
        legend=alt.Legend(title="client", orient="top"),
    )
    x = alt.X("ms:Q", title="ms", scale=alt.Scale(type="log"))
    y = alt.Y("percentile:Q", title="percentile", scale=alt.Scale(domain=[0, 100]))
    told = [
        alt.Tooltip("arm:N", title="by"),
        alt.Tooltip("source:N", title="source"),
        alt.Tooltip("percentile:Q", format=".0f"),
        alt.Tooltip("ms:Q", format=".1f", title="ms"),
    ]
    base = alt.Chart(frame)
    line = (
        base.transform_filter(f"datum.source != '{PRINTED}'")
        .mark_line(interpolate="step-after", strokeWidth=1.4)
        .encode(x=x, y=y, color=colour, strokeDash=dash, tooltip=told)
    )
    marks = (
        base.transform_filter(f"datum.source == '{PRINTED}'")
        .mark_point(shape="cross", size=60, filled=True)
        .encode(x=x, y=y, color=colour, tooltip=told)
    )
    layers = alt.layer(line, marks).properties(width=width, height=180)
    facets = layers.facet(facet=alt.Facet("place:N", sort=order, title=None), columns=in_a_row)
    return configured(facets.resolve_scale(x="independent"))


def crossing(data: BookData | None = None) -> LiveChart | HTML:
    """QUIC's throughput over TLS 1.2's, by size; a line for each client and pace."""
    own = newest(data, CLOUD, LARGE, HUGE)
    if not own.has(CLOUD, LARGE, HUGE):
        return HTML(style.NOTHING_YET)
    frame = ratios(own)
    return LiveChart(
        name="shreedhar-crossing",
        chart=_crossing_chart(frame, 560),
        narrow=_crossing_chart(frame, 240),
        alt_text=_crossing_words(frame),
        downloads=(Attachment("shreedhar-crossing.csv", frame.to_csv(index=False)),),
        note=f"{own.title}. Means over means with 99 % intervals (Fieller), from the same server, Envoy; above 1 QUIC "
        "has the higher throughput. Grey: printed means, which have no interval. Sizes are on a logarithmic scale.",
        hint="Point at a mark for its numbers.",
    )


def ratios(own: StudyColumn) -> pd.DataFrame:
    """RATIO_COLUMNS; the printed ones with NaN for their interval."""
    return pd.DataFrame(_ratios(own), columns=RATIO_COLUMNS)


def _ratios(own: StudyColumn) -> Iterator[tuple[str, str, int, float, float | None, float | None, int | None]]:
    for (arm, pace), (name, _) in LINES.items():
        for size in FILES:
            for one in own.found(ratio=[pace + arm, pace + OLD], **THROUGHPUT, **file_of(size)):
                found = one.estimate
                yield name, size_title(size), size, found.value, found.low, found.high, one.square["n"]
    for size, own_rates in throughput().items():
        yield PRINTED, size_title(size), size, own_rates[STORE_QUIC] / own_rates[STORE_TLS], None, None, None


def _crossing_words(frame: pd.DataFrame) -> str:
    texts = []
    for name, own in frame.groupby("line", sort=False):
        texts.append(f"{name}: " + ", ".join(f"{one['size']} {one['ratio']:.2f}" for one in records(own)))
    return "QUIC's throughput over that of TLS 1.2. " + "; ".join(texts) + "."


def _crossing_chart(frame: pd.DataFrame, width: int) -> alt.TopLevelMixin:
    names = [name for name, _ in LINES.values()] + [PRINTED]
    colours = [colour for _, colour in LINES.values()] + [style.GREY]
    shapes = ["circle", "square", "triangle-up", "diamond", "cross"]
    axis = alt.Axis(format="~s", tickCount=5)
    x = alt.X("bytes:Q", title="size of the file, bytes", scale=alt.Scale(type="log"), axis=axis)
    y = alt.Y("ratio:Q", title="QUIC over TLS 1.2", scale=alt.Scale(zero=False))
    colour = alt.Color(
        "line:N",
        sort=names,
        scale=alt.Scale(domain=names, range=colours),
        legend=alt.Legend(title=None, orient="top", columns=3),
    )
    shape = alt.Shape("line:N", sort=names, scale=alt.Scale(domain=names, range=shapes), title=None)
    told = [
        alt.Tooltip("line:N", title="client"),
        alt.Tooltip("size:N", title="file"),
        alt.Tooltip("ratio:Q", format=".3f"),
        alt.Tooltip("low:Q", format=".3f", title="99 %, from"),
        alt.Tooltip("high:Q", format=".3f", title="to"),
        alt.Tooltip("n:Q", title="downloads"),
    ]
    base = alt.Chart(frame)
    one = base.mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(y=alt.datum(1))
    line = base.mark_line(strokeWidth=1.3, opacity=0.75).encode(x=x, y=y, color=colour)
    low = alt.Y("low:Q", title="QUIC over TLS 1.2")
    span = base.mark_rule(strokeWidth=1.2).encode(x=x, y=low, y2="high:Q", color=colour)
    point = base.mark_point(filled=True, size=46, opacity=1).encode(x=x, y=y, color=colour, shape=shape, tooltip=told)
    return configured(alt.layer(one, line, span, point).properties(width=width, height=260))
