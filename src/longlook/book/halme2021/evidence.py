"""Numbers of Halme 2021 by condition and implementation: as printed, and as re-measured. Times are ms.

Its time is the connection's duration, from a capture. Its handshake is by the client's log (aioquic, ngtcp2) or by the
capture (LSQUIC, TCP), which has the arrival of the packet that ends it as well: here that is half a round trip more
than its client's own time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol

import pandas as pd

from longlook.analysis.welch import Summary, summarise, summary_of
from longlook.book.data import BookData
from longlook.book.times import Times, times
from longlook.experiment.metrics import CONNECT, DURATION, FINISHED, TTLB
from longlook.plan.conditions import Row
from longlook.plan.squares import selects
from longlook.published.halme2021 import QUEUE_PACKETS, STUDY
from longlook.published.registry import published_means

QUIC = ("aioquic", "lsquic", "ngtcp2")
TCP = "tcp"
NAMES = {"aioquic": "aioquic", "lsquic": "LSQUIC", "ngtcp2": "ngtcp2", "tcp": "TCP"}
BY_CAPTURE = ("lsquic", "tcp")
"""Whose handshakes the thesis took from the capture."""
LASTS = (DURATION.name, TTLB.name)
"""Until the connection is over, and until the file is there."""
HANDSHAKE = "handshake_ms"
"""By the thesis's own definition."""
MEGABYTE = 1_000_000
"""Bytes: the thesis's KB and MB are decimal."""


@dataclass(frozen=True)
class Setting:
    """A condition: of a series that has several, by file and loss."""

    series: str
    object_bytes: int = MEGABYTE
    loss_pct: float | None = None
    """Both ways together."""
    rtt_ms: float | None = None


TABLES = {name: Setting(f"table-{name}") for name in ("2", "3", "4", "5")}
ALONE = Setting("not-printed", loss_pct=0)
"""50 ms one way without loss: what scenario 3 is compared with."""
QUEUES = {
    1000: ("parallel", ALONE),
    10: ("parallel-10", Setting("alone-10")),
    50: ("parallel-50", Setting("alone-50")),
}
"""Of scenario 3, packets: the series of both at once, and that of each alone."""


@dataclass(frozen=True)
class Beside:
    """Scenario 3: a QUIC implementation and TCP at once, each against itself alone."""

    quic: Times
    tcp: Times
    tcp_handshake: Times | None


class Means(Protocol):
    """Numbers of one column: None where it has none."""

    def summary(self, where: Setting, arm: str, metric: str) -> Summary | None:
        """Of one implementation under one condition."""

    def beside(self, arm: str, queue: int = QUEUE_PACKETS) -> Beside | None:
        """What came of an implementation beside TCP, with a queue of so many packets."""


class PrintedMeans:
    """Means without standard deviations, so that no interval can be made."""

    def summary(self, where: Setting, arm: str, metric: str) -> Summary | None:
        row = self._row(where.series, arm, metric, total_bytes=where.object_bytes)
        return None if row is None else Summary(row["mean"], math.nan, row["n"])

    def beside(self, arm: str, queue: int = QUEUE_PACKETS) -> Beside | None:
        label = f"{NAMES[arm]} vs {NAMES[TCP]}"
        asked = ((arm, FINISHED.name), (TCP, FINISHED.name), (TCP, CONNECT.name))
        quic, tcp, handshake = (self._times(label, *one) for one in asked)
        return None if quic is None or tcp is None or queue != QUEUE_PACKETS else Beside(quic, tcp, handshake)

    def _times(self, label: str, arm: str, metric: str) -> Times | None:
        row = self._row("parallel", arm, metric, label=label)
        return None if row is None else Times(row["mean"], row.get("least", math.nan), row.get("most", math.nan))

    def _row(self, series: str, arm: str, metric: str, **where: Any) -> Row | None:
        wanted = {"series": series, "arm": arm, "metric": metric, **where}
        return next((row for row in published_means(STUDY) if selects(wanted, row)), None)


