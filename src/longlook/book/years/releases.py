"""Releases of one server, Envoy, with the browser held still: what each is and has built in, how it was measured."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import altair as alt
import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.analysis.ratio import Ratio, ratio_of
from longlook.analysis.welch import Summary, summary_of
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.flows import Contest, contests
from longlook.book.varied import REFERENCE
from longlook.book.years.chart import INTERVAL_TOOLTIP, ONE_SCALE
from longlook.book.years.evidence import STUDY, PageAndBandwidth
from longlook.experiment.built_in import ENVOY, BuiltIn, read, read_flags
from longlook.experiment.metrics import PLT
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import shown_table
from longlook.record.campaign import split_digests
from longlook.record.parquet import records
from longlook.stack.arms import open_sweep
from longlook.stack.spec import load_stack

SWEEP = "years-servers"
SERIES, THRESHOLD, SHARE = "years-servers", "years-servers-threshold", "years-servers-share"
BASE = "1.40"
"""The release that all other chapters have: what the others are held against."""
PACKAGED = "packaged.csv"
"""Beside the chapter: version and the day on which PyPI got it."""
STATIC = "ILD0"


@dataclass(frozen=True)
class Release:
    """One Envoy."""

    name: str
    """`1.36`."""
    version: str
    packaged: str
    """ISO 8601."""
    stack: str
    built: BuiltIn | None
    """What its program has built in; None before it was read."""


@dataclass(frozen=True)
class Conditions(PageAndBandwidth):
    """A cell of the sweep: page and link."""

    loss_pct: float
    rtt_ms: float
    jitter_ms: float

    @property
    def title(self) -> str:
        loss = f", {self.loss_pct:g} % loss" if self.loss_pct else ""
        return super().title + loss + (", jitter" if self.jitter_ms else "")


@dataclass(frozen=True)
class ReleaseSquare:
    """One cell: summaries of QUIC's page load times (ms) by release."""

    place: Conditions
    quic: dict[str, Summary]
    static: dict[str, Summary]
    """With the static reordering threshold."""
    campaign: str

    def to_base(self, name: str) -> Ratio | None:
        """A release's mean over that of `BASE`, with its 99 % interval."""
        base, own = self.quic.get(BASE), self.quic.get(name)
        return None if base is None or own is None else ratio_of(base, own)

    def cost(self, name: str) -> Ratio | None:
        """The mean with the static threshold over that with the release's own."""
        own, static = self.quic.get(name), self.static.get(name)
        return None if own is None or static is None else ratio_of(own, static)


@cache
def releases() -> tuple[Release, ...]:
    """Of the sweep, the oldest first."""
    with (paths.BOOK / "years" / PACKAGED).open(newline="", encoding="utf-8") as file:
        packaged = {row["version"]: row["packaged"] for row in csv.DictReader(file)}
    built = {one.part: one for one in read(paths.BUILT_IN)}
    found = []
    for name in open_sweep(SWEEP).stacks():
        stack = load_stack(name)
        part = next(part for part in stack.parts if ENVOY in part.spec.components)
        version = part.spec.components[ENVOY].version
        found.append(Release(minor(version), version, packaged[version], name, built.get(part.name)))
    return tuple(sorted(found, key=lambda one: one.packaged))


def minor(version: str) -> str:
    """`1.36.4` -> `1.36`."""
    return ".".join(version.split(".")[:2])


def cells(data: BookData, series: str = SERIES, key: str = REFERENCE) -> list[ReleaseSquare]:
    """Of one column; by loss, bandwidth, number and size of objects."""
    arms = data.rows("arms", STUDY, series, key)
    arms = arms[arms["metric"] == PLT.name]
    places = ["workload", "object_bytes", "object_count", "bandwidth_mbps", "loss_pct", "rtt_ms", "jitter_ms"]
    arms = arms.sort_values(["loss_pct", "bandwidth_mbps", "object_count", "object_bytes"])
    return [_served(Conditions(*place), own) for place, own in arms.groupby(places, sort=False)]


def _served(place: Conditions, own: pd.DataFrame) -> ReleaseSquare:
    names = {one.stack: one.name for one in releases()}
    quic: dict[str, Summary] = {}
    static: dict[str, Summary] = {}
    for row in records(own[own["stack"].isin(names) & (own["protocol"] == "quic")]):
        kind = static if style.value_text(row["quic_options"]) == STATIC else quic
        kind[names[row["stack"]]] = summary_of(row)
    return ReleaseSquare(place, quic, static, str(own["campaign"].iloc[0]))


def shares(data: BookData, key: str = REFERENCE) -> dict[str, Contest]:
    """Release -> what it came to beside one TCP flow."""
    return {contest.label.split()[1]: contest for contest in contests(data, STUDY, SHARE, key)}


def compared(found: Sequence[ReleaseSquare]) -> list[tuple[ReleaseSquare, str, Ratio]]:
    """Every release against `BASE` in every cell without jitter."""
    return [
        (cell, name, ratio)
        for cell in found
        for name in cell.quic
        if name != BASE and not cell.place.jitter_ms and (ratio := cell.to_base(name))
    ]


STATES: dict[int | None, str] = {1: "on", 0: "off", None: style.DASH}
PREFIX = re.compile("^(reloadable|restart)_flag_")
CONTROLLERS = {"bbr": "BBR", "bbr2": "BBRv2", "cubic": "CUBIC"}
RELEASE_TOOLTIP = [
    alt.Tooltip("release:N", title="Envoy"),
    alt.Tooltip("version:N", title="version"),
    alt.Tooltip("packaged:N", title="packaged"),
    alt.Tooltip("panel:N", title="cell"),
]


