"""Numbers of the chapter beyond.md, each as it stands in its text."""

from __future__ import annotations

from typing import Any

from longlook.book.muthuraj2024.leads import counted
from longlook.book.value import Measured, Quantity, StatedNumber, number
from longlook.book.value_role import Numbers

TEN: dict[str, Any] = {"workload": "100kb-x1", "bandwidth_mbps": 10.0}
HUNDRED: dict[str, Any] = {"workload": "100kb-x1", "bandwidth_mbps": 100.0}
SLOW_200: dict[str, Any] = {"workload": "200kb-x1", "bandwidth_mbps": 10.0}
WINDOWS = ("window-default", "window-quic10", "window-tcp32")
"""QUIC with 32 packets against TCP with 10, both with 10, both with 32."""


@number
def _lead_5kb(m: Measured, bandwidth_mbps: float) -> StatedNumber:
    """QUIC's lead with 5 KB, whoever begins with what window."""
    one, other, third = (m.gap(name, workload="5kb-x1", bandwidth_mbps=bandwidth_mbps) for name in WINDOWS)
    return one.joined(other, third).span("ms")


@number
def _equal(m: Measured, measure: str, unit: str, **where: Any) -> StatedNumber:
    """With equal windows: both 10, both 32."""
    one, other = (getattr(m, measure)(name, **where) for name in WINDOWS[1:])
    return one.joined(other).span(unit, joint="or")


def _pct_5kb(m: Measured) -> Quantity:
    """QUIC's lead with 5 KB at 10 Mbit/s as a percentage, whoever begins with what window."""
    one, other, third = (m.pct(name, workload="5kb-x1", bandwidth_mbps=10.0) for name in WINDOWS)
    return one.joined(other, third)


def _both_longer(m: Measured) -> Quantity:
    """By how much 5 KB at 10 Mbit/s take either protocol longer in the cell where both begin with 10 packets, ms."""
    place: dict[str, Any] = {"workload": "5kb-x1", "bandwidth_mbps": 10.0}
    quic, tcp = (m.arm(WINDOWS[1], arm, **place) - m.arm(WINDOWS[0], arm, **place) for arm in ("quic", "tcp"))
    return quic.joined(tcp)


def _below_small(m: Measured) -> Quantity:
    """By how much the lead with 100 KB is below that with 5 KB where windows are equal, at 100 Mbit/s, ms."""
    one, other = (
        m.gap(name, workload="5kb-x1", bandwidth_mbps=100.0).by("bandwidth_mbps")
        - m.gap(name, **HUNDRED).by("bandwidth_mbps")
        for name in WINDOWS[1:]
    )
    return one.joined(other)


def _times(label: str):
    return lambda m: m.samples("beyond-threshold", "finished_s", label=label)


NUMBERS: Numbers = {
    "static-s": lambda m: _times("static threshold")(m).median("s", 1),
    "adaptive-s": lambda m: _times("adaptive threshold")(m).median("s", 1),
    "static-lost": lambda m: m.samples("beyond-threshold", "lost", label="static threshold").span(),
    "static-true": lambda m: (
        m.samples("beyond-threshold", "lost", label="static threshold")
        - m.samples("beyond-threshold", "spurious", label="static threshold")
    ).span(),
    "adaptive-lost": lambda m: m.samples("beyond-threshold", "lost", label="adaptive threshold").span(),
    "lead-5kb-100": _lead_5kb(100.0),
    "lead-5kb-10": _lead_5kb(10.0),
    "lead-100kb-100": lambda m: m.gap("window-default", **HUNDRED).one("ms"),
    "both-10": lambda m: m.gap("window-quic10", **HUNDRED).one("ms"),
    "both-32": lambda m: m.gap("window-tcp32", **HUNDRED).one("ms"),
    "lead-100kb-10": lambda m: m.gap("window-default", **TEN).one("ms"),
    "equal-10": _equal("gap", "ms", **TEN),
    "pct-100": lambda m: m.pct("window-default", **HUNDRED).one("%"),
    "pct-equal": _equal("pct", "%", **HUNDRED),
    "pct-5kb-10": lambda m: _pct_5kb(m).span("%"),
    "both-longer": lambda m: _both_longer(m).span("ms"),
    "small-stays": counted(lambda one: one.small_changes.contains_zero),
    "large-falls": counted(lambda one: one.large_changes.high < 0),
    "large-as-small-10": counted(lambda one: one.large_above_small.contains_zero, 10.0),
    "below-small": lambda m: _below_small(m).span("ms", joint="and"),
    "other-way": lambda m: (
        m.arm("window-default", "quic", **SLOW_200) - m.arm("window-quic10", "quic", **SLOW_200)
    ).one("ms"),
    "other-way-sd-32": lambda m: m.arm("window-default", "quic", statistic="sd", **SLOW_200).one("ms"),
    "other-way-sd-10": lambda m: m.arm("window-quic10", "quic", statistic="sd", **SLOW_200).one("ms"),
}
