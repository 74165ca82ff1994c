"""Live charts over the time of a transfer: rates, windows, losses, what RTT samples are made of."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import altair as alt
import pandas as pd

from longlook.analysis.course import NOT_SENDERS
from longlook.book.data import BookData
from longlook.errors import LonglookError
from longlook.experiment.metrics import RATE
from longlook.figure import style
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.figure.timeline import PHONE_PX, WIDTH_PX, phases, timeline, told
from longlook.probe.thin import thin
from longlook.record.parquet import records

BINS = 300
KB = 1024
HINT = "Drag in the lower strip to zoom, double-click there for the whole."
WORDS = {
    "throughput": "Rate, Mbit/s",
    "windows": "Congestion windows, KB",
    "cwnd_bytes": "Congestion window, KB",
    "rtt_ms": "Smoothed RTT, ms",
    "losses": "Packets declared lost per second",
    "phases": "Congestion window by phase, KB",
    "rtt_parts": "Parts of the RTT samples, ms",
}
What = Literal["throughput", "windows", "cwnd_bytes", "rtt_ms", "losses", "phases", "rtt_parts"]


@dataclass(frozen=True)
class WatchedTransfer:
    """Which transfer is looked at: a series, its scenarios by label, and where there are several a page and a run."""

    series: str
    labels: tuple[str, ...]
    workload: str | None = None
    run: int = 0
    zoom_s: tuple[float, float] | None = None
    published: bool = False
    """Whether printed means are drawn as lines."""

    @property
    def title(self) -> str:
        own = " and ".join(self.labels)
        return own if self.workload is None else f"{own}, {self.workload}"


@dataclass
class Lines:
    """Points of a chart (`time_s`, `value`, `label`), and the protocol of each label, in the order of the legend."""

    parts: list[pd.DataFrame] = field(default_factory=list)
    protocols: dict[str, str] = field(default_factory=dict)

    def add(self, time_s: pd.Series, value: pd.Series, label: str, protocol: str) -> None:
        self.parts.append(pd.DataFrame({"time_s": time_s, "value": value, "label": label}))
        self.protocols.setdefault(label, protocol)

    @property
    def frame(self) -> pd.DataFrame:
        return pd.concat(self.parts, ignore_index=True)


def live_timeline(data: BookData, study: str, watched: WatchedTransfer, what: What) -> LiveChart | None:
    """The chart, of the reader's own newest campaign if it has any, else of the reference; None of neither."""
    if what not in DRAWN:
        raise LonglookError(f"no timeline {what!r} (known: {', '.join(DRAWN)})")
    for key in ("yours", "reference"):
        found = DRAWN[what](data, study, watched, key)
        if found is not None:
            return _live(watched, what, *found)
    return None


def _live(
    watched: WatchedTransfer, what: str, chart: Callable[[int], alt.TopLevelMixin], frame: pd.DataFrame
) -> LiveChart:
    zoom = "-zoom" if watched.zoom_s else ""
    text = f"{watched.series}-{watched.title}-{what}{zoom}-{watched.run}".lower()
    slug = "".join(letter if letter.isalnum() else "-" for letter in text)
    return LiveChart(
        name=f"timeline-{slug}",
        chart=chart(WIDTH_PX),
        narrow=chart(PHONE_PX),
        alt_text=f"{WORDS[what]} over {frame['time_s'].max():.3g} s, {watched.title} ({watched.series}). {told(frame)}",
        downloads=(Attachment(f"{slug}.csv", frame.to_csv(index=False)),),
        note=f"{html.escape(watched.title)}, one run.",
        hint=HINT,
    )


