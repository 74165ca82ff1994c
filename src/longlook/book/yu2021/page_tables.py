"""Tables of the chapter on pages: what they consist of, their times with Welch's test, the selection of loads."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable

from IPython.display import HTML

from longlook.analysis.welch import ALPHA, welch_from_samples
from longlook.book import data as book_data
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.times import percent_text
from longlook.book.yu2021.names import newest
from longlook.book.yu2021.pages import (
    ARMS,
    DELAYED,
    LOSS,
    LOSSY_ONES,
    NAMES,
    NINE,
    PAGES,
    WITHOUT,
    Seen,
    against,
    selected,
)
from longlook.experiment.base import Metric
from longlook.experiment.metrics import FCP, LCP, PLT, SPEED_INDEX
from longlook.figure import style
from longlook.figure.live import csv_file, offered
from longlook.figure.style import p_text
from longlook.figure.table import html_table
from longlook.plan.workload import WebPage
from longlook.site.webpage import resources

KINDS = ("style", "font", "script", "image")
KB = 1000


def consists_of() -> HTML:
    """The nine pages: bytes and resources listed, and what these are here."""
    rows = []
    for page in NINE:
        own = resources(WebPage(size_bytes=page.size_bytes, resources=page.resources))
        counts = Counter[str](one.kind for one in own)
        main = next(one for one in own if one.kind == "image")
        rows.append(
            [
                page.title,
                f"{page.size_bytes / KB:,.0f}",
                str(page.resources),
                f"{own[0].size_bytes / KB:,.0f}",
                *(str(counts[kind]) for kind in KINDS),
                str(sum(one.above for one in own)),
                f"{main.size_bytes / KB:,.0f}",
            ]
        )
    head = ["page", "KB", "resources", "document, KB", "style sheets", "fonts", "scripts", "images", "of them above"]
    return HTML(html_table([*head, "main image, KB"], rows, numeric=set(range(1, 10))))


def times(data: BookData | None = None) -> HTML:
    """The nine pages without loss: Speed Index and PLT, the paints in a file."""
    return _times(data, PAGES, WITHOUT)


def times_with_loss(data: BookData | None = None) -> HTML:
    """Three pages with loss, and one with delay."""
    return _times(data, LOSS, (*LOSSY_ONES, DELAYED))


def _times(data: BookData | None, series: str, places: Iterable[Seen]) -> HTML:
    own = newest(data or book_data.load(), series)
    if not own.has(series):
        return HTML(style.NOTHING_YET)
    places = list(places)
    rows = [_row(own, where, metric) for metric in (SPEED_INDEX, PLT, FCP, LCP) for where in places]
    head = ["metric", "page", *(f"{NAMES[arm]}, ms" for arm in ARMS), "median, difference", "mean, difference"]
    head.append("Welch's p")
    shown = html_table(head, rows[: 2 * len(places)], numeric={2, 3, 4, 5, 6}, starts=[0, len(places)])
    return HTML(shown + offered(csv_file(f"{series}-times.csv", head, rows)))


def _row(own: StudyColumn, where: Seen, metric: Metric) -> list[str]:
    loads = [own.loads(arm, metric.name, **where.said) for arm in ARMS]
    if not all(loads):
        return [metric.title, where.label, *[style.DASH] * 5]
    means = [statistics.fmean(one) for one in loads]
    p_value = welch_from_samples(*loads).p_value if min(map(len, loads)) > 1 else math.nan
    told = p_text(p_value) + ("" if math.isnan(p_value) or p_value < ALPHA else " (none told)")
    return [
        metric.title,
        where.label,
        *(f"{statistics.median(one):,.0f}" for one in loads),
        own.text("{percent}", **against(where, metric.name)),
        f"{style.signed_pct((means[0] / means[1] - 1) * 100)} %",
        told or style.DASH,
    ]


def selection(data: BookData | None = None) -> HTML:
    """What a selection of HTTP/3 loads would have made of each page with loss."""
    own = newest(data or book_data.load(), LOSS)
    rows = []
    for where in LOSSY_ONES:
        found, all_loads = selected(own, where), own.one(**against(where, PLT.name))
        if found is not None and all_loads is not None:
            thrown = f"{found.thrown} of {found.of}"
            left = percent_text(all_loads).partition(" (")[0]
            rest = style.signed_pct((all_loads.value * found.change.value - 1) * 100)
            rows.append([where.label, thrown, percent_text(found.change), left, f"{rest} %"])
    if not rows:
        return HTML(style.NOTHING_YET)
    head = ["page", "thrown away", "median of the rest", "all, against HTTP/2", "selected, against HTTP/2"]
    return HTML(html_table(head, rows, numeric={1, 2, 3, 4}))
