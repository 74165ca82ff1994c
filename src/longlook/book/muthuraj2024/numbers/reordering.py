"""Numbers of the chapter reordering.md, each as it stands in its text."""

from __future__ import annotations

from typing import Any

from longlook.book.value import Measured, Quantity
from longlook.book.value_role import Numbers

SMALL: dict[str, Any] = {"workload": ("5kb-x1", "10kb-x1", "100kb-x1", "200kb-x1")}
MIDDLE: dict[str, Any] = {"workload": ("500kb-x1", "1000kb-x1")}
LARGE: dict[str, Any] = {"workload": ("500kb-x1", "1000kb-x1", "10000kb-x1")}
FAST_10MB: dict[str, Any] = {"workload": "10000kb-x1", "bandwidth_mbps": 100.0}
DRAWN: dict[str, Any] = {"bandwidth_mbps": (10.0, 100.0)}
"""Bandwidths of the sweep jitter-interval."""
KB = 1024


def _over_published(m: Measured, arm: str, series: str = "4.11b", of: str = "4.11b", **where: Any) -> Quantity:
    """Re-measured over published means."""
    return m.arm(series, arm, **where) / m.published.arm(of, arm, **where)


def _changed_pct(m: Measured) -> Quantity:
    """By how much 200 ms in place of 100 ms changes the means of 100 KB, %."""
    where = DRAWN | {"workload": "100kb-x1"}
    one, other = (m.arm("jitter-interval", arm, **where) / m.arm("4.11b", arm, **where) for arm in ("quic", "tcp"))
    return ((one.joined(other) - 1) * 100).size()


def _window(m: Measured) -> Quantity:
    """Of gQUIC's window in figure 4.12 that size which 95 in 100 of its samples do not pass, KB."""
    rows = m.timeline("4.12", label="gQUIC")
    own = rows["cwnd_bytes"].dropna()
    return m.of_timeline(float(own.quantile(0.95)) / KB, "4.12 gQUIC, 95 % of its windows are at most", rows)


def _losses_per_s(m: Measured) -> Quantity:
    rows = m.timeline("4.12", label="gQUIC")
    lost = rows.dropna(subset=["lost"])
    rate = float(lost["lost"].max() / lost["time_s"].max())
    return m.of_timeline(rate, "4.12 gQUIC packets declared lost per second", rows)


NUMBERS: Numbers = {
    "tcp-small": lambda m: _over_published(m, "tcp", **SMALL).span("", 2),
    "tcp-middle": lambda m: _over_published(m, "tcp", **MIDDLE).span("", 2),
    "tcp-10mb": lambda m: _over_published(m, "tcp", workload="10000kb-x1").span("", 2),
    "quic-large": lambda m: _over_published(m, "quic", **LARGE).span("times", 1),
    "gquic-10mb": lambda m: (m.arm("4.11a", "quic", workload="10000kb-x1") / 1000).span("s"),
    "tcp-old-10mb": lambda m: (m.arm("4.11a", "tcp", **FAST_10MB) / 1000).one("s", 1),
    "tcp-new-10mb": lambda m: (m.arm("4.11b", "tcp", **FAST_10MB) / 1000).one("s", 1),
    "quic-200ms": lambda m: _over_published(m, "quic", "jitter-interval", **MIDDLE, **DRAWN).span("", 2, "and"),
    "tcp-200ms": lambda m: _over_published(m, "tcp", "jitter-interval", **MIDDLE, **DRAWN).span("", 2, "and"),
    "quic-100ms": lambda m: _over_published(m, "quic", **MIDDLE, **DRAWN).span("", 2),
    "tcp-100ms": lambda m: _over_published(m, "tcp", **MIDDLE, **DRAWN).span("", 2),
    "tcp-10mb-200ms": lambda m: _over_published(m, "tcp", "jitter-interval", **FAST_10MB).one("", 2),
    "tcp-10mb-100ms": lambda m: _over_published(m, "tcp", **FAST_10MB).one("", 2),
    "quic-10mb-200ms": lambda m: _over_published(m, "quic", "jitter-interval", **FAST_10MB).one("", 2),
    "quic-10mb-100ms": lambda m: _over_published(m, "quic", **FAST_10MB).one("", 2),
    "quic-10mb-sd": lambda m: (m.arm("jitter-interval", "quic", statistic="sd", **FAST_10MB) / 1000).one("s", 1),
    "pct-10mb-200ms": lambda m: m.pct("jitter-interval", **FAST_10MB).signed(),
    "pct-10mb-published": lambda m: m.published.pct("4.11b", **FAST_10MB).signed(),
    "100kb-changes": lambda m: _changed_pct(m).greatest("%"),
    "gquic-window": lambda m: _window(m).one("KB"),
    "gquic-losses": lambda m: _losses_per_s(m).one("", 1),
}
