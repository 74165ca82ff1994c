"""Numbers of the chapter bbr.md, each as it stands in its text."""

from __future__ import annotations

from typing import Any

from longlook.book.evidence import asked_alike
from longlook.book.value import Measured, Quantity
from longlook.book.value_role import Numbers

TEN_MB: dict[str, Any] = {"workload": "10000kb-x1"}
SERVED = ("quic", "tcp")
AGAIN = ("100kb-x1", "1000kb-x1")


def _ten_mb_s(m: Measured, series: str, *arms: str, **where: Any) -> Quantity:
    """Mean PLT of 10 MB, s."""
    return Quantity.joined(*(m.arm(series, arm, **TEN_MB, **where) / 1000 for arm in arms))


def _bbr_cost(m: Measured, arm: str, workload: str, rtt_ms: float) -> Quantity:
    """What BBR adds to a mean of CUBIC, on one machine, ms."""
    series = {36.0: "4.14a", 112.0: "4.14c"}[rtt_ms]
    place: dict[str, Any] = {"workload": workload, "bandwidth_mbps": 100.0, "rtt_ms": rtt_ms}
    return m.arm(series, arm, **place) - m.arm("cubic-again", arm, **place)


def _in_rtts(m: Measured, workload: str) -> Quantity:
    """The same for QUIC in round trips, at both RTTs."""
    return (_bbr_cost(m, "quic", workload, 36.0) / 36).joined(_bbr_cost(m, "quic", workload, 112.0) / 112)


def _tcp_gain(m: Measured) -> Quantity:
    found = [_bbr_cost(m, "tcp", workload, rtt_ms) * -1 for workload in AGAIN for rtt_ms in (36.0, 112.0)]
    return Quantity.joined(*found)


def _machines(m: Measured) -> Quantity:
    """200 objects with CUBIC: the machine of figure 4.14 over that of figure 4.6."""
    found, m = [], asked_alike(m, "cubic-again")
    for series, rtt_ms in (("4.6d", 36.0), ("4.6f", 112.0)):
        place: dict[str, Any] = {"workload": "5kb-x200", "bandwidth_mbps": 100.0, "rtt_ms": rtt_ms}
        found += [m.arm("cubic-again", arm, **place) / m.arm(series, arm, **place) for arm in SERVED]
    return Quantity.joined(*found)


def _bbr_adds_pct(m: Measured, arm: str) -> Quantity:
    m = asked_alike(m, "cubic-again")
    place: dict[str, Any] = {"workload": "5kb-x200", "bandwidth_mbps": 100.0, "rtt_ms": 112.0}
    return (m.arm("4.14f", arm, **place) / m.arm("cubic-again", arm, **place) - 1) * 100


def _loss_cost_s(m: Measured, arm: str) -> Quantity:
    slow: dict[str, Any] = {"bandwidth_mbps": 10.0}
    return _ten_mb_s(m, "4.14b", arm, **slow) - _ten_mb_s(m, "4.14a", arm, **slow)


def _saved_pct(m: Measured, bandwidth_mbps: tuple[float, ...]) -> Quantity:
    """10 MB under jitter: by how much less time QUIC v1 with BBR takes than gQUIC with CUBIC."""
    where: dict[str, Any] = {"bandwidth_mbps": bandwidth_mbps}
    return (_ten_mb_s(m, "4.15b", "quic", **where) / _ten_mb_s(m, "4.11a", "quic", **where) * -1 + 1) * 100


def _saved_by_threshold_pct(m: Measured) -> Quantity:
    """Of the time saved that part which QUIC v1 with CUBIC saves already."""
    old, cubic, bbr = (_ten_mb_s(m, series, "quic") for series in ("4.11a", "4.11b", "4.15b"))
    return (old - cubic) / (old - bbr) * 100


def _jitter_ratio(m: Measured, arm: str) -> Quantity:
    where = TEN_MB | {"bandwidth_mbps": (50.0, 100.0)}
    return m.arm("4.15b", arm, **where) / m.arm("4.11b", arm, **where)


def _longer_pct(m: Measured) -> Quantity:
    """By how much longer QUIC takes than TCP, both with BBR, for 10 MB under jitter at 50 and 100 Mbit/s."""
    where = TEN_MB | {"bandwidth_mbps": (50.0, 100.0)}
    return (m.arm("4.15b", "quic", **where) / m.arm("4.15b", "tcp", **where) - 1) * 100


