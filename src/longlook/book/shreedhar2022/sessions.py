"""Sessions of a film, by loss and protocol: tables, what is printed beside them, and one session over its time."""

from __future__ import annotations

import base64
import html
import statistics
from collections import Counter
from typing import Any

import altair as alt
import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.estimate import Estimate
from longlook.analysis.welch import Summary
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.loads import LOAD
from longlook.book.shreedhar2022.names import newest
from longlook.book.times import percent_text
from longlook.errors import LonglookError
from longlook.experiment.metrics import DROPPED, LOADED, SHOWN, STALLED, STALLS, STARTUP, SWITCHES
from longlook.experiment.sessions import WHICH, sessions
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import shown_table
from longlook.published.shreedhar2022 import COUNTS, EARLIER_PCT, STARTUP_S, STUDY, streamed
from longlook.record.parquet import records
from longlook.record.samples import read_records

SHORT, LONG = "shreedhar-video-short", "shreedhar-video"
"""Series, each of a sweep of its name."""
LOSSES = (0.0, 1.0, 5.0, 10.0)
"""Each way, %."""
QUIC, TCP = "quic", "tcp"
NAMES = {TCP: "HTTP/2", QUIC: "HTTP/3"}
"""Arms, from above."""


def at(series: str, loss_pct: float) -> dict[str, Any]:
    """A cell, by its loss each way, as criteria say it."""
    return {"series": series, "where": {"loss_pct": 2 * loss_pct}}


def stall_ms(own: StudyColumn, series: str, loss_pct: float, arm: str) -> list[float]:
    """How long one of its stalls took on the mean, of every session that counts and stood still."""
    stalls, stood = (
        own.column.by_number(series, arm, one, loss_pct=2 * loss_pct) for one in (STALLS.name, STALLED.name)
    )
    return [stood[index] / count for index, count in stalls.items() if count and index in stood]


def rejections(own: StudyColumn, series: str, loss_pct: float, arm: str) -> Counter[str]:
    """Sessions that were played and do not count, by their reasons; first ones, set aside, are none of them."""
    row = own.column.row(series, arm, STALLS.name, loss_pct=2 * loss_pct) or {}
    rows = own.data.rows("samples", STUDY, series, own.key)
    rows = rows[(rows["cell_id"] == row.get("cell_id")) & (rows["arm"] == arm)]
    rows = rows[~rows["accepted"].astype(bool) & ~rows["set_aside"].astype(bool)]
    return Counter(rows.drop_duplicates(LOAD)["reject_reason"])


def over_time(own: StudyColumn, series: str, loss_pct: float) -> pd.DataFrame:
    """The first session of each arm that counts, as of experiment.sessions.COLUMNS, from the campaign's records;
    without a row where those are not here."""
    rows = own.data.rows("cells", STUDY, series, own.key)
    for row in records(rows[rows["loss_pct"] == 2 * loss_pct]):
        folder = paths.RAW / row["campaign"] / row["cell_id"]
        try:
            if folder.is_dir():
                first: dict[str, tuple] = {}
                for one in read_records(folder):
                    if one["accepted"] and not one["set_aside"]:
                        first.setdefault(one["arm"], tuple(one[name] for name in WHICH))
                table = sessions(folder)
                loads = pd.MultiIndex.from_frame(table[list(WHICH)])
                return table[loads.isin(list(first.values()))]
        except LonglookError:
            break
    return pd.DataFrame(columns=["arm"])


SHOWN_METRICS: dict[str, tuple[str, float, int]] = {
    "start-up, s": (STARTUP.name, 1e-3, 2),
    "stalls": (STALLS.name, 1.0, 1),
    "stood still, s": (STALLED.name, 1e-3, 2),
    "switches": (SWITCHES.name, 1.0, 1),
    "bitrate, kbit/s": (SHOWN.name, 1.0, 0),
    "loaded, MB": (LOADED.name, 1e-6, 1),
    "frames dropped": (DROPPED.name, 1.0, 1),
}
"""Heading -> metric, what makes its unit of the metric's, and digits behind the point."""
STILL_TEXT = (
    "The film in the browser: FFmpeg's test card with noise over it all. Six upright bars of colour, a slanting band, "
    "squares that move, and in a corner the time that it has reached."
)
WIDE, NARROW, HEIGHT = 560, 270, 90
MEASURES = {"buffer_s": "buffer, s", "kbps": "bitrate, kbit/s"}


