"""Tables 2 to 5 as a picture: each download beside the least, mean and greatest that are printed."""

from __future__ import annotations

import altair as alt
import pandas as pd
from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.evidence import StudyColumn
from longlook.book.halme2021.evidence import NAMES, TABLES, printed
from longlook.book.halme2021.tables import TEXTS
from longlook.experiment.metrics import DURATION
from longlook.figure import style
from longlook.figure.live import Attachment, LiveChart
from longlook.figure.squares import PUBLISHED
from longlook.published.halme2021 import STUDY, tables

ROW_PX = 26
DOWNLOAD_COLUMNS = ["table", "implementation", "source", "seconds"]
PRINTED_COLUMNS = ["table", "implementation", "source", "least", "mean", "greatest"]
COLOURS = {
    PUBLISHED.title: style.GREY,
    **dict(zip((title for *_, title in COLUMNS), ("#b2182b", "#1b7837"), strict=True)),
}


def downloads(data: BookData) -> pd.DataFrame:
    """Every download of 1 MB that counts, s: `DOWNLOAD_COLUMNS`."""
    rows = [
        (f"Table {name}", NAMES[arm], title, value / 1e3)
        for key, _, title in COLUMNS
        for name, where in TABLES.items()
        if len(data.rows("cells", STUDY, where.series, key))
        for arm in NAMES
        for value in StudyColumn(data, STUDY, key).loads(arm, DURATION.name, **where.said)
    ]
    return pd.DataFrame(rows, columns=DOWNLOAD_COLUMNS)


def ranges() -> pd.DataFrame:
    """What is printed, s: `PRINTED_COLUMNS`."""
    rows = [
        (f"Table {one.table}", NAMES[arm], PUBLISHED.title, own.time_min_s, own.time_avg_s, own.time_max_s)
        for one in tables()
        for arm, own in one.printed.items()
    ]
    return pd.DataFrame(rows, columns=PRINTED_COLUMNS)


def picture(data: BookData | None = None) -> LiveChart | HTML:
    """The durations of tables 2 to 5, a panel for each."""
    data = data or book_data.load()
    found = downloads(data)
    if found.empty:
        return HTML(style.NOTHING_YET)
    return LiveChart(
        name="halme-durations",
        chart=_chart(found, 560),
        narrow=_chart(found, 240),
        alt_text=_words(found, data),
        downloads=(Attachment("halme-durations.csv", found.to_csv(index=False)),),
        note="Grey: least, mean and greatest of ten, as printed. Dots: every download here. Each panel has its own "
        "scale, which does not begin at 0.",
        hint="Point at a mark for its numbers.",
    )


def _words(found: pd.DataFrame, data: BookData) -> str:
    texts = []
    for name in TABLES:
        own = found[found["table"] == f"Table {name}"]
        means = [
            f"{arm} {own.loc[own['implementation'] == arm, 'seconds'].mean():.1f} s (printed "
            f"{printed_mean.mean / 1e3:.1f})"
            for key, arm in NAMES.items()
            if (printed_mean := printed(data).summary(key, DURATION.name, **TABLES[name].said))
            and (own["implementation"] == arm).any()
        ]
        texts.append(f"table {name} ({TEXTS[name]}): {', '.join(means) or 'not measured'}")
    return "Mean durations of a download of 1 MB at 1 Mbit/s, re-measured: " + "; ".join(texts) + "."


def _chart(found: pd.DataFrame, width: int) -> alt.TopLevelMixin:
    sources = [PUBLISHED.title, *dict.fromkeys(found["source"])]
    colour = alt.Color(
        "source:N",
        scale=alt.Scale(domain=sources, range=[COLOURS[one] for one in sources]),
        legend=alt.Legend(title=None, orient="top"),
    )
    panels = []
    for name in TABLES:
        own, said = (frame[frame["table"] == f"Table {name}"] for frame in (found, ranges()))
        panels.append(_panel(own, said, colour, sources).properties(width=width, title=f"Table {name}: {TEXTS[name]}"))
    return alt.vconcat(*panels, spacing=14).configure(font=style.FONT).configure_title(anchor="start", fontSize=12)


def _panel(own: pd.DataFrame, said: pd.DataFrame, colour: alt.Color, sources: list[str]) -> style.Layered:
    row = alt.Y("implementation:N", sort=list(NAMES.values()), title=None, axis=alt.Axis(grid=True))
    offset = alt.YOffset("source:N", sort=sources, scale=alt.Scale(domain=sources))
    across = alt.X("seconds:Q", title="s", scale=alt.Scale(zero=False, nice=True))
    spans = alt.Chart(said).encode(y=row, yOffset=offset, color=colour)
    told = [
        alt.Tooltip("implementation:N", title="by"),
        *(alt.Tooltip(f"{one}:Q", format=".2f") for one in PRINTED_COLUMNS[3:]),
    ]
    rule = spans.mark_rule(strokeWidth=5, opacity=0.45).encode(
        x=alt.X("least:Q", title="s"), x2="greatest:Q", tooltip=told
    )
    mean = spans.mark_tick(thickness=2, size=ROW_PX / 2).encode(x="mean:Q", tooltip=told)
    dots = (
        alt.Chart(own)
        .mark_circle(size=22, opacity=0.55)
        .encode(
            x=across,
            y=row,
            yOffset=offset,
            color=colour,
            tooltip=[
                alt.Tooltip("implementation:N", title="by"),
                alt.Tooltip("source:N", title="in"),
                alt.Tooltip("seconds:Q", format=".3f", title="s"),
            ],
        )
    )
    return alt.layer(rule, mean, dots).properties(height=alt.Step(ROW_PX / max(1, len(sources) - 1)))