@dataclass(frozen=True)
class Connections:
    """The newest campaigns of one column."""

    data: BookData
    key: str
    """`reference` or `yours`."""

    def rows(self, table: str, where: Setting) -> pd.DataFrame:
        """Of `arms` or `cells`: those of a condition."""
        own = self.data.rows(table, STUDY, where.series, self.key)
        own = own[own["object_bytes"] == where.object_bytes]
        stated = {"loss_pct": where.loss_pct, "rtt_ms": where.rtt_ms}
        for name, value in stated.items():
            own = own if value is None else own[own[name] == value]
        return own

    def summary(self, where: Setting, arm: str, metric: str) -> Summary | None:
        if metric == HANDSHAKE:
            return self._handshake(where, arm)
        row = self._row(where, arm, metric)
        return None if row is None or not row["n"] else summary_of(row)

    def _row(self, where: Setting, arm: str, metric: str) -> pd.Series | None:
        own = self.rows("arms", where)
        own = own[(own["arm"] == arm) & (own["metric"] == metric)]
        return own.iloc[0] if len(own) else None

    def _handshake(self, where: Setting, arm: str) -> Summary | None:
        row = self._row(where, arm, CONNECT.name)
        if row is None or not row["n"]:
            return None
        more = row["rtt_ms"] / 2 if arm in BY_CAPTURE else 0.0
        own = summary_of(row)
        return replace(own, mean=own.mean + more)

    def values(self, where: Setting, arm: str, metric: str) -> list[float]:
        """Of every load that counts."""
        own = self._loads(where, arm)
        return own.loc[own["metric"] == metric, "value"].tolist()

    def after_last_byte_s(self, where: Setting, arm: str) -> list[float]:
        """By how much the connection of every load that counts outlasts its last byte, s. Less than none where it began
        for the server after its client had sent its first packet again."""
        own = self._loads(where, arm)
        took = {name: own[own["metric"] == name].set_index(["cell_id", "order"])["value"] for name in LASTS}
        return [gap / 1e3 for gap in (took[DURATION.name] - took[TTLB.name]).dropna()]

    def _loads(self, where: Setting, arm: str) -> pd.DataFrame:
        """Rows of `samples` of an arm's loads that count."""
        ids = set(self.rows("cells", where)["cell_id"])
        own = self.data.rows("samples", STUDY, where.series, self.key)
        own = own[own["cell_id"].isin(ids) & (own["arm"] == arm)]
        return own[own["accepted"] & ~own["set_aside"]]

    def beside(self, arm: str, queue: int = QUEUE_PACKETS) -> Beside | None:
        return self.together(arm, *QUEUES[queue])

    def together(self, arm: str, series: str, where: Setting) -> Beside | None:
        """What came of an implementation beside TCP in a series, against each alone under `where`."""
        own = self._together(series)
        own = own[own["cell_id"].isin(own.loc[own["arm"] == arm, "cell_id"])]
        alone = {name: self.summary(where, name, TTLB.name) for name in (arm, TCP)}
        took = {name: _seconds(own, name) for name in (arm, TCP)}
        if any(one is None for one in alone.values()) or min(one.n for one in took.values()) < 2:
            return None
        set_up, set_up_alone = _of(own, TCP, CONNECT.name), self.summary(where, TCP, CONNECT.name)
        handshake = times(set_up_alone, set_up) if set_up_alone is not None and set_up.n > 1 else None
        found = {name: times(base, took[name]) for name, base in alone.items() if base is not None}
        return Beside(found[arm], found[TCP], handshake)

    def _together(self, series: str) -> pd.DataFrame:
        own = self.data.rows("samples", STUDY, series, self.key)
        return own[own["accepted"].astype(bool)]


def _of(samples: pd.DataFrame, arm: str, metric: str) -> Summary:
    return summarise(samples.loc[(samples["arm"] == arm) & (samples["metric"] == metric), "value"].tolist())


def _seconds(samples: pd.DataFrame, arm: str) -> Summary:
    """Until the file was there, ms."""
    own = _of(samples, arm, FINISHED.name)
    return replace(own, mean=own.mean * 1e3, sd=own.sd * 1e3)


@cache
def printed() -> PrintedMeans:
    """The published column; read once."""
    return PrintedMeans()
