"""Times to the last byte by file, link, controllers and clients, as published and as re-measured.

Arms are named as in `sweeps/yu2021/`: protocol, controller, client (of yu-servers: server).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from longlook import paths
from longlook.analysis.lowest import Clients, Loads, lowest, lowest_difference, lowest_ratio
from longlook.book.data import BookData
from longlook.book.loads import counting
from longlook.book.times import Times
from longlook.experiment.metrics import TTLB
from longlook.published.yu2021 import BASE_RTT_MS, PROVIDERS, SIZES, STUDY, Difference, differences

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


@dataclass(frozen=True)
class FileLoads:
    """The newest campaigns of one column."""

    data: BookData
    key: str
    """`reference` or `yours`."""

    def loads(self, where: FileSquare, arm: str, metric: str = TTLB.name) -> Loads:
        """Of every load that counts; none where the arm is not measured."""
        return _loads(self.data, where.series, self.key).get((where, arm, metric), ())

    def is_measured(self, series: str) -> bool:
        return bool(_loads(self.data, series, self.key))

    def clients(self, where: FileSquare, protocol: str, cca: str, names: Sequence[str]) -> Clients:
        """Loads of each; none at all where one of them has none, since the rule would not be the rule."""
        found = tuple(self.loads(where, f"{protocol} {cca} {name}") for name in names)
        return found if all(found) else ()

    def rule(
        self, where: FileSquare, pair: Controllers, h3: Sequence[str] = H3, h2: Sequence[str] = H2
    ) -> Times | None:
        """The paper's: the lowest median over HTTP/3 over the lowest one over HTTP/2."""
        return self._compared(where, pair, h3, h2, lowest_ratio)

    def lead_ms(
        self, where: FileSquare, pair: Controllers, h3: Sequence[str] = H3, h2: Sequence[str] = H2
    ) -> Times | None:
        """By how many ms HTTP/3 is ahead, by the same medians."""
        found = self._compared(where, pair, h3, h2, lowest_difference)
        return None if found is None else Times(-found.value, -found.high, -found.low)

    def _compared(
        self,
        where: FileSquare,
        pair: Controllers,
        h3: Sequence[str],
        h2: Sequence[str],
        how: Callable[[Clients, Clients], Times],
    ) -> Times | None:
        over = self.clients(where, "quic", pair.quic, h3)
        under = self.clients(where, "tcp", pair.tcp, h2)
        return how(over, under) if over and under else None

    def behind_ms(self, where: FileSquare, one: str, others: Sequence[str]) -> Times | None:
        """By how many ms an arm's median is above the lowest of the others'."""
        own, best = self.loads(where, one), tuple(self.loads(where, arm) for arm in others)
        return lowest_difference((own,), best) if own and all(best) else None

    def median_ms(self, where: FileSquare, arm: str) -> Times | None:
        """An arm's median."""
        own = self.loads(where, arm)
        return lowest((own,)) if own else None

    def over(self, where: FileSquare, one: str, other: str, base: FileSquare | None = None) -> Times | None:
        """How many times the median of another arm (of `base`, if it is given) an arm's is."""
        own, under = self.loads(where, one), self.loads(base or where, other)
        return lowest_ratio((own,), (under,)) if own and under else None


@lru_cache(maxsize=32)
def _loads(data: BookData, series: str, key: str) -> Mapping[tuple[FileSquare, str, str], Loads]:
    """Every metric of the loads that count, by place and arm, in the order measured."""
    cells = data.rows("cells", STUDY, series, key)
    places = {
        (row.campaign, row.cell_id): FileSquare(series, int(row.object_bytes), Impairment(row.rtt_ms, row.loss_pct))
        for row in cells.itertuples()
    }
    found: dict[tuple[FileSquare, str, str], list[float]] = {}
    for row in counting(data, STUDY, series, key):
        own = (places[row["campaign"], row["cell_id"]], row["arm"], row["metric"])
        found.setdefault(own, []).append(float(row["value"]))
    return {own: tuple(values) for own, values in found.items()}


def verdict(found: Times) -> int:
    """-1 where HTTP/3 is quicker, 1 where it is slower, 0 where the interval leaves it open."""
    quicker, slower = found.within(at_most=1.0), found.within(at_least=1.0)
    return -1 if quicker and not slower else 1 if slower and not quicker else 0


class PrintedDifferences:
    """The 45 differences of November 2020: of means, and 0 where a test found none."""

    def square(self, provider: str, where: FileSquare) -> Difference:
        return _printed()[provider, where.size_bytes, where.condition]

    def rule(self, provider: str, where: FileSquare) -> Times:
        """Without an interval."""
        return Times(1 + self.square(provider, where).pct / 100)


@lru_cache(maxsize=1)
def _printed() -> Mapping[tuple[str, int, Impairment], Difference]:
    return {
        (one.provider, one.size_bytes, Impairment(one.rtt_ms, one.added_loss_pct)): one
        for one in differences(paths.PUBLISHED)
    }
