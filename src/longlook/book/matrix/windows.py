"""What was seen of every server's windows over the time of a download, and the numbers that are made of it.

The window is the server's own account, what is in flight and what is lost that of a capture beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from longlook import paths
from longlook.book.data import COLUMNS, BookData
from longlook.book.matrix.evidence import STUDY
from longlook.book.timelines import NOT_SENDERS
from longlook.errors import LonglookError
from longlook.experiment import reading
from longlook.experiment.metrics import FINISHED, LOST, SPURIOUS
from longlook.plan.arm import Cca
from longlook.probe import qlog

SERIES = "matrix-windows"
SERVERS: Mapping[str, tuple[Cca, ...]] = {
    "envoy": ("cubic", "bbr"),
    "ngtcp2": ("cubic", "reno", "bbr"),
    "lsquic": ("cubic", "reno", "bbr"),
    "aioquic": ("cubic", "reno"),
    "quicgo": ("reno",),
}
"""With the controllers that each offers."""
LOSSES_PCT = {0.0: "no loss", 1.0: "1 % loss"}
CCA_WORDS: Mapping[Cca, str] = {"cubic": "CUBIC", "reno": "Reno", "bbr": "BBR"}
SOURCES = {"envoy": "counters", "ngtcp2": "qlog", "lsquic": "counters", "aioquic": "qlog", "quicgo": "qlog"}
"""What a server's own account is."""
KB = 1000
LINK_KB = 100e6 / 8 * 36e-3 / KB
"""What the link holds in a round trip, without its queue."""
FALL = 0.95
"""A window that is less than this of the one before it has been cut."""
EVERY, SPANS = 20, 600
"""Of the packets of a trace that the book offers, and of what its metrics tell."""


@dataclass(frozen=True, eq=False)
class Traced:
    """One download."""

    server: str
    cca: Cca
    loss_pct: float
    campaign: str
    cell_id: str
    metrics: Mapping[str, float]
    lines: pd.DataFrame
    """Its rows of `timelines`."""

    @property
    def seconds(self) -> float:
        """Until all was there."""
        return self.metrics[FINISHED.name]

    @property
    def lost(self) -> int:
        """Packets declared lost that had not arrived."""
        return int(self.metrics.get(LOST.name, 0) - self.metrics.get(SPURIOUS.name, 0))

    @property
    def window(self) -> pd.DataFrame:
        """`time_s`, `kb`; empty where its server does not tell it."""
        own = self.lines[~self.lines["source"].isin(NOT_SENDERS)]
        return _kb(own, "cwnd_bytes")

    @property
    def in_flight(self) -> pd.DataFrame:
        """`time_s`, `kb`."""
        return _kb(self.lines[self.lines["source"] == "capture"], "bytes_in_flight")

    @property
    def losses(self) -> pd.DataFrame:
        """When packets were declared lost, `time_s`, and `count`."""
        seen = self.lines[self.lines["source"] == "capture"].dropna(subset=["lost"])
        more = seen["lost"].diff().fillna(seen["lost"])
        return pd.DataFrame({"time_s": seen["time_s"], "count": more})[more > 0].reset_index(drop=True)

    @property
    def kept(self) -> float | None:
        """Share of the window that is left by a cut, the median over them; None without any."""
        shares = self.cuts
        return None if shares.empty else float(shares.median())

    @property
    def cuts(self) -> pd.Series:
        """Share of the window that is left by each cut."""
        sizes = self.window["kb"]
        shares = (sizes / sizes.shift()).iloc[1:]
        return shares[shares < FALL]

    def qlog(self) -> str | None:
        """What the book offers of the whole trace, thinned; None where the raw records are not here."""
        folder = paths.RAW / self.campaign / self.cell_id
        try:
            return qlog.thinned(reading.traces(folder), EVERY, SPANS)
        except LonglookError:
            return None


def _kb(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    own = rows.dropna(subset=[column])
    return pd.DataFrame({"time_s": own["time_s"], "kb": own[column] / KB}).reset_index(drop=True)


def median_over_time(line: pd.DataFrame) -> float:
    """Of `kb`, each value by the time until the next (`time_s`); of a line of one point, that."""
    if len(line) < 2:
        return float(line["kb"].iloc[0])
    spans = line["time_s"].diff().shift(-1).fillna(0.0)
    ordered = pd.DataFrame({"kb": line["kb"], "span": spans}).sort_values("kb")
    reached = ordered["span"].cumsum() >= ordered["span"].sum() / 2
    return float(ordered["kb"][reached].iloc[0])


@lru_cache(maxsize=4)
def measured(data: BookData, key: str) -> tuple[Traced, ...]:
    """Of one column, `reference` or `yours`, in the order of SERVERS and LOSSES_PCT; those that count."""
    return tuple(_measured(data, key))


def _measured(data: BookData, key: str) -> Iterator[Traced]:
    arms = data.rows("arms", STUDY, SERIES, key)
    arms = arms[arms["n"] > 0]
    lines = data.rows("timelines", STUDY, SERIES, key)
    for server, controllers in SERVERS.items():
        for cca in controllers:
            for loss_pct in LOSSES_PCT:
                own = arms[(arms["server"] == server) & (arms["cca"] == cca) & (arms["loss_pct"] == loss_pct)]
                if len(own):
                    place = own.iloc[0]
                    here = (lines["campaign"] == place["campaign"]) & (lines["cell_id"] == place["cell_id"])
                    metrics = dict(zip(own["metric"], own["mean"], strict=True))
                    found = lines[here].sort_values(["source", "time_s"], kind="stable")
                    yield Traced(server, cca, loss_pct, place["campaign"], place["cell_id"], metrics, found)


def newest(data: BookData) -> tuple[tuple[Traced, ...], str]:
    """The reader's own campaign, else the reference one, and what its column is called."""
    for name, _, title in reversed(COLUMNS):
        if found := measured(data, name):
            return found, title
    return (), ""