NUMBERS: Numbers = {
    "a.5kb": lambda m: m.pct("4.14a", workload="5kb-x1", bandwidth_mbps=10.0).one("%"),
    "a.10mb": lambda m: m.pct("4.14a", workload="10000kb-x1", bandwidth_mbps=10.0).one("%", 1),
    "c.5kb": lambda m: m.pct("4.14c", workload="5kb-x1", bandwidth_mbps=100.0).one("%"),
    "c.10mb": lambda m: m.pct("4.14c", workload="10000kb-x1", bandwidth_mbps=100.0).one("%"),
    "d": lambda m: m.pct("4.14d").span("%"),
    "f": lambda m: m.pct("4.14f").span("%"),
    "b.tcp-wins": lambda m: m.pct("4.14b", workload="10000kb-x1", bandwidth_mbps=10.0).size().one("%"),
    "loss-cost-quic": lambda m: _loss_cost_s(m, "quic").one("s", 2),
    "loss-cost-tcp": lambda m: _loss_cost_s(m, "tcp").one("s", 2),
    "e": lambda m: m.pct("4.14e").span("%"),
    "e-quic": lambda m: m.significant("4.14e").count(lambda sign: sign == 1),
    "e-squares": lambda m: m.significant("4.14e").count(),
    "cubic-loss": lambda m: _ten_mb_s(m, "4.6b", "tcp").joined(_ten_mb_s(m, "4.9b", "quic", "tcp")).span("s"),
    "cubic-loss-n2": lambda m: _ten_mb_s(m, "4.6b", "quic").span("s"),
    "bbr-loss-100": lambda m: _ten_mb_s(m, "4.14b", *SERVED, bandwidth_mbps=100.0).span("s", 1),
    "bbr-loss-50": lambda m: _ten_mb_s(m, "4.14b", *SERVED, bandwidth_mbps=50.0).span("s", 1),
    "bbr-loss-10": lambda m: _ten_mb_s(m, "4.14b", *SERVED, bandwidth_mbps=10.0).span("s"),
    "bbr-no-loss-100": lambda m: _ten_mb_s(m, "4.14a", *SERVED, bandwidth_mbps=100.0).span("s", 1),
    "bbr-no-loss-50": lambda m: _ten_mb_s(m, "4.14a", *SERVED, bandwidth_mbps=50.0).span("s", 1),
    "bbr-no-loss-10": lambda m: _ten_mb_s(m, "4.14a", *SERVED, bandwidth_mbps=10.0).span("s"),
    "cost-100kb-36": lambda m: _bbr_cost(m, "quic", "100kb-x1", 36.0).one("ms"),
    "cost-100kb-112": lambda m: _bbr_cost(m, "quic", "100kb-x1", 112.0).one("ms"),
    "cost-100kb-rtts": lambda m: _in_rtts(m, "100kb-x1").span("RTT", 1),
    "cost-1mb-36": lambda m: _bbr_cost(m, "quic", "1000kb-x1", 36.0).one("ms"),
    "cost-1mb-112": lambda m: _bbr_cost(m, "quic", "1000kb-x1", 112.0).one("ms"),
    "cost-1mb-rtts": lambda m: _in_rtts(m, "1000kb-x1").span("RTT", 1),
    "tcp-gains": lambda m: _tcp_gain(m).span("ms"),
    "lead-bbr": lambda m: m.pct("4.14c", workload="1000kb-x1", bandwidth_mbps=100.0).one("%"),
    "lead-cubic": lambda m: m.pct("cubic-again", workload="1000kb-x1", rtt_ms=112.0).one("%"),
    "10mb-cubic": lambda m: m.pct("4.6c", workload="10000kb-x1", bandwidth_mbps=100.0).one("%"),
    "machines": lambda m: _machines(m).span("times", 2),
    "bbr-adds-quic": lambda m: _bbr_adds_pct(m, "quic").one("%"),
    "bbr-adds-tcp": lambda m: _bbr_adds_pct(m, "tcp").one("%"),
    "jitter-quic": lambda m: _jitter_ratio(m, "quic").span("", 2),
    "jitter-tcp": lambda m: _jitter_ratio(m, "tcp").span("", 2),
    "jitter-longer": lambda m: _longer_pct(m).span("%", joint="and"),
    "gquic-10mb": lambda m: _ten_mb_s(m, "4.11a", "quic").span("s"),
    "saved-10": lambda m: _saved_pct(m, (10.0,)).one("%"),
    "saved-fast": lambda m: _saved_pct(m, (50.0, 100.0)).span("%", joint="and"),
    "saved-by-threshold": lambda m: _saved_by_threshold_pct(m).span("%"),
    "cubic-10mb": lambda m: _ten_mb_s(m, "4.11b", "quic").span("s"),
}
