"""The order in which a page's resources come, by protocol and server, and what that makes of what is seen."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from IPython.display import HTML

from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.book.yu2021.names import newest
from longlook.book.yu2021.pages import SMALL, THREE, Seen, against
from longlook.experiment.metrics import FCP, LCP, PLT, SPEED_INDEX
from longlook.figure import style
from longlook.figure.table import shown_table
from longlook.plan.workload import WebPage
from longlook.published.yu2021 import STUDY, ListedPage
from longlook.site.webpage import resources

ORDER, BUFFER = "yu-pages-order", "yu-pages-buffer"
SERVED = {"quic": "HTTP/3, Envoy", "tcp": "HTTP/2, Apache", "nginx": "HTTP/2, nginx"}
BUFFERED = {
    "quic": "HTTP/3, Envoy",
    "tcp": "Apache",
    "tcp-64kb": "Apache, 64 KB",
    "nginx": "nginx",
    "nginx-64kb": "nginx, 64 KB",
}
ARMS_OF = {ORDER: SERVED, BUFFER: BUFFERED}
"""Arms of each series, and what each is."""
LARGER = tuple(one for one in THREE if one not in SMALL)
LARGE = LARGER[-1]
PAGES_OF = {ORDER: THREE, BUFFER: LARGER}
KIND_TITLES = {
    "document": "document",
    "style": "style sheets",
    "script": "scripts",
    "font": "fonts",
    "above": "images above the fold",
    "below": "images below the fold",
}
KINDS = tuple(KIND_TITLES)


def last_bytes(own: StudyColumn, series: str, page: ListedPage, arm: str) -> Mapping[str, float]:
    """Kind of resource -> when the last byte of the last one came, ms from the first request, in the load that is
    nearest to the arm's median; empty where it is not measured."""
    row = own.column.row(series, arm, PLT.name, **Seen(page).said["where"])
    rows = own.data.rows("objects", STUDY, series, own.key)
    rows = rows[(rows["cell_id"] == (row or {}).get("cell_id")) & (rows["arm"] == arm)]
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


def delivered(data: BookData | None = None, series: str = ORDER) -> HTML:
    """When the last byte of each kind of resource came, on each page and from each server."""
    own = newest(data, series)
    rows: list[list[str]] = []
    starts: list[int] = []
    for page in PAGES_OF[series]:
        by_arm = {arm: last_bytes(own, series, page, arm) for arm in ARMS_OF[series]}
        if not all(by_arm.values()):
            continue
        starts.append(len(rows))
        rows += [
            [page.title, KIND_TITLES[kind], *(_ms(by_arm[arm].get(kind)) for arm in ARMS_OF[series])]
            for kind in KINDS
            if any(kind in one for one in by_arm.values())
        ]
    head = ["page", "the last of the", *(f"{title}, ms" for title in ARMS_OF[series].values())]
    return shown_table(head, rows, numbers_from=2, starts=starts)


def delivered_with_buffers() -> HTML:
    """The same with a small send buffer and with the kernel's."""
    return delivered(series=BUFFER)


def _ms(value: float | None) -> str:
    return style.DASH if value is None else f"{value:,.0f}"


def times(data: BookData | None = None) -> HTML:
    """What is seen when, by server: medians, nginx against Apache, HTTP/3 against nginx."""
    pairs = {"nginx against Apache": ("nginx", "tcp"), "HTTP/3 against nginx": ("quic", "nginx")}
    return _times(data, ORDER, pairs)


def times_with_buffers(data: BookData | None = None) -> HTML:
    """With a small send buffer: each server against itself."""
    pairs = {
        "Apache, 64 KB against its own": ("tcp-64kb", "tcp"),
        "nginx, 64 KB against its own": ("nginx-64kb", "nginx"),
    }
    return _times(data, BUFFER, pairs)


def _times(data: BookData | None, series: str, pairs: Mapping[str, tuple[str, str]]) -> HTML:
    own = newest(data, series)
    rows: list[list[str]] = []
    starts: list[int] = []
    for metric in (SPEED_INDEX, FCP, LCP, PLT):
        starts.append(len(rows))
        for page in PAGES_OF[series]:
            where = Seen(page, measured_in=series)
            loads = [own.loads(arm, metric.name, **where.said) for arm in ARMS_OF[series]]
            if not all(loads):
                return HTML(style.NOTHING_YET)
            rows.append(
                [
                    metric.title,
                    page.title,
                    *(f"{statistics.median(one):,.0f}" for one in loads),
                    *(own.text("{percent}", **against(where, metric.name, *pair)) for pair in pairs.values()),
                ]
            )
    head = ["metric", "page", *(f"{title}, ms" for title in ARMS_OF[series].values()), *pairs]
    return shown_table(head, rows, numbers_from=2, starts=starts)
