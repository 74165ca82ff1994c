"""Numbers of the chapter loss-and-n.md, each as it stands in its text."""

from __future__ import annotations

from typing import Any

from longlook.book.evidence import asked_alike
from longlook.book.judged import numbers_of, percent_of, squares_of
from longlook.book.value import Measured, Number, Quantity, StatedNumber
from longlook.book.value_role import Numbers

TEN_MB: dict[str, Any] = {"workload": "10000kb-x1"}
MIDDLE: dict[str, Any] = {"workload": ("500kb-x1", "1000kb-x1")}
SMALL: dict[str, Any] = {"workload": ("5kb-x1", "10kb-x1", "100kb-x1", "200kb-x1")}
OVER_TCP = "head-of-line-tcp"


def _two(m: Measured) -> Measured:
    """Measurements with N = 2 by the driver of those with N = 1."""
    return asked_alike(m, "figure-4.9d")


def _longer_pct(m: Measured, arm: str, **where: Any) -> Quantity:
    """By how much longer a page of several objects takes with N = 1 than with N = 2."""
    m = _two(m)
    return (m.arm("4.9d", arm, **where) / m.arm("4.6e", arm, **where) - 1) * 100


def _down(m: Measured, arm: str) -> Quantity:
    """Bytes that the server sent for twenty files without loss."""
    return m.arm("head-of-line-20", arm, "bytes_down", loss_pct=0)


def _later(n: int, sweep: str = "head-of-line", digits: int = 0, **where: Any) -> Number:
    """By how much later a file is whole, or the last one there, on one stream or connection: of a prediction's
    squares."""
    return lambda m: ((numbers_of(m, sweep, n, **where) - 1) * 100).span("%", digits)


def _stands(m: Measured, statistic: str) -> StatedNumber:
    """When the last of twenty connections stands, at 36 ms and 2 %."""
    return m.arm(OVER_TCP, "connections", "connect_ms", statistic, rtt_ms=36.0, loss_pct=2.0).one("ms")


def _added(m: Measured) -> StatedNumber:
    """By how much loss makes the ratio of one connection to connections greater."""
    found = [
        numbers_of(m, OVER_TCP, 3, rtt_ms=rtt_ms, loss_pct=loss_pct) / numbers_of(m, OVER_TCP, plain)
        for plain, rtt_ms in ((1, 36.0), (2, 112.0))
        for loss_pct in (1.0, 2.0)
    ]
    return ((found[0].joined(*found[1:]) - 1) * 100).span("%")


NUMBERS: Numbers = {
    "10mb-n2": lambda m: m.pct("4.6b", **TEN_MB).span("%"),
    "10mb-n1": lambda m: m.pct("4.9b", **TEN_MB).size().span("%"),
    "10mb-quic": lambda m: (m.arm("4.9b", "quic", **TEN_MB) / m.arm("4.6b", "quic", **TEN_MB)).span("times", 1),
    "10mb-tcp": lambda m: (
        ((m.arm("4.9b", "tcp", **TEN_MB) / m.arm("4.6b", "tcp", **TEN_MB) - 1) * 100).size().greatest("%")
    ),
    "middle-n1": lambda m: m.pct("4.9b", **MIDDLE).median("%", sign=True),
    "middle-n2": lambda m: m.pct("4.6b", **MIDDLE).median("%", sign=True),
    "small-n1": lambda m: m.pct("4.9b", **SMALL).median("%", sign=True),
    "small-n2": lambda m: m.pct("4.6b", **SMALL).median("%", sign=True),
    "10mb-longer": lambda m: ((m.arm("4.9b", "quic", **TEN_MB) / m.arm("4.9b", "tcp", **TEN_MB) - 1) * 100).span("%"),
    "many-squares": lambda m: m.pct("4.9d").count(),
    "many-n1": lambda m: m.pct("4.9d").median("%", sign=True),
    "many-n2": lambda m: _two(m).pct("4.6e").median("%", sign=True),
    "many-quic": lambda m: _longer_pct(m, "quic").median("%"),
    "many-quic-10": lambda m: _longer_pct(m, "quic", bandwidth_mbps=10.0).only(lambda pct: pct > 0).span("%"),
    "many-quic-10-of": lambda m: _longer_pct(m, "quic", bandwidth_mbps=10.0).count(lambda pct: pct > 0),
    "many-tcp": lambda m: (_longer_pct(m, "tcp") * -1).median("%"),
    "many-significant-n1": lambda m: m.significant("4.9d").count(lambda sign: sign == 1),
    "stream-plain": _later(1, digits=1, object_count=20),
    "stream-few": _later(2),
    "stream-few-squares": lambda m: squares_of(m, "head-of-line", 2),
    "stream-many": _later(3),
    "stream-last": lambda m: numbers_of(m, "head-of-line", 4).changes(),
    "stream-bytes": lambda m: ((_down(m, "streams") / _down(m, "one stream") - 1) * 100).span("%"),
    "connection-near": _later(1, OVER_TCP),
    "connection-far": _later(2, OVER_TCP),
    "connection-lossy": _later(3, OVER_TCP),
    "connection-added": _added,
    "stands-mean": lambda m: _stands(m, "mean"),
    "stands-median": lambda m: _stands(m, "median"),
    "connection-last": lambda m: percent_of(m, OVER_TCP, 4),
    "stream-printed": lambda m: m.published.pct("4.6e").median("%"),
    "many-significant-n2": lambda m: _two(m).significant("4.6e").count(lambda sign: sign == 1),
}
