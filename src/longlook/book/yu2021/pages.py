"""The nine pages as measured: Speed Index, paints and page load times with Welch's test, the selection of loads.

Arms are `quic` and `tcp`.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from IPython.display import HTML

from longlook import paths
from longlook.analysis.estimate import Estimate
from longlook.analysis.lowest import lowest_ratio
from longlook.analysis.welch import ALPHA, welch_from_samples
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.times import percent_text
from longlook.book.yu2021.names import FAR, LOSSY, QUIET, Impairment, newest
from longlook.errors import LonglookError
from longlook.experiment.base import Metric
from longlook.experiment.metrics import CONNECT, FCP, LCP, PLT, SPEED_INDEX
from longlook.experiment.pictures import Film, films
from longlook.figure import style
from longlook.figure.live import csv_file, offered
from longlook.figure.style import p_text
from longlook.figure.table import html_table, shown_table
from longlook.plan.workload import WebPage
from longlook.published.yu2021 import ListedPage
from longlook.published.yu2021 import pages as listed
from longlook.site.webpage import resources

PAGES, LOSS = "yu-pages", "yu-pages-loss"
SMALL_LOSS = Impairment(loss_pct=0.1)
LOSSES = (SMALL_LOSS, LOSSY)
NINE: tuple[ListedPage, ...] = tuple(listed(paths.PUBLISHED))
THREE = tuple(one for one in NINE if one.provider == "google")
"""Those of yu-pages-loss."""
SMALL = tuple(one for one in NINE if one.size == "small")
LARGER = tuple(one for one in NINE if one.size != "small")
ARMS = ("quic", "tcp")
NAMES = {"quic": "HTTP/3", "tcp": "HTTP/2"}


@dataclass(frozen=True)
class Seen:
    """One page over one link."""

    page: ListedPage
    condition: Impairment = QUIET
    measured_in: str = ""
    """Another series than that of the link."""

    @property
    def series(self) -> str:
        return PAGES if self.condition == QUIET else LOSS

    @property
    def said(self) -> dict[str, Any]:
        """As criteria say it."""
        page = {"total_bytes": self.page.size_bytes, "object_count": self.page.resources - 1}
        link = {"rtt_ms": self.condition.rtt_ms, "loss_pct": self.condition.loss_pct}
        return {"series": self.measured_in or self.series, "where": {**page, **link}}

    @property
    def label(self) -> str:
        """`Google, small, 1 % loss`."""
        return self.page.title + ("" if self.condition == QUIET else f", {_added(self.condition)}")


def _added(condition: Impairment) -> str:
    return condition.label if condition.loss_pct else f"{condition.rtt_ms - QUIET.rtt_ms:g} ms more"


WITHOUT = tuple(Seen(one) for one in NINE)
LOSSY_ONES = tuple(Seen(page, one) for one in LOSSES for page in THREE)
DELAYED = Seen(THREE[0], FAR)


def against(seen: Seen, metric: str, *pair: str) -> dict[str, Any]:
    """Median by one arm over that by another (HTTP/3, HTTP/2), as criteria say it."""
    return {"ratio": list(pair or ARMS), "metric": metric, "statistic": "lowest-median", **seen.said}


@dataclass(frozen=True)
class Selected:
    """What is left of a page's HTTP/3 loads after a selection, and of its median."""

    thrown: int
    of: int
    change: Estimate
    """Median page load time of what is left over that of all."""


def selected(own: StudyColumn, seen: Seen) -> Selected | None:
    """HTTP/3 loads thrown away whose connection stood later than that of the HTTP/2 load of the same number, which met
    the same losses; None where nothing is measured or left."""

    def numbered(arm: str, metric: str) -> Mapping[Any, float]:
        return own.column.by_number(seen.said["series"], arm, metric, **seen.said["where"])

    times, stood, raced = numbered("quic", PLT.name), *(numbered(arm, CONNECT.name) for arm in ARMS)
    both = [one for one in times if one in stood and one in raced]
    kept = tuple(times[one] for one in both if stood[one] <= raced[one])
    if not kept:
        return None
    return Selected(len(both) - len(kept), len(both), lowest_ratio((kept,), (tuple(times[one] for one in both),)))


def filmed(own: StudyColumn, seen: Seen) -> Mapping[str, Film]:
    """Arm -> what was seen in one load, from the campaign's records; none where those are not here."""
    row = own.column.row(seen.said["series"], "quic", PLT.name, **seen.said["where"])
    folder = None if row is None else paths.RAW / row["campaign"] / row["cell_id"]
    try:
        return films(folder) if folder is not None and folder.is_dir() else {}
    except LonglookError:
        return {}


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
    return shown_table([*head, "main image, KB"], rows, numeric=set(range(1, 10)))


def times(data: BookData | None = None) -> HTML:
    """The nine pages without loss: Speed Index and PLT, the paints in a file."""
    return _times(data, PAGES, WITHOUT)


def times_with_loss(data: BookData | None = None) -> HTML:
    """Three pages with loss, and one with delay."""
    return _times(data, LOSS, (*LOSSY_ONES, DELAYED))


def _times(data: BookData | None, series: str, places: Iterable[Seen]) -> HTML:
    own = newest(data, series)
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
    own = newest(data, LOSS)
    rows = []
    for where in LOSSY_ONES:
        found, all_loads = selected(own, where), own.one(**against(where, PLT.name))
        if found is not None and all_loads is not None:
            thrown = f"{found.thrown} of {found.of}"
            left = percent_text(all_loads).partition(" (")[0]
            rest = style.signed_pct((all_loads.value * found.change.value - 1) * 100)
            rows.append([where.label, thrown, percent_text(found.change), left, f"{rest} %"])
    head = ["page", "thrown away", "median of the rest", "all, against HTTP/2", "selected, against HTTP/2"]
    return shown_table(head, rows, numeric={1, 2, 3, 4})
