"""What of a file was acknowledged over the time of its downloads, what was in flight and what was lost.

After figures 5, 7 and 11 of the paper. Of the loads of a kind the one whose whole time is the median stands for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from longlook.book.data import BookData
from longlook.book.loads import counting
from longlook.book.timelines import NOT_SENDERS
from longlook.book.yu2021.evidence import FAR, LOSSY, MIDDLE, SMALL, Condition
from longlook.experiment.metrics import FINISHED, LOST, SPURIOUS
from longlook.published.yu2021 import BANDWIDTH_MBPS, STUDY

SERIES = "yu-over-time"
LOADS = 3
"""Of each kind."""
SEEN = ("capture", "tcp_probe")
"""Sources that tell what is in flight and lost: of QUIC the capture beside the server, of TCP the kernel's trace."""
KB = 1000
RATE = BANDWIDTH_MBPS * 1e6 / 8
"""Of the link, bytes per s."""
PACKET_BYTES = 1500
"""A receiver that takes less than that takes no full packet more."""


@dataclass(frozen=True)
class Figure:
    """One of the paper's, as it is measured here: the file, the link, and the labels of the sweep's cells."""

    number: str
    size_bytes: int
    condition: Condition
    labels: tuple[str, ...]

    @property
    def held_bytes(self) -> float:
        """What the link holds in a round trip, without its queue."""
        return RATE * self.condition.rtt_ms / 1e3


FIGURES: Mapping[str, Figure] = {
    one.number: one
    for one in (
        Figure(
            "5",
            MIDDLE,
            LOSSY,
            ("Envoy, BBR", "Envoy, CUBIC", "ngtcp2, BBR", "ngtcp2, CUBIC", "Apache, BBR", "Apache, CUBIC"),
        ),
        Figure("7", SMALL, FAR, ("Envoy, BBR", "ngtcp2, BBR", "Apache, BBR")),
        Figure("11", MIDDLE, FAR, ("quic-go from Envoy", "ngtcp2 from Envoy", "Chromium from Envoy")),
    )
}
Kind = tuple[str, str]
"""Figure and label."""
KINDS: tuple[Kind, ...] = tuple((one.number, label) for one in FIGURES.values() for label in one.labels)


@dataclass(frozen=True, eq=False)
class Load:
    """One download."""

    figure: Figure
    label: str
    replicate: int
    metrics: Mapping[str, float]
    lines: pd.DataFrame
    """Its rows of `timelines`, in the order of time."""

    @cached_property
    def acked(self) -> pd.DataFrame:
        """`time_s`, `bytes`: acknowledged so far."""
        return _line(self.lines[self.lines["source"] == "acks"], "acked_bytes")

    @cached_property
    def in_flight(self) -> pd.DataFrame:
        """`time_s`, `bytes`."""
        return _line(self.lines[self.lines["source"].isin(SEEN)], "bytes_in_flight")

    @cached_property
    def window(self) -> pd.DataFrame:
        """`time_s`, `bytes`: the sender's own account; empty where it tells none."""
        return _line(self.lines[~self.lines["source"].isin(NOT_SENDERS)], "cwnd_bytes")

    @cached_property
    def allowed(self) -> pd.DataFrame:
        """`time_s`, `bytes`: how much more the receiver would take; empty where that could not be read."""
        return _line(self.lines, "allowed_bytes")

    @cached_property
    def losses(self) -> pd.DataFrame:
        """When packets were declared lost, `time_s`, and `count`."""
        seen = self.lines[self.lines["source"].isin(SEEN)].dropna(subset=["lost"])
        more = seen["lost"].diff().fillna(seen["lost"])
        return pd.DataFrame({"time_s": seen["time_s"], "count": more})[more > 0].reset_index(drop=True)

    @property
    def lost(self) -> int:
        """Packets declared lost that were not known to have arrived."""
        return int(self.metrics.get(LOST.name, 0) - self.metrics.get(SPURIOUS.name, 0))

    @property
    def first_s(self) -> float:
        """When anything was acknowledged first, since the load's start."""
        return float(self.acked["time_s"].iloc[0])

    @property
    def whole_s(self) -> float:
        """When the last of it was."""
        return float(self.acked["time_s"].iloc[-1])

    def reached_s(self, share: float) -> float:
        """When so large a share of what is acknowledged in the end had been."""
        line = self.acked
        enough = line["bytes"] >= share * line["bytes"].iloc[-1]
        return float(line["time_s"][enough].iloc[0])

    @property
    def best_share(self) -> float:
        """The most that came acknowledged in one round trip, as a share of what the link carries in it."""
        line, trip_s = self.acked, self.figure.condition.rtt_ms / 1e3
        times, sizes = line["time_s"].to_numpy(), line["bytes"].to_numpy()
        before = np.searchsorted(times, times - trip_s, side="right")
        earlier = np.where(before > 0, sizes[np.maximum(before - 1, 0)], 0.0)
        return float((sizes - earlier).max() / self.figure.held_bytes)

    @property
    def thin_share(self) -> float:
        """Of the time from the first acknowledgement to the last, with less in flight than the link holds."""
        return share_below(self.in_flight, self.figure.held_bytes, self.first_s, self.whole_s)

    @property
    def limited_share(self) -> float | None:
        """Of the same time, in which the receiver would not take another full packet; None where nobody knows."""
        line = self.allowed
        return None if line.empty else share_below(line, PACKET_BYTES, self.first_s, self.whole_s)


