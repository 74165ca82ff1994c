"""Numbers of Halme 2021 by condition and implementation: as printed, and as re-measured. Estimate are ms.

Its time is the connection's duration, from a capture. Its handshake is by the client's log (aioquic, ngtcp2) or by the
capture (LSQUIC, TCP), which has the arrival of the packet that ends it as well: here that is half a round trip more
than its client's own time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from longlook.analysis.estimate import Estimate, times
from longlook.book.data import BookData
from longlook.book.evidence import StudyColumn
from longlook.experiment.metrics import CONNECT, DURATION, FINISHED, TTLB
from longlook.figure.squares import PUBLISHED
from longlook.published.halme2021 import QUEUE_PACKETS, STUDY

QUIC = ("aioquic", "lsquic", "ngtcp2")
TCP = "tcp"
NAMES = {"aioquic": "aioquic", "lsquic": "LSQUIC", "ngtcp2": "ngtcp2", "tcp": "TCP"}
BY_CAPTURE = ("lsquic", "tcp")
"""Whose handshakes the thesis took from the capture."""
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

    @property
    def stated(self) -> dict[str, float]:
        """Conditions, by column."""
        own = {"total_bytes": self.object_bytes, "loss_pct": self.loss_pct, "rtt_ms": self.rtt_ms}
        return {name: value for name, value in own.items() if value is not None}

    @property
    def said(self) -> dict[str, Any]:
        """As criteria say it."""
        return {"series": self.series, "where": self.stated}


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

    quic: Estimate
    tcp: Estimate
    tcp_handshake: Estimate | None


def after_last_byte_s(own: StudyColumn, where: Setting, arm: str) -> list[float]:
    """By how much the connection of every load that counts outlasts its last byte, s. Less than none where it began for
    the server after its client had sent its first packet again."""
    lasts, took = (own.column.by_number(where.series, arm, one.name, **where.stated) for one in (DURATION, TTLB))
    return [(lasts[number] - took[number]) / 1e3 for number in lasts if number in took]


def beside(own: StudyColumn, arm: str, queue: int = QUEUE_PACKETS) -> Beside | None:
    """What came of an implementation beside TCP, with a queue of so many packets."""
    asked = ((arm, FINISHED.name), (TCP, FINISHED.name), (TCP, CONNECT.name))
    label = f"{NAMES[arm]} vs {NAMES[TCP]}"
    if own.key == PUBLISHED.key:
        quic, tcp, handshake = (_printed_times(own, label, *one) for one in asked)
        return None if quic is None or tcp is None or queue != QUEUE_PACKETS else Beside(quic, tcp, handshake)
    series, alone = QUEUES[queue]
    together = [own.column.summary(series, *one, label=label) for one in asked]
    by_itself = [
        own.summary(name, TTLB.name if metric == FINISHED.name else metric, **alone.said) for name, metric in asked
    ]
    found = [
        times(base, both) if base is not None and both is not None and both.n > 1 else None
        for base, both in zip(by_itself, together, strict=True)
    ]
    return None if found[0] is None or found[1] is None else Beside(found[0], found[1], found[2])


def _printed_times(own: StudyColumn, label: str, arm: str, metric: str) -> Estimate | None:
    row = own.column.row("parallel", arm, metric, label=label)
    return None if row is None else Estimate(row["mean"], row.get("least", math.nan), row.get("most", math.nan))


def printed(data: BookData) -> StudyColumn:
    """The published column."""
    return StudyColumn(data, STUDY, PUBLISHED.key)