def table(series: str, data: BookData | None = None) -> HTML:
    """A row for each loss and protocol: means with standard deviations over the sessions that count; which do not."""
    own = newest(data, series)
    if not own.has(series):
        return HTML(style.NOTHING_YET)
    rows = []
    for loss in LOSSES:
        for arm, name in NAMES.items():
            first = own.summary(arm, STARTUP.name, **at(series, loss))
            if first is None:
                continue
            texts = [
                _text(own.summary(arm, metric, **at(series, loss)), scale, digits)
                for metric, scale, digits in SHOWN_METRICS.values()
            ]
            out = ", ".join(
                f"{count} {reason.replace('_', ' ')}" for reason, count in rejections(own, series, loss, arm).items()
            )
            rows.append([f"{loss:g} %", name, str(first.n), *texts, out or style.DASH])
    head = ["loss each way", "protocol", "sessions", *SHOWN_METRICS, "not counted"]
    return shown_table(head, rows, numeric=set(range(2, len(head) - 1)), starts=set(range(2, len(rows), 2)))


def _text(found: Summary | None, scale: float, digits: int) -> str:
    if found is None:
        return style.DASH
    sd = "" if found.n < 2 else f" ± {found.sd * scale:,.{digits}f}"
    return f"{found.mean * scale:,.{digits}f}{sd}"


def still() -> HTML:
    """What the browser shows of the film, as `longlook.experiment.still` took it."""
    if not paths.STILL.exists():
        return HTML(style.NOTHING_YET)
    picture = base64.b64encode(paths.STILL.read_bytes()).decode()
    return HTML(f'<img alt="{html.escape(STILL_TEXT)}" class="ll-static" src="data:image/webp;base64,{picture}">')


def chart(series: str, loss_pct: float, data: BookData | None = None) -> LiveChart | HTML:
    """Buffer and bitrate over the time of one session of each arm, HTTP/2 above HTTP/3; where it stands still is
    shaded."""
    own = newest(data, series)
    rows = over_time(own, series, loss_pct)
    if set(rows["arm"]) != set(NAMES):
        return HTML(style.NOTHING_YET)
    name = f"shreedhar-session-{series.removeprefix('shreedhar-')}-{loss_pct:g}pct"
    return LiveChart(
        name=name,
        chart=_panels(rows, WIDE),
        narrow=_panels(rows, NARROW),
        alt_text=f"One session of each protocol with {loss_pct:g} % loss each way. {_told(rows)}",
        downloads=(Attachment(f"{name}.csv", rows.to_csv(index=False)),),
        hint="Point at a line for its numbers; the wheel with the shift key zooms all panels, dragging moves them.",
    )


def _panels(rows: pd.DataFrame, width: int) -> alt.TopLevelMixin:
    """One above the other, with one scale of time, into which any of them zooms."""
    time = alt.X("time_s:Q", title="time, s", scale=alt.Scale(domain=[0, float(rows["time_s"].max())], nice=False))
    shown = [(arm, measure) for arm in NAMES for measure in MEASURES]
    views = [f"line_{place}" for place in range(len(shown))]  # Altair names each by its place, whatever it is called
    panels = [
        _panel(rows[rows["arm"] == arm], measure, view, time).properties(
            width=width, height=HEIGHT, title=f"{NAMES[arm]}: {MEASURES[measure]}"
        )
        for view, (arm, measure) in zip(views, shown, strict=True)
    ]
    whole: Any = alt.vconcat(*panels, spacing=8).resolve_scale(x="shared")
    zoom = alt.IntervalSelectionConfig(type="interval", encodings=["x"], zoom="wheel![event.shiftKey]")
    # Of one selection that several panels share `add_params` makes one that has views which are not there.
    whole.params = [alt.TopLevelSelectionParameter(name="zoom", select=zoom, bind="scales", views=views)]
    return configured(whole)


