"""Speed Index, paints and page load times of the nine pages, as measured. Arms are `quic` and `tcp`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from longlook import paths
from longlook.analysis.lowest import Loads, lowest_difference, lowest_ratio
from longlook.analysis.paired import Place
from longlook.analysis.welch import Welch, welch_from_samples
from longlook.book.data import BookData
from longlook.book.loads import by_place
from longlook.book.times import Times
from longlook.book.yu2021.evidence import FAR, LOSSY, QUIET, Impairment
from longlook.errors import LonglookError
from longlook.experiment.metrics import CONNECT, PLT
from longlook.experiment.pictures import Film, films
from longlook.published.yu2021 import STUDY, ListedPage
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

    @property
    def series(self) -> str:
        return PAGES if self.condition == QUIET else LOSS

    @property
    def label(self) -> str:
        """`Google, small, 1 % loss`."""
        return self.page.title + ("" if self.condition == QUIET else f", {_added(self.condition)}")


def _added(condition: Impairment) -> str:
    return condition.label if condition.loss_pct else f"{condition.rtt_ms - QUIET.rtt_ms:g} ms more"


WITHOUT = tuple(Seen(one) for one in NINE)
LOSSY_ONES = tuple(Seen(page, one) for one in LOSSES for page in THREE)
DELAYED = Seen(THREE[0], FAR)
EVERY = (*WITHOUT, *LOSSY_ONES, DELAYED)


@dataclass(frozen=True)
class Selected:
    """What is left of a page's HTTP/3 loads after a selection, and of its median."""

    thrown: int
    of: int
    change: Times
    """Median page load time of what is left over that of all."""

    @property
    def share(self) -> float:
        return self.thrown / self.of


@dataclass(frozen=True)
class Looked:
    """The newest campaigns of one column."""

    data: BookData
    key: str
    """`reference` or `yours`."""

    def is_measured(self, series: str) -> bool:
        return bool(loads_of(self.data, series, self.key))

    def by_index(self, seen: Seen, arm: str, metric: str) -> Mapping[Place, float]:
        """Number and attempt of each load that counts -> its value."""
        return loads_of(self.data, seen.series, self.key).get((seen, arm, metric), {})

    def loads(self, seen: Seen, arm: str, metric: str) -> Loads:
        return tuple(self.by_index(seen, arm, metric).values())

    def ratio(self, seen: Seen, metric: str) -> Times | None:
        """Median by HTTP/3 over that by HTTP/2; None where either is not measured."""
        over, under = (self.loads(seen, arm, metric) for arm in ARMS)
        return lowest_ratio((over,), (under,)) if over and under else None

    def lead_ms(self, seen: Seen, metric: str) -> Times | None:
        """By how many ms the median by HTTP/2 is above that by HTTP/3."""
        one, other = (self.loads(seen, arm, metric) for arm in ARMS)
        return lowest_difference((other,), (one,)) if one and other else None

    def welch(self, seen: Seen, metric: str) -> Welch | None:
        """Of the means."""
        one, other = (self.loads(seen, arm, metric) for arm in ARMS)
        return welch_from_samples(one, other) if len(one) > 1 and len(other) > 1 else None

    def selected(self, seen: Seen) -> Selected | None:
        """HTTP/3 loads thrown away whose connection stood later than that of the HTTP/2 load of the same number, which
        met the same losses; None where nothing is measured or left."""
        times = self.by_index(seen, "quic", PLT.name)
        stood, raced = (self.by_index(seen, arm, CONNECT.name) for arm in ARMS)
        both = [one for one in times if one in stood and one in raced]
        kept = tuple(times[one] for one in both if stood[one] <= raced[one])
        if not kept:
            return None
        return Selected(len(both) - len(kept), len(both), lowest_ratio((kept,), (tuple(times[one] for one in both),)))

    def films(self, seen: Seen) -> Mapping[str, Film]:
        """Arm -> what was seen in one load, from the campaign's records; none where those are not here."""
        cells = self.data.rows("cells", STUDY, seen.series, self.key).to_dict("records")
        for row in cells:
            if seen_of(row) == seen:
                folder = paths.RAW / row["campaign"] / row["cell_id"]
                try:
                    return films(folder) if folder.is_dir() else {}
                except LonglookError:
                    return {}
        return {}


def newest(data: BookData, series: str) -> Looked:
    """The reader's own campaign of a series, else the reference one, measured or not."""
    key, _ = data.own_or_reference(STUDY, series)
    return Looked(data, key)


def seen_of(row: Mapping[Any, Any]) -> Seen | None:
    """The page and link of a row of `cells`."""
    by_size = {(one.size_bytes, one.resources): one for one in NINE}
    page = by_size.get((int(row["total_bytes"]), int(row["object_count"]) + 1))
    return None if page is None else Seen(page, Impairment(row["rtt_ms"], row["loss_pct"]))


@lru_cache(maxsize=8)
def loads_of(data: BookData, series: str, key: str) -> Mapping[tuple[Seen, str, str], Mapping[Place, float]]:
    """Every metric of the loads that count, by page, link and arm."""
    return by_place(data, STUDY, series, key, seen_of)
