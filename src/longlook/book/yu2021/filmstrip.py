"""Filmstrips: what was seen of a page at equal times, HTTP/2 above HTTP/3, and the curves of what was seen.

Pictures are of one load of each arm, from the records of its campaign.
"""

from __future__ import annotations

import math

import altair as alt
import pandas as pd
from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.filmstrip import FRAMES, step_ms, table
from longlook.book.yu2021.names import newest
from longlook.book.yu2021.pages import DELAYED, LOSSY_ONES, NAMES, NINE, Seen, filmed
from longlook.experiment.metrics import PLT, SPEED_INDEX
from longlook.experiment.pictures import Film
from longlook.figure import style
from longlook.figure.heatmap import configured
from longlook.figure.live import Attachment, LiveChart

ORDER = ("tcp", "quic")
"""From above."""
WIDE, NARROW, HEIGHT = 560, 270, 150
CURVES = ("protocol", "ms", "percent")
LARGE = Seen(next(one for one in NINE if one.title == "Google, large"))
SHOWN = (LARGE, next(one for one in LOSSY_ONES if (one.page, one.condition.loss_pct) == (LARGE.page, 1.0)), DELAYED)
"""Of these the chapter has strips: without loss, with it, with delay."""


def strip(where: Seen, data: BookData | None = None) -> HTML:
    """A row of pictures for each arm, at the same times."""
    films = filmed(newest(data, where.series), where)
    if set(films) != set(ORDER):
        return HTML(style.NOTHING_YET)
    ordered = {arm: films[arm] for arm in ORDER}
    return HTML(f'<div class="ll-scroll">{table(ordered, NAMES, where.label)}</div>')


def curves(where: Seen, data: BookData | None = None) -> LiveChart | HTML:
    """How much of the last frame was seen when, in the same two loads."""
    films = filmed(newest(data, where.series), where)
    if set(films) != set(ORDER):
        return HTML(style.NOTHING_YET)
    last = step_ms(films) * (FRAMES - 1)
    rows = [
        (NAMES[arm], at, percent)
        for arm in ORDER
        for at, percent in (*films[arm].progress, (max(last, films[arm].ends_ms), 100.0))
    ]
    frame = pd.DataFrame(rows, columns=list(CURVES))
    name = f"yu-seen-{'-'.join(where.label.replace(',', '').replace('%', 'pct').split())}".lower()
    return LiveChart(
        name=name,
        chart=_chart(frame, WIDE),
        narrow=_chart(frame, NARROW),
        alt_text=f"{where.label}: what is seen over time. {' '.join(_told(films[arm]) for arm in ORDER)}",
        downloads=(Attachment(f"{name}.csv", frame.to_csv(index=False)),),
        hint="Point at a line for its numbers.",
    )


def _chart(frame: pd.DataFrame, width: int) -> alt.TopLevelMixin:
    names = [NAMES[arm] for arm in ORDER]
    colours = [style.SIDE_COLOURS["right"], style.SIDE_COLOURS["left"]]
    line = (
        alt.Chart(frame)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("ms:Q", title="from the start of the navigation, ms"),
            y=alt.Y("percent:Q", title="seen of the last frame, %"),
            color=alt.Color("protocol:N", title=None, scale=alt.Scale(domain=names, range=colours)),
            strokeDash=alt.StrokeDash("protocol:N", title=None, scale=alt.Scale(domain=names, range=[[6, 3], [1, 0]])),
            tooltip=[
                alt.Tooltip("protocol:N"),
                alt.Tooltip("ms:Q", title="ms", format=".0f"),
                alt.Tooltip("percent:Q", title="seen, %", format=".0f"),
            ],
        )
        .properties(width=width, height=HEIGHT)
    )
    return configured(line)


def _told(film: Film) -> str:
    known = {one.title: film.metrics.get(one.name) or math.nan for one in (SPEED_INDEX, PLT)}
    told = ", ".join(f"{title} {style.rounded(value)} ms" for title, value in known.items() if not math.isnan(value))
    return f"{NAMES[film.arm]}: all seen after {style.rounded(film.ends_ms)} ms; {told}."