def _rows(data: BookData, study: str, watched: WatchedTransfer, key: str, table: str, label: str) -> pd.DataFrame:
    """Rows of one run of one scenario, and of one page where a series has several."""
    rows = data.rows(table, study, watched.series, key)
    rows = rows[rows["label"] == label]
    cells = data.of("cells", study, watched.series)[["campaign", "cell_id", "workload", "replicate"]]
    rows = rows.drop(columns="replicate", errors="ignore").merge(cells, on=["campaign", "cell_id"])
    rows = rows[rows["replicate"] == watched.run]
    if watched.workload is not None:
        rows = rows[rows["workload"] == watched.workload]
    if rows["cell_id"].nunique() > 1:
        pages = ", ".join(dict.fromkeys(rows["workload"]))
        raise LonglookError(f"series {watched.series}, {label}: several cells ({pages}); name a workload")
    return rows


def _flows(data: BookData, study: str, watched: WatchedTransfer, key: str, label: str) -> dict[str, tuple[str, str]]:
    """Arm -> (legend text, protocol); texts are numbered where two flows have the same."""
    arms = data.rows("arms", study, watched.series, key)
    own = arms[arms["label"] == label].drop_duplicates("arm")
    many = own["arm_label"].duplicated(keep=False)
    number = own.groupby("arm_label").cumcount() + 1
    return {
        row.arm: (f"{row.arm_label} ({place})" if twice else row.arm_label, row.protocol)
        for row, twice, place in zip(own.itertuples(), many, number, strict=True)
    }


Drawn = tuple[Callable[[int], alt.TopLevelMixin], pd.DataFrame] | None
"""The chart by its width in px, and what it shows."""


def _one(watched: WatchedTransfer) -> str:
    if len(watched.labels) != 1:
        raise LonglookError(f"this chart shows one scenario, not {', '.join(watched.labels)}")
    return watched.labels[0]


def _drawn(lines: Lines, title: str, references: Sequence[tuple[float, str]] = (), step: bool = False) -> Drawn:
    if not lines.parts:
        return None
    frame = lines.frame
    return lambda width: timeline(frame, lines.protocols, title, references, step, width), frame


def _throughput(data: BookData, study: str, watched: WatchedTransfer, key: str) -> Drawn:
    """Rates, one point per second."""
    label, lines = _one(watched), Lines()
    own = _rows(data, study, watched, key, "throughput", label)
    own = own.assign(time_s=own["time_s"].astype(int)).groupby(["arm", "time_s"], as_index=False)["bytes"].sum()
    for arm, (text, protocol) in _flows(data, study, watched, key, label).items():
        rows = own[own["arm"] == arm]
        if len(rows):
            lines.add(rows["time_s"], (rows["bytes"] * 8 / 1e6).round(4), text, protocol)
    references = _published(data, study, watched, label) if watched.published else []
    return _drawn(lines, "Mbit/s", references, step=True)


def _published(data: BookData, study: str, watched: WatchedTransfer, label: str) -> list[tuple[float, str]]:
    """Printed mean rates of a scenario, with the text beside their lines."""
    arms = data.rows("arms", study, watched.series, PUBLISHED.key)
    own = arms[(arms["label"] == label) & (arms["metric"] == RATE.name)]
    twice = own["protocol"].duplicated(keep=False)
    return [
        (
            row["mean"],
            f"published mean, {style.PROTOCOL_LABELS[row['protocol']]}" + (f" ({row['arm']})" if many else ""),
        )
        for row, many in zip(records(own), twice, strict=True)
    ]


def _windows(data: BookData, study: str, watched: WatchedTransfer, key: str) -> Drawn:
    """Congestion windows, KB; bytes in flight where a sender does not tell its window. With `zoom_s` unthinned."""
    label, lines = _one(watched), Lines()
    own = _rows(data, study, watched, key, "timelines", label)
    for arm, (text, protocol) in _flows(data, study, watched, key, label).items():
        rows = own[own["arm"] == arm]
        told = bool(rows["cwnd_bytes"].notna().any())
        column = "cwnd_bytes" if told else "bytes_in_flight"
        rows = rows.dropna(subset=[column])
        rows = rows[rows["time_s"].between(*watched.zoom_s)] if watched.zoom_s else thin(rows, [column], BINS)
        if len(rows):
            value = (rows[column] / KB).round(2)
            lines.add(rows["time_s"].round(3), value, text + ("" if told else ", in flight"), protocol)
    return _drawn(lines, "congestion window, KB")


