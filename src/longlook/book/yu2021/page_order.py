"""The order in which a page's resources come, by protocol and server, and what that makes of what is seen."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from IPython.display import HTML

from longlook.book import data as book_data
from longlook.book.data import COLUMNS, BookData
from longlook.book.predicted import Prediction, predictions_table
from longlook.book.times import Times, percent_text
from longlook.book.varied import REFERENCE
from longlook.book.yu2021.lowest import lowest_ratio
from longlook.book.yu2021.pages import SMALL, THREE, Looked, Seen, loads_of, seen_of
from longlook.book.yu2021.predictions import Found, judged
from longlook.experiment.metrics import FCP, LCP, PLT, SPEED_INDEX
from longlook.figure import style
from longlook.figure.table import html_table
from longlook.plan.workload import WebPage
from longlook.published.yu2021 import STUDY, ListedPage
from longlook.site.webpage import resources

ORDER = "yu-pages-order"
SERVED = {"quic": "HTTP/3, Envoy", "tcp": "HTTP/2, Apache", "nginx": "HTTP/2, nginx"}
"""Arms, and what each is."""
LARGER = tuple(one for one in THREE if one not in SMALL)
LARGE = LARGER[-1]
KINDS = ("document", "style", "script", "font", "above", "below")
KIND_TITLES = dict(
    zip(
        KINDS,
        ("document", "style sheets", "scripts", "fonts", "images above the fold", "images below the fold"),
        strict=True,
    )
)


@dataclass(frozen=True)
class Ordered(Looked):
    """The newest campaign of `ORDER` of one column."""

    def by_index(self, seen: Seen, arm: str, metric: str) -> Mapping[int, float]:
        return loads_of(self.data, ORDER, self.key).get((seen, arm, metric), {})

    def against(self, page: ListedPage, metric: str, arm: str, other: str) -> Times | None:
        """Median of an arm over that of another; None where either is not measured."""
        over, under = (self.loads(Seen(page), one, metric) for one in (arm, other))
        return lowest_ratio((over,), (under,)) if over and under else None

    def last_bytes(self, page: ListedPage, arm: str) -> Mapping[str, float]:
        """Kind of resource -> when the last byte of the last one came, ms from the first request, in the load that is
        nearest to the arm's median; empty where it is not measured."""
        cells = self.data.rows("cells", STUDY, ORDER, self.key).to_dict("records")
        own = [row["cell_id"] for row in cells if seen_of(row) == Seen(page)]
        rows = self.data.rows("objects", STUDY, ORDER, self.key)
        rows = rows[rows["cell_id"].isin(own) & (rows["arm"] == arm)]
        kind_of = kinds(page)
        found: dict[str, float] = {}
        for path, ended in zip(rows["path"], rows["ended_ms"], strict=True):
            kind = kind_of[path]
            found[kind] = max(found.get(kind, 0.0), float(ended))
        return found


def kinds(page: ListedPage) -> Mapping[str, str]:
    """Path of each resource -> one of `KINDS`."""
    own = resources(WebPage(size_bytes=page.size_bytes, resources=page.resources))
    return {one.path: one.kind if one.kind != "image" else "above" if one.above else "below" for one in own}


def newest(data: BookData) -> Ordered:
    """The reader's own campaign, else the reference one, measured or not."""
    columns = [Ordered(data, key) for key, _, _ in COLUMNS]
    return next((one for one in reversed(columns) if one.is_measured(ORDER)), columns[0])


def delivered(data: BookData | None = None) -> HTML:
    """When the last byte of each kind of resource came, on each page and from each server."""
    own = newest(data or book_data.load())
    rows: list[list[str]] = []
    starts: list[int] = []
    for page in THREE:
        by_arm = {arm: own.last_bytes(page, arm) for arm in SERVED}
        if not all(by_arm.values()):
            continue
        starts.append(len(rows))
        rows += [
            [page.title, KIND_TITLES[kind], *(_ms(by_arm[arm].get(kind)) for arm in SERVED)]
            for kind in KINDS
            if any(kind in one for one in by_arm.values())
        ]
    if not rows:
        return HTML(style.NOTHING_YET)
    head = ["page", "the last of the", *(f"{title}, ms" for title in SERVED.values())]
    return HTML(html_table(head, rows, numeric={2, 3, 4}, starts=starts))


def _ms(value: float | None) -> str:
    return style.DASH if value is None else f"{value:,.0f}"


def times(data: BookData | None = None) -> HTML:
    """What is seen when, from each server: medians, and each HTTP/2 against the other and against HTTP/3."""
    own = newest(data or book_data.load())
    rows: list[list[str]] = []
    starts: list[int] = []
    for metric in (SPEED_INDEX, FCP, LCP, PLT):
        starts.append(len(rows))
        for page in THREE:
            loads = [own.loads(Seen(page), arm, metric.name) for arm in SERVED]
            if not all(loads):
                return HTML(style.NOTHING_YET)
            ratios = [own.against(page, metric.name, *pair) for pair in (("nginx", "tcp"), ("quic", "nginx"))]
            rows.append(
                [
                    metric.title,
                    page.title,
                    *(f"{statistics.median(one):,.0f}" for one in loads),
                    *(style.DASH if one is None else percent_text(one) for one in ratios),
                ]
            )
    head = ["metric", "page", *(f"{title}, ms" for title in SERVED.values())]
    head += ["nginx against Apache", "HTTP/3 against nginx"]
    return HTML(html_table(head, rows, numeric={2, 3, 4, 5, 6}, starts=starts))


def predictions(data: BookData | None = None) -> HTML:
    """What was predicted and found of the reference campaign."""
    own = Ordered(data or book_data.load(), REFERENCE)
    return predictions_table(predicted(own) if own.is_measured(ORDER) else [])


def predicted(own: Ordered) -> list[Prediction]:
    """Those in the head of the sweep."""

    def of(metric: str, arm: str, other: str) -> Found:
        return {page.title: own.against(page, metric, arm, other) for page in LARGER}

    return [
        judged("page load time over HTTP/2: nginx within 5 % of Apache", of(PLT.name, "nginx", "tcp"), 0.95, 1.05),
        judged("Speed Index over HTTP/2: nginx lower than Apache", of(SPEED_INDEX.name, "nginx", "tcp"), high=1.0),
        judged("Speed Index: HTTP/3 lower than HTTP/2 from nginx", of(SPEED_INDEX.name, "quic", "nginx"), high=1.0),
        judged(
            "Speed Index: HTTP/3 15 to 40 % below HTTP/2 from Apache", of(SPEED_INDEX.name, "quic", "tcp"), 0.6, 0.85
        ),
    ]
