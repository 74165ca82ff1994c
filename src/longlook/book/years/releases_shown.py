"""Releases of Envoy as a figure and as tables: QUIC's page load times, and what each release has built in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

import altair as alt
import pandas as pd
from IPython.display import HTML

from longlook import paths
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.years.chart import INTERVAL_TOOLTIP, ONE_SCALE
from longlook.book.years.evidence import STUDY
from longlook.book.years.releases import (
    BASE,
    SERIES,
    THRESHOLD,
    Release,
    ReleaseSquare,
    cells,
    releases,
    shares,
)
from longlook.experiment.built_in import read_flags
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.table import html_table
from longlook.record.campaign import split_digests

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
    return HTML(html_table(head, rows, numeric={4, 5, 6}))


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
    if not rows:
        return HTML(style.NOTHING_YET)
    return HTML(html_table(["flag", *(one.name for one in releases() if one.built is not None)], rows))


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