def _line(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    own = rows.dropna(subset=[column])
    return pd.DataFrame({"time_s": own["time_s"], "bytes": own[column]}).reset_index(drop=True)


def share_below(line: pd.DataFrame, bound: float, begin_s: float, end_s: float) -> float:
    """Share of a time in which `bytes` is less than a bound; each value lasts until the next, the first one from
    before."""
    if end_s <= begin_s:
        return 0.0
    times = np.clip(line["time_s"].to_numpy(), begin_s, end_s)
    edges = np.append(np.concatenate(([begin_s], times[1:])), end_s)
    below = line["bytes"].to_numpy() < bound
    return float((np.diff(edges) * below).sum() / (end_s - begin_s))


Found = Mapping[Kind, tuple[Load, ...]]
"""The loads of each kind that count, by their whole times."""


def median_of(loads: tuple[Load, ...]) -> Load:
    """The one in the middle; of an even number the earlier of the two there."""
    return loads[(len(loads) - 1) // 2]


@lru_cache(maxsize=4)
def measured(data: BookData, key: str) -> Found:
    """Of one column, `reference` or `yours`; kinds without a load that counts are left out."""
    found: dict[Kind, list[Load]] = {}
    for load in _loads(data, key):
        found.setdefault((load.figure.number, load.label), []).append(load)
    return {kind: tuple(sorted(found[kind], key=lambda load: load.whole_s)) for kind in KINDS if kind in found}


def _loads(data: BookData, key: str) -> Iterator[Load]:
    metrics: dict[tuple[str, str], dict[str, float]] = {}
    for row in counting(data, STUDY, SERIES, key):
        metrics.setdefault((row["campaign"], row["cell_id"]), {})[row["metric"]] = float(row["value"])
    lines = dict(tuple(data.rows("timelines", STUDY, SERIES, key).groupby(["campaign", "cell_id"])))
    for cell in data.rows("cells", STUDY, SERIES, key).to_dict("records"):
        own = (cell["campaign"], cell["cell_id"])
        figure = _figure_of(cell["label"], int(cell["object_bytes"]), Condition(cell["rtt_ms"], cell["loss_pct"]))
        if figure is None or FINISHED.name not in metrics.get(own, {}) or own not in lines:
            continue
        ordered = lines[own].sort_values("time_s", kind="stable")
        if ordered["acked_bytes"].notna().any():
            yield Load(figure, cell["label"], int(cell["replicate"]), metrics[own], ordered)


def _figure_of(label: str, size_bytes: int, condition: Condition) -> Figure | None:
    for one in FIGURES.values():
        if label in one.labels and (one.size_bytes, one.condition) == (size_bytes, condition):
            return one
    return None