def _panel(rows: pd.DataFrame, measure: str, view: str, time: alt.X) -> style.Layered:
    """`view`: the line's name."""
    still = (
        alt.Chart(rows.assign(until_s=rows["time_s"].shift(-1)).query("stalled > 0 and until_s > time_s"))
        .mark_rect(clip=True, opacity=0.35, color="grey")
        .encode(x=time, x2="until_s:Q")
    )
    line = (
        alt.Chart(rows)
        .mark_line(clip=True, interpolate="step-after" if measure == "kbps" else "linear", strokeWidth=2)
        .encode(
            x=time,
            y=alt.Y(f"{measure}:Q", title=None, scale=alt.Scale(zero=True)),
            tooltip=[alt.Tooltip("time_s:Q", title="s", format=".1f"), alt.Tooltip(f"{measure}:Q", format=".0f")],
        )
        .properties(name=view)
    )
    return alt.layer(still, line)


def _told(rows: pd.DataFrame) -> str:
    told = []
    for arm, name in NAMES.items():
        own = rows[rows["arm"] == arm]
        shown = own[own["kbps"] > 0]
        began = f"begins after {shown['time_s'].min():.1f} s" if len(shown) else "never begins"
        told.append(
            f"{name}: {began}, ends at {own['kbps'].iloc[-1]:.0f} kbit/s with {own['buffer_s'].iloc[-1]:.0f} s ahead, "
            f"and stands still in {own['stalled'].mean():.0%} of its time."
        )
    return " ".join(told)


NONE = style.DASH
MEDIAN = {"metric": STARTUP.name, "statistic": "lowest-median"}
MINUTES = {SHORT: "1 minute", LONG: "3 minutes"}
PRINTED_COUNTS = {metric: printed for printed, metric in COUNTS.items()}
COUNTED = {STALLS.name: "stalls", SWITCHES.name: "changes of the bitrate"}


def counts(data: BookData | None = None) -> HTML:
    """By loss and protocol, means over the sessions: printed, of a minute, of three minutes."""
    printed, own = streamed(), [(series, newest(data, series)) for series in (SHORT, LONG)]
    rows: list[list[str]] = []
    starts: list[int] = []
    for loss in LOSSES:
        starts.append(len(rows))
        for arm, name in NAMES.items():
            row = [f"{loss:g} %", name]
            for metric in COUNTED:
                row.append(f"{printed[PRINTED_COUNTS[metric], loss, arm]:g}")
                row += [_mean(played, series, loss, arm, metric) for series, played in own]
            rows.append(row)
    head = ["loss each way", "protocol", *("printed", *MINUTES.values()) * len(COUNTED)]
    groups = [("", 2), *((what, 1 + len(MINUTES)) for what in COUNTED.values())]
    return shown_table(head, rows, numbers_from=2, groups=groups, starts=starts)


def _mean(own: StudyColumn, series: str, loss: float, arm: str, metric: str) -> str:
    found = own.summary(arm, metric, **at(series, loss))
    return NONE if found is None else style.rounded(found.mean)


def startup(data: BookData | None = None) -> HTML:
    """By loss, medians in s by both protocols, and HTTP/3's against HTTP/2's: printed, and of sessions of a minute."""
    played, printed = newest(data, SHORT), streamed()
    rows = []
    for loss in LOSSES:
        said = [printed.get((STARTUP_S, loss, arm)) for arm in NAMES]
        own = [played.loads(arm, STARTUP.name, **at(SHORT, loss)) for arm in NAMES]
        rows.append(
            [
                f"{loss:g} %",
                *(NONE if one is None else f"{one:g}" for one in said),
                _printed(loss),
                *map(_median, own),
                played.text("{percent}", ratio=[QUIC, TCP], **MEDIAN, **at(SHORT, loss)),
            ]
        )
    three = [*(f"{name}, s" for name in NAMES.values()), f"{NAMES[QUIC]} against {NAMES[TCP]}"]
    groups = [("", 1), ("printed", len(three)), ("measured", len(three))]
    return shown_table(["loss each way", *three, *three], rows, numeric=set(range(1, 7)), groups=groups)


def _median(ms: tuple[float, ...]) -> str:
    return f"{statistics.median(ms) / 1e3:.2f}" if ms else NONE


def _printed(loss: float) -> str:
    """Two medians, or by how much the one takes less than the other."""
    found = streamed()
    quic, tcp = (found.get((STARTUP_S, loss, arm)) for arm in (QUIC, TCP))
    earlier = found.get((EARLIER_PCT, loss, QUIC))
    if earlier is not None:
        return percent_text(Estimate(1 - earlier / 100))
    return NONE if quic is None or tcp is None else percent_text(Estimate(quic / tcp))
