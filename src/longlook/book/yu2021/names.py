"""Files, links, controllers and clients of the study, and its rule in the words of criteria.

Arms are named as in `sweeps/yu2021/`: protocol, controller, client (of yu-servers: server).
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from longlook import paths
from longlook.analysis.estimate import Estimate
from longlook.book import data as book_data
from longlook.book import evidence
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.experiment.metrics import TTLB
from longlook.published.yu2021 import BASE_RTT_MS, PROVIDERS, SIZES, STUDY, differences

SMALL, MIDDLE, LARGE = SIZES.values()
DOUBLE = 2 * SMALL
"""What one provider's "100 KB" is by the authors' list."""
SIZE_NAMES = dict(zip(SIZES.values(), ("100 KB", "1 MB", "5 MB"), strict=True)) | {DOUBLE: "200 KB"}
MAIN = {SMALL: "yu-100kb", MIDDLE: "yu-1mb", LARGE: "yu-5mb"}
CLIENTS, SERVERS, EACH_WAY, QUEUE = "yu-clients", "yu-servers", "yu-each-way", "yu-queue"
FIRST_LOSS = "yu-first-loss"
BURST, BURST_LOSSY, OBJECT, LITTLE = "yu-burst", "yu-burst-5mb", "yu-200kb", "yu-each-way-little"
H3, H2 = ("chromium", "ngtcp2", "quicgo"), ("chromium", "curl")
"""The clients of the paper's rule, as they stand here."""
NATIVE = H3[1:]
NAMES = {
    "chromium": "Chromium 111",
    "chromium126": "Chromium 126",
    "curl": "curl",
    "ngtcp2": "ngtcp2",
    "quicgo": "quic-go",
    "lsquic": "LSQUIC",
}


MEDIAN = {"metric": TTLB.name, "statistic": "lowest-median"}


@dataclass(frozen=True)
class Impairment:
    """A link; its loss is on the way down only."""

    rtt_ms: float = BASE_RTT_MS
    loss_pct: float = 0.0

    @property
    def label(self) -> str:
        """`15 ms`, `1 % loss`: what is not the base."""
        return f"{self.loss_pct:g} % loss" if self.loss_pct else f"{self.rtt_ms:g} ms"


QUIET, LOSSY, FAR = Impairment(), Impairment(loss_pct=1.0), Impairment(rtt_ms=BASE_RTT_MS + 100)
CONDITIONS = (QUIET, Impairment(loss_pct=0.1), LOSSY, Impairment(rtt_ms=BASE_RTT_MS + 50), FAR)
"""The paper's five, in its order."""
WITHOUT_LOSS = tuple(one for one in CONDITIONS if not one.loss_pct)


@dataclass(frozen=True)
class FileSquare:
    """One file over one link, in one series."""

    series: str
    size_bytes: int
    condition: Impairment = QUIET

    @property
    def label(self) -> str:
        return f"{SIZE_NAMES[self.size_bytes]}, {self.condition.label}"

    @property
    def said(self) -> dict[str, Any]:
        """As criteria say it."""
        link = {"rtt_ms": self.condition.rtt_ms, "loss_pct": self.condition.loss_pct}
        return {"series": self.series, "where": {"object_bytes": self.size_bytes, **link}}

    def at(self, condition: Impairment) -> FileSquare:
        return replace(self, condition=condition)


def place(size_bytes: int, condition: Impairment = QUIET) -> FileSquare:
    """Of the three sweeps of the paper's conditions."""
    return FileSquare(MAIN[size_bytes], size_bytes, condition)


PLACES = tuple(place(size, condition) for condition in CONDITIONS for size in MAIN)
"""All 15 squares."""


@dataclass(frozen=True)
class Controllers:
    """Who is set against whom."""

    quic: str
    tcp: str

    @property
    def title(self) -> str:
        """`CUBIC against BBR`: QUIC's first."""
        return f"{self.quic.upper()} against {self.tcp.upper()}"


BBR, MIXED, CUBIC = Controllers("bbr", "bbr"), Controllers("cubic", "bbr"), Controllers("cubic", "cubic")
PAIRS = (BBR, MIXED, CUBIC)
LIKE = {"google": BBR, "facebook": BBR, "cloudflare": MIXED}
"""What each provider told the authors that it uses."""
TITLES = {name: name.capitalize() for name in PROVIDERS}


def rule(where: FileSquare, pair: Controllers, h3: Sequence[str] = H3, h2: Sequence[str] = H2) -> dict[str, Any]:
    """The paper's, as criteria say it: the lowest median over HTTP/3 over the lowest one over HTTP/2."""
    arms = [f"{kind} {cca} " for kind, cca in (("quic", pair.quic), ("tcp", pair.tcp))]
    ratio = ["|".join(arm + name for name in names) for arm, names in zip(arms, (h3, h2), strict=True)]
    return {"ratio": ratio, **MEDIAN, **where.said}


def newest(data: BookData | None, *series: str) -> StudyColumn:
    """The reader's own column where it has any of these series, else the reference one, measured or not."""
    return evidence.newest(data or book_data.load(), STUDY, *series)


def median_of(own: StudyColumn, where: FileSquare, arm: str, metric: str = TTLB.name) -> float | None:
    """Of an arm's loads."""
    loads = own.loads(arm, metric, **where.said)
    return statistics.median(loads) if loads else None


def verdict(found: Estimate) -> int:
    """-1 where HTTP/3 is quicker, 1 where it is slower, 0 where the interval leaves it open."""
    quicker, slower = found.within(at_most=1.0), found.within(at_least=1.0)
    return -1 if quicker and not slower else 1 if slower and not quicker else 0


def printed(provider: str, where: FileSquare) -> Estimate:
    """One of the 45 differences of November 2020: of means, without an interval, and once where a test found none."""
    return _printed()[provider, where.size_bytes, where.condition]


@cache
def _printed() -> Mapping[tuple[str, int, Impairment], Estimate]:
    return {
        (one.provider, one.size_bytes, Impairment(one.rtt_ms, one.added_loss_pct)): Estimate(1 + one.pct / 100)
        for one in differences(paths.PUBLISHED)
    }
