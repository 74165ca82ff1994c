"""What the campaigns found of every pair: goodput, handshake, CPU; or why there is nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import pandas as pd

from longlook.analysis.welch import Summary, summary_of
from longlook.book.data import BookData
from longlook.book.matrix.pairs import Pair, pairs, refused
from longlook.book.value import NOT_YET
from longlook.experiment.metrics import CLIENT_CPU, CONNECT, SERVER_CPU, TTLB
from longlook.figure import style
from longlook.plan.arm import Cca
from longlook.record.parquet import records

STUDY = "matrix"
QUIET, LOSSY, SMALL = "matrix", "matrix-loss", "matrix-handshake"
"""Series: 10 MB without loss and with, and a file that fits into the first flight."""
TITLES = {QUIET: "10 MB, no loss", LOSSY: "10 MB, 1 % loss", SMALL: "10 KB, no loss"}
"""What a reader calls a series."""
BY_CONTROLLER = (QUIET, LOSSY)
"""The series that are measured with each; else each server has CUBIC, or the one in `ONLY`."""
ONLY: dict[str, Cca] = {"quicgo": "reno"}
NOT_ASKED = "not measured: no sweep has it"


def shown(series: str) -> list[Pair]:
    """Every pair that a reader may look for in a series, also those that cannot be."""
    if series in BY_CONTROLLER:
        return list(pairs())
    return [replace(pair, cca=ONLY.get(pair.server, pair.cca)) for pair in pairs("cubic")]


@dataclass(frozen=True)
class PairTimes:
    """Of one pair in one series: summaries by metric, none where no download counts; `why` there is none."""

    times: Mapping[str, Summary]
    object_bytes: float = float("nan")
    why: str = ""

    def of(self, metric: str) -> Summary | None:
        return self.times.get(metric)


@dataclass(frozen=True)
class PairQuantity:
    """What a figure shows of a pair: a number with its deviation, in `unit`."""

    title: str
    unit: str
    digits: int
    of: Callable[[PairTimes], Summary | None]

    def text(self, own: Summary) -> str:
        """`71.2 ± 0.5`."""
        return " ".join(filter(None, style.mean_sd(own.mean, own.sd, self.digits)))


def _goodput(found: PairTimes) -> Summary | None:
    """Mbit/s: the file's bytes over the mean time to its last byte; the deviation follows from that of the time."""
    own = found.of(TTLB.name)
    if own is None:
        return None
    mean = found.object_bytes * 8 / 1e3 / own.mean
    return Summary(mean, mean * own.sd / own.mean, own.n)


def _cpu(found: PairTimes) -> Summary | None:
    """ms for a megabyte, of both ends together; their means add up, and their deviations at the most do."""
    ends = [found.of(metric.name) for metric in (CLIENT_CPU, SERVER_CPU)]
    client, server = ends
    if client is None or server is None:
        return None
    times = 1e3 / (found.object_bytes / 1e6)
    return Summary((client.mean + server.mean) * times, (client.sd + server.sd) * times, client.n)


GOODPUT = PairQuantity("goodput", "Mbit/s", 1, _goodput)
HANDSHAKE = PairQuantity("handshake", "ms", 1, lambda found: found.of(CONNECT.name))
CPU = PairQuantity("CPU", "ms per MB", 1, _cpu)
"""MB are 1,000,000 bytes."""


@dataclass(frozen=True)
class MatrixColumn:
    """The newest campaigns of one column: the reader's own, or the reference ones."""

    data: BookData
    key: str
    title: str

    def found(self, series: str, pair: Pair) -> PairTimes:
        """What it has of a pair."""
        if why := refused(pair):
            return PairTimes({}, why=why)
        measured = _by_pair(self.data, series, self.key)
        if not measured:
            return PairTimes({}, why=NOT_YET)
        own = measured.get((pair.protocol, pair.server, pair.client, pair.cca))
        if own is None:
            return PairTimes({}, why=NOT_ASKED)
        counted = own[own["n"] > 0]
        times = {row["metric"]: summary_of(row) for row in records(counted)}
        found = PairTimes(times, float(own["object_bytes"].iloc[0]))
        return found if times else replace(found, why=self._rejected(own.iloc[0]))

    def _rejected(self, arm: pd.Series) -> str:
        """Of an arm without any download that counts: what became of those that there were."""
        own = self.data.rows("samples", STUDY, arm["series"], self.key)
        whose = (own["arm"] == arm["arm"]) | own["arm"].isna()  # without a name: alone in its cell
        own = own[(own["cell_id"] == arm["cell_id"]) & whose & ~own["set_aside"].astype(bool)]
        counts = Counter(own.drop_duplicates(["index", "attempt"])["reject_reason"].dropna())
        reasons = ", ".join(f"{reason} {count}" for reason, count in counts.most_common())
        return f"no download counts: {reasons or 'there was none'}"

    def numbers(self, series: str, quantity: PairQuantity) -> dict[Pair, Summary]:
        """Of every pair that has one."""
        found = {pair: quantity.of(self.found(series, pair)) for pair in shown(series)}
        return {pair: own for pair, own in found.items() if own is not None}


@lru_cache(maxsize=16)
def _by_pair(data: BookData, series: str, key: str) -> dict[tuple[str, ...], pd.DataFrame]:
    """Rows of `arms` by protocol, server, client and controller; none where a series is not measured."""
    rows = data.rows("arms", STUDY, series, key)
    return {tuple(pair): own for pair, own in rows.groupby(["protocol", "server", "client", "cca"])}


def newest(data: BookData, series: str) -> MatrixColumn:
    """The reader's own campaign of a series, else the reference one, measured or not."""
    return MatrixColumn(data, *data.own_or_reference(STUDY, series))