def newest(data: BookData) -> tuple[str, list[ReleaseSquare]]:
    """Heading and cells, those under jitter last, of the reader's own campaign, else of the reference one."""
    key, title = data.own_or_reference(STUDY, SERIES, THRESHOLD)
    return title, [*cells(data, SERIES, key), *cells(data, THRESHOLD, key)]


def against_base(data: BookData | None = None) -> LiveChart | HTML:
    """QUIC's page load times of each release over those of `BASE`; a panel per cell."""
    data = data or book_data.load()
    title, found = newest(data)
    if not found:
        return HTML(style.NOTHING_YET)
    frame = pd.DataFrame(_rows(data, found))
    return LiveChart(
        name="years-servers",
        chart=_drawn(frame, 200, in_a_row=3),
        narrow=_drawn(frame, 235, in_a_row=1),
        alt_text=_words(frame),
        downloads=(Attachment("years-servers.csv", frame.to_csv(index=False)),),
        note=f"{title}. Means over the mean of Envoy {BASE} with the same page, with 99 % intervals (Fieller). "
        f"{ONE_SCALE}",
        hint="Point at a mark for its numbers.",
    )


def _rows(data: BookData, found: Iterable[ReleaseSquare]) -> Iterator[dict[str, object]]:
    for cell in found:
        campaign = data.campaign(cell.campaign)
        digests = split_digests(campaign["stack"], campaign["stack_digest"])
        for one in releases():
            if ratio := cell.to_base(one.name):
                yield {
                    "release": one.name,
                    "version": one.version,
                    "packaged": one.packaged,
                    "panel": cell.place.title,
                    "ratio": ratio.value,
                    "low": ratio.low,
                    "high": ratio.high if math.isfinite(ratio.high) else None,
                    "loads": cell.quic[one.name].n,
                    "stack": one.stack,
                    "digest": digests.get(one.stack, "")[:12],
                }


def _drawn(frame: pd.DataFrame, width: int, in_a_row: int) -> alt.TopLevelMixin:
    panels = list(dict.fromkeys(frame["panel"]))
    title = f"over Envoy {BASE}"
    names = [one.name for one in releases()]
    x = alt.X("release:N", sort=names, title=None, axis=alt.Axis(labelAngle=0, grid=False))
    y = alt.Y("ratio:Q", title=title, scale=alt.Scale(zero=False))
    colour = style.SIDE_COLOURS["left"]
    base = alt.Chart(frame)
    one = base.mark_rule(color=style.GREY, strokeDash=[4, 3]).encode(y=alt.datum(1))
    span = base.mark_rule(strokeWidth=1.2, color=colour).encode(x=x, y=alt.Y("low:Q", title=title), y2="high:Q")
    point = base.mark_point(filled=True, size=40, opacity=1, color=colour).encode(
        x=x, y=y, tooltip=[*RELEASE_TOOLTIP, *INTERVAL_TOOLTIP]
    )
    layers = alt.layer(one, span, point).properties(width=width, height=120)
    facet = alt.Facet("panel:N", sort=panels, title=None, header=alt.Header(labelFontSize=11))
    return configured(layers.facet(facet=facet, columns=in_a_row).resolve_axis(x="independent"))


def _words(frame: pd.DataFrame) -> str:
    return f"Page load time of QUIC over that with Envoy {BASE}: " + "; ".join(
        f"{panel}: {own['ratio'].min():.2f} to {own['ratio'].max():.2f}"
        for panel, own in frame.groupby("panel", sort=False)
    )


def built_table(data: BookData | None = None) -> HTML:
    """A row per release: what its program has built in, and what it does beside a TCP flow and under jitter."""
    data = data or book_data.load()
    head = [
        "Envoy",
        "version",
        "packaged",
        "default controller",
        "N in its program",
        "times TCP's rate beside it",
        "with a static threshold, times its time under jitter",
    ]
    share, jitter = shares(data), cells(data, THRESHOLD)
    rows = []
    for one in releases():
        contest, cost = share.get(one.name), jitter[0].cost(one.name) if jitter else None
        rows.append(
            [
                one.name,
                one.version,
                one.packaged,
                *_built(one),
                style.DASH if contest is None else contest.ratio_text,
                style.DASH if cost is None else f"{cost.value:.2f} ({cost.low:.2f} to {cost.high:.2f})",
            ]
        )
    return shown_table(head, rows, numeric={4, 5, 6})


def _built(one: Release) -> tuple[str, str]:
    """Default controller and N."""
    if one.built is None:
        return style.DASH, style.DASH
    return CONTROLLERS[one.built.controller], one.built.emulated_connections or "not found"


def flag_table() -> HTML:
    """Every flag of QUICHE's whose default is not the same in all releases that have it: on, off, or not there."""
    parts = _parts()
    rows = [
        [PREFIX.sub("", flag), *(STATES[own.get(part)] for part in parts)]
        for flag, own in flags_by_release().items()
        if len(set(own.values())) > 1
    ]
    return shown_table(["flag", *(one.name for one in releases() if one.built is not None)], rows)


def flags_by_release() -> dict[str, dict[str, int]]:
    """Flag -> part -> default, of those that have it; none before they are read."""
    found: dict[str, dict[str, int]] = {}
    for one in read_flags(paths.QUICHE_FLAGS):
        found.setdefault(one.flag, {})[one.part] = one.default
    return dict(sorted(found.items()))


def came_and_gone() -> tuple[int, int]:
    """How many flags the newest release has that the oldest had not, and the other way round."""
    parts = _parts()
    found = flags_by_release()
    if not parts or not found:
        return 0, 0
    old, new = ({flag for flag, own in found.items() if part in own} for part in (parts[0], parts[-1]))
    return len(new - old), len(old - new)


def _parts() -> list[str]:
    return [one.built.part for one in releases() if one.built is not None]
