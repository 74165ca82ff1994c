"""Speed Index, paints and page load times of the nine pages, as measured. Arms are `quic` and `tcp`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longlook import paths
from longlook.analysis.estimate import Estimate
from longlook.analysis.lowest import lowest_ratio
from longlook.book.evidence import StudyColumn
from longlook.book.yu2021.names import FAR, LOSSY, QUIET, Impairment
from longlook.errors import LonglookError
from longlook.experiment.metrics import CONNECT, PLT
from longlook.experiment.pictures import Film, films
from longlook.published.yu2021 import ListedPage
from longlook.published.yu2021 import pages as listed

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
