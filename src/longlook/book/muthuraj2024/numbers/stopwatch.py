"""Numbers of the chapter stopwatch.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.muthuraj2024 import one_cost, request_cost, smooth
from longlook.book.value import Measured, StatedNumber
from longlook.book.value_role import Numbers

HUNDRED = {"workload": "10kb-x100"}
FAST = {**HUNDRED, "bandwidth_mbps": 100.0}
OPEN = {**HUNDRED, "bandwidth_mbps": (50.0, 100.0), "rtt_ms": 36.0}
"""A hundred objects on links that do not limit them."""
FAR = {**FAST, "rtt_ms": 112.0}
EVEN = "client-45pct-period2500us"


def _held(arm: str):
    return lambda m: m.arm(smooth.SERIES, arm, **FAST).one("ms")


def _cost(series: str, step: str, where: dict):
    def number(m: Measured) -> StatedNumber:
        return m.arm(series, step, **where).span("ms", joint="and")

    return number


def _published(series: str, where: dict):
    def number(m: Measured) -> StatedNumber:
        return m.published.arm(series, "quic", **where).span("ms", joint="and")

    return number


NUMBERS: Numbers = {
    "free-quic": _held("quic-client-full"),
    "free-tcp": _held("tcp-client-full"),
    "even-quic": _held(f"quic-{EVEN}"),
    "even-tcp": _held(f"tcp-{EVEN}"),
    "g-none": _cost(request_cost.GQUIC37, "nocost", OPEN),
    "g-200": _cost(request_cost.GQUIC37, "cost200us", OPEN),
    "g-800": _cost(request_cost.GQUIC37, "cost800us", OPEN),
    "g-published": _published("4.5d", OPEN),
    "g-far-none": _cost(request_cost.GQUIC37, "nocost", FAR),
    "g-far-800": _cost(request_cost.GQUIC37, "cost800us", FAR),
    "v-none": _cost(request_cost.QUICV1, "nocost", OPEN),
    "v-800": _cost(request_cost.QUICV1, "cost800us", OPEN),
    "v-published": _published("4.6d", OPEN),
    "v-far-900": lambda m: m.arm(one_cost.QUICV1, "quic-cost900us", statistic="sd", **HUNDRED, rtt_ms=112.0).span("ms"),
    "v-far-published": lambda m: m.published.arm(
        "4.6f", "quic", statistic="sd", **HUNDRED, bandwidth_mbps=(50.0, 100.0)
    ).span("ms"),
}
