"""Numbers of the chapter gquic.md, each as it stands in its text."""

from __future__ import annotations

from typing import Any

from longlook.book.value import Measured, Quantity
from longlook.book.value_role import Numbers

LARGE = ("100kb-x1", "200kb-x1", "500kb-x1", "1000kb-x1")
PARTS = ("1000kb-x1", "500kb-x2", "200kb-x5", "100kb-x10")


def _published(series: str, workload: str, bandwidth_mbps: float):
    return lambda m: m.published.pct(series, workload=workload, bandwidth_mbps=bandwidth_mbps).signed()


def _spread(m: Measured) -> Quantity:
    """Standard deviations of 10 MB without loss at 50 and 100 Mbit/s, of both protocols."""
    fast: dict[str, Any] = {"statistic": "sd", "workload": "10000kb-x1", "bandwidth_mbps": (50.0, 100.0)}
    found = [m.arm(series, arm, **fast) for series in ("4.5a", "4.5c") for arm in ("quic", "tcp")]
    return Quantity.joined(*found)


def _margins(m: Measured) -> Quantity:
    """Published lead under loss over the one found here, %, for objects of 100 KB and more."""
    one = m.published.pct("4.5b", workload=LARGE) / m.pct("4.5b", workload=LARGE)
    return one.joined(m.published.pct("4.5e", workload=PARTS) / m.pct("4.5e", workload=PARTS))


def _of_published(m: Measured, arm: str) -> Quantity:
    """Means with 1 % loss over the published ones."""
    return Quantity.joined(*(m.arm(series, arm) / m.published.arm(series, arm) for series in ("4.5b", "4.5e")))


NUMBERS: Numbers = {
    "ga.small": _published("4.5a", "5kb-x1", 10.0),
    "ga.large": _published("4.5a", "10000kb-x1", 100.0),
    "gd.many50": _published("4.5d", "10kb-x100", 50.0),
    "gd.many100": _published("4.5d", "10kb-x100", 100.0),
    "gc.small": _published("4.5c", "5kb-x1", 10.0),
    "gf.many50": _published("4.5f", "10kb-x100", 50.0),
    "spread-10mb": lambda m: _spread(m).greatest("ms", 1),
    "loss-quic": lambda m: _of_published(m, "quic").span("times", 1),
    "loss-tcp": lambda m: _of_published(m, "tcp").span("times", 1),
    "margins": lambda m: _margins(m).span("times", 1),
}
