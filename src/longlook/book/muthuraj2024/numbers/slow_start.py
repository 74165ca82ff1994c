"""Numbers of the chapter slow-start.md, each as it stands in its text."""

from __future__ import annotations

from longlook.book.value import Measured, Quantity
from longlook.book.value_role import Numbers

MANY = "10kb-x100"
KB = 1024
EARLY_KB = 200
"""A window that never passes this left slow start early: the others grow beyond three times as much."""


def _windows(m: Measured, workload: str = MANY) -> Quantity:
    """Largest windows of QUIC's loads, KB."""
    return m.samples("4.8", "cwnd_max_bytes", workload=workload, protocol="quic") / KB


def _early(m: Measured) -> Quantity:
    return _windows(m).only(lambda window: window < EARLY_KB)


def _late(m: Measured) -> Quantity:
    return _windows(m).only(lambda window: window >= EARLY_KB)


def _of_early(m: Measured, metric: str) -> Quantity:
    return m.samples("4.8", metric, workload=MANY, protocol="quic").at(_early(m))


def _smallest(m: Measured) -> Quantity:
    """The early load with the smallest window."""
    least = _early(m).numbers.min()
    return _early(m).only(lambda window: window == least)


def _others(m: Measured) -> Quantity:
    least = _early(m).numbers.min()
    return _early(m).only(lambda window: window > least)


def _jump(m: Measured) -> Quantity:
    """By how much the sender's own estimate of the RTT rises at once in that load, ms."""
    label, _, run, _ = _smallest(m).numbers.index[0]
    rows = m.timeline("4.8", label=label, workload=MANY, replicate=run, source="envoy")
    return m.of_timeline(float(rows["rtt_ms"].dropna().diff().max()), "4.8 largest rise of Envoy's RTT estimate", rows)


NUMBERS: Numbers = {
    "early": lambda m: _early(m).count(),
    "early-ten": lambda m: _windows(m, "100kb-x10").count(lambda window: window < EARLY_KB),
    "early-window": lambda m: _early(m).span("KB"),
    "early-time": lambda m: _of_early(m, "finished_s").span("s", 1),
    "late-window": lambda m: _late(m).least("KB"),
    "late-time": lambda m: m.samples("4.8", "finished_s", workload=MANY, protocol="quic").at(_late(m)).span("s", 1),
    "tcp-time": lambda m: m.samples("4.8", "finished_s", workload=MANY, protocol="tcp").span("s", 1),
    "early-queue": lambda m: _of_early(m, "queue_max_ms").greatest("ms", 1),
    "early-wait": lambda m: _of_early(m, "hold_max_ms").at(_others(m)).span("ms"),
    "jump": lambda m: _jump(m).one("ms"),
}