def _compared(column: str, title: str) -> Callable[[BookData, str, WatchedTransfer, str], Drawn]:
    """One column of several transfers on one time axis; the senders' own figures."""

    def draw(data: BookData, study: str, watched: WatchedTransfer, key: str) -> Drawn:
        lines = Lines()
        for label in watched.labels:
            flows = _flows(data, study, watched, key, label)
            own = _rows(data, study, watched, key, "timelines", label)
            own = own[own[column].notna() & ~own["source"].isin(NOT_SENDERS)]
            for arm, (text, protocol) in flows.items():
                rows = thin(own[own["arm"] == arm], [column], BINS)
                if len(rows):
                    value = (rows[column] / KB if column.endswith("_bytes") else rows[column]).round(3)
                    name = label if len(flows) == 1 else f"{label}: {text}"
                    lines.add(rows["time_s"].round(4), value, name, protocol)
        return _drawn(lines, title)

    return draw


def _losses(data: BookData, study: str, watched: WatchedTransfer, key: str) -> Drawn:
    """Packets declared lost in each second, and of them those that had arrived."""
    label, lines = _one(watched), Lines()
    own = _rows(data, study, watched, key, "timelines", label)
    own = own[own["lost"].notna()]
    flows = _flows(data, study, watched, key, label)
    for (arm, _), rows in own.groupby(["arm", "source"], sort=False):
        text, protocol = flows[arm]
        for column, word in (("lost", "declared lost"), ("spurious", "needlessly")):
            highest = rows[column].groupby(rows["time_s"].astype(int)).max()
            if highest.notna().any():
                counts = highest.diff().fillna(highest).astype(int)
                lines.add(pd.Series(counts.index), counts.reset_index(drop=True), f"{text}: {word}", protocol)
    return _drawn(lines, "packets per s", step=True)


def _phases(data: BookData, study: str, watched: WatchedTransfer, key: str) -> Drawn:
    """The window coloured by the sender's phase, where the sender tells it."""
    own = _rows(data, study, watched, key, "timelines", _one(watched))
    own = own[own["phase"].notna() & own["cwnd_bytes"].notna()]
    if own.empty:
        return None
    own = thin(own, ["cwnd_bytes"], BINS)
    value = (own["cwnd_bytes"] / KB).round(2)
    frame = pd.DataFrame({"time_s": own["time_s"].round(3), "value": value, "phase": own["phase"]})
    return lambda width: phases(frame, "congestion window, KB", width), frame


def _rtt_parts(data: BookData, study: str, watched: WatchedTransfer, key: str) -> Drawn:
    """Where the RTT samples' time went beyond the link's own: the bottleneck's queue, the client's wait."""
    label, lines = _one(watched), Lines()
    own = _rows(data, study, watched, key, "timelines", label)
    own = own[own["source"] == "rtt_parts"]
    if own.empty:
        return None
    flows = _flows(data, study, watched, key, label)
    for arm, rows in own.groupby("arm", sort=False):
        word = style.PROTOCOL_LABELS[flows[arm][1]]
        queue = (rows["down_ms"] - rows["down_ms"].min()).round(3)
        lines.add(rows["time_s"].round(4), queue, f"{word}: queue on the way down", flows[arm][1])
        wait = rows["hold_ms"].round(3)
        lines.add(rows["time_s"].round(4), wait, f"{word}: client's wait before the ACK", flows[arm][1])
    return _drawn(lines, "part of the RTT sample, ms")


DRAWN: dict[str, Callable[[BookData, str, WatchedTransfer, str], Drawn]] = {
    "throughput": _throughput,
    "windows": _windows,
    "cwnd_bytes": _compared("cwnd_bytes", "congestion window, KB"),
    "rtt_ms": _compared("rtt_ms", "smoothed RTT, ms"),
    "losses": _losses,
    "phases": _phases,
    "rtt_parts": _rtt_parts,
}
