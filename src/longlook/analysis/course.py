"""The course of a transfer: what was acknowledged, in flight, lost and allowed over its time. Pure.

A number that its lines do not tell is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from longlook.experiment.metrics import FINISHED, LOST, SPURIOUS
from longlook.plan.criteria import TENTHS

NOT_SENDERS = ("capture", "rtt_parts", "acks", "flow_control")
"""Sources that are not a sender's own figures."""
SEEN = ("capture", "tcp_probe")
"""Sources that tell what is in flight and lost: of QUIC the capture beside the server, of TCP the kernel's trace."""
KB = 1000
PACKET_BYTES = 1500
"""A receiver that takes less than that takes no full packet more."""
FALL = 0.95
"""A window that is less than this of the one before it has been cut."""


@dataclass(frozen=True, eq=False)
class Course:
    """One transfer that counts."""

    campaign: str
    cell_id: str
    bandwidth_mbps: float
    rtt_ms: float
    metrics: Mapping[str, float]
    lines: pd.DataFrame
    """Its rows of `timelines`, in the order of time."""

    @property
    def held_bytes(self) -> float:
        """What the link holds in a round trip, without its queue."""
        return self.bandwidth_mbps * 1e3 / 8 * self.rtt_ms

    @property
    def finished_s(self) -> float:
        """Until all was there."""
        return self.metrics[FINISHED.name]

    @property
    def lost(self) -> float:
        """Packets declared lost that were not known to have arrived."""
        return self.metrics.get(LOST.name, math.nan) - self.metrics.get(SPURIOUS.name, 0)

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
    def first_s(self) -> float:
        """When anything was acknowledged first, since the load's start."""
        return float(self.acked["time_s"].min())

    @property
    def whole_s(self) -> float:
        """When the last of it was."""
        return float(self.acked["time_s"].max())

    def reached_s(self, share: float) -> float:
        """When so large a share of what is acknowledged in the end had been."""
        line = self.acked
        return float(line["time_s"][line["bytes"] >= share * line["bytes"].max()].min())

    @property
    def best_share(self) -> float:
        """The most that came acknowledged in one round trip, as a share of what the link carries in it."""
        line = self.acked
        if line.empty:
            return math.nan
        times, sizes = line["time_s"].to_numpy(), line["bytes"].to_numpy()
        before = np.searchsorted(times, times - self.rtt_ms / 1e3, side="right")
        earlier = np.where(before > 0, sizes[np.maximum(before - 1, 0)], 0.0)
        return float((sizes - earlier).max() / self.held_bytes)

    @property
    def thin_share(self) -> float:
        """Of the time from the first acknowledgement to the last, with less in flight than the link holds."""
        return share_below(self.in_flight, self.held_bytes, self.first_s, self.whole_s)

    @property
    def limited_share(self) -> float:
        """Of the same time, in which the receiver would not take another full packet."""
        return share_below(self.allowed, PACKET_BYTES, self.first_s, self.whole_s)

    @property
    def cuts(self) -> pd.Series:
        """Share of the window that is left by each cut."""
        sizes = self.window["bytes"]
        shares = (sizes / sizes.shift()).iloc[1:]
        return shares[shares < FALL]

    @property
    def kept(self) -> float:
        """The same, the median over them."""
        return float(self.cuts.median())


def _line(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    own = rows.dropna(subset=[column])
    return pd.DataFrame({"time_s": own["time_s"], "bytes": own[column]}).reset_index(drop=True)


def share_below(line: pd.DataFrame, bound: float, begin_s: float, end_s: float) -> float:
    """Share of a time in which `bytes` is less than a bound; each value lasts until the next, the first one from
    before."""
    if line.empty:
        return math.nan
    if end_s <= begin_s:
        return 0.0
    times = np.clip(line["time_s"].to_numpy(), begin_s, end_s)
    edges = np.append(np.concatenate(([begin_s], times[1:])), end_s)
    below = line["bytes"].to_numpy() < bound
    return float((np.diff(edges) * below).sum() / (end_s - begin_s))


def median_over_time(line: pd.DataFrame) -> float:
    """Of `bytes`, each value by the time until the next (`time_s`); of a line of one point, that."""
    if len(line) < 2:
        return float(line["bytes"].max())
    spans = line["time_s"].diff().shift(-1).fillna(0.0)
    ordered = pd.DataFrame({"bytes": line["bytes"], "span": spans}).sort_values("bytes")
    reached = ordered["span"].cumsum() >= ordered["span"].sum() / 2
    return float(ordered["bytes"][reached].iloc[0])


def _tenth(tenth: int) -> Callable[[Course], float]:
    return lambda course: course.reached_s(tenth / 10) * 1e3


OF_COURSES: Mapping[str, Callable[[Course], float]] = {
    "acked_first_ms": lambda course: course.first_s * 1e3,
    **{name: _tenth(tenth) for tenth, name in enumerate(TENTHS, 1)},
    "best_trip_pct": lambda course: course.best_share * 100,
    "thin_pct": lambda course: course.thin_share * 100,
    "limited_pct": lambda course: course.limited_share * 100,
    "lost_packets": lambda course: course.lost,
    "in_flight_median_kb": lambda course: median_over_time(course.in_flight) / KB,
    "in_flight_most_kb": lambda course: float(course.in_flight["bytes"].max()) / KB,
    "window_kept": lambda course: course.kept,
}
"""Quantity of a criterion -> what it is of one transfer."""
